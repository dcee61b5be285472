/** Requests over HTTP. */

import type { Http, HttpFailure, HttpRequest, HttpResult } from "../mod.ts";

/**
 * Sends a request and reads its answer as far as that is wanted.
 *
 * Its text is also what a worker runs (`confined_http.ts`), so it uses nothing but what every worker has.
 */
export async function exchange(
  request: Omit<HttpRequest, "signal">,
  signal: AbortSignal,
): Promise<HttpResult> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), request.timeoutMs);
  // Some runtimes say only that fetching failed, and name the reason as its cause.
  const innermost = (thrown: unknown): unknown =>
    thrown instanceof Error && thrown.cause instanceof Error ? innermost(thrown.cause) : thrown;
  const failureOf = (error: unknown): HttpFailure => {
    const thrown = innermost(error);
    if (signal.aborted) return "cancelled";
    if (limit.signal.aborted) return "timed_out";
    const { name, message } = thrown instanceof Error ? thrown : { name: "", message: "" };
    if (name === "NotCapable" || name === "PermissionDenied") return "not_allowed";
    return /client error \(Connect\)/.test(message) ? "not_connected" : "interrupted";
  };
  // Where a connection closes before the answer, the runtime sends a request again by itself, whatever its method,
  // unless its body is a stream: that can be read only once. So what changes something is always sent as one.
  const sent = request.access === "read" ? request.body : new Blob([request.body ?? ""]).stream();
  try {
    let response: Response;
    try {
      response = await fetch(request.url, {
        method: request.method,
        headers: request.headers,
        redirect: "manual",
        signal: AbortSignal.any([signal, limit.signal]),
        ...(sent === undefined ? {} : { body: sent }),
      });
    } catch (error) {
      const thrown = innermost(error);
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      return { answered: false, failure: failureOf(error), reason };
    }
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    let cut: HttpFailure | "too_large" | null = null;
    try {
      for await (const part of response.body ?? []) {
        length += part.length;
        if (length > request.maxBytes) {
          cut = "too_large";
          break;
        }
        parts.push(part);
      }
    } catch (thrown) {
      cut = failureOf(thrown);
    }
    const { status, headers } = response;
    const body = await new Blob(parts).text();
    return { answered: true, status, headers: Object.fromEntries(headers), body, cut };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Lets requests that are not encrypted go past every proxy that the environment names: they stay on this machine. To be
 * called before the first request of a thread, which reads these variables then.
 */
export function pastProxies(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:") return;
  for (const name of ["NO_PROXY", "no_proxy"]) {
    const hosts = (Deno.env.get(name) ?? "").split(",").filter((host) => host !== "");
    const all = new Set([...hosts, hostname, hostname.replace(/^\[|\]$/g, "")]);
    if (all.size > hosts.length) Deno.env.set(name, [...all].join(","));
  }
}

/** The end of a request that was given up before it was sent. */
export const NOT_SENT: HttpResult = {
  answered: false,
  failure: "cancelled",
  reason: "It was given up before it was sent",
};

/** Requests to wherever this process may go. */
export const realHttp: Http = {
  async send({ signal, ...request }) {
    if (signal?.aborted) return NOT_SENT;
    pastProxies(request.url);
    return await exchange(request, signal ?? new AbortController().signal);
  },
  forgo() {},
};
