/** Requests over HTTP. */

import type {
  Http,
  HttpFailure,
  HttpRequest,
  HttpResult,
  Listener,
  Loopback,
  PortHolder,
} from "../mod.ts";
import { run } from "./run.ts";

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
  // Where a connection closes before the answer, the runtime repeats a request by itself, whatever its method.
  // It does not where the body is a stream, which can be read only once. So what changes something is always
  // sent as a stream.
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
function pastProxies(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:") return;
  for (const name of ["NO_PROXY", "no_proxy"]) {
    const hosts = (Deno.env.get(name) ?? "").split(",").filter((host) => host !== "");
    const all = new Set([...hosts, hostname, hostname.replace(/^\[|\]$/g, "")]);
    if (all.size > hosts.length) Deno.env.set(name, [...all].join(","));
  }
}

/** The end of a request that was given up before it was sent. */
const NOT_SENT: HttpResult = {
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

// Gives up the network but for one server, for the rest of this process (STOCKTRIM-12). The runtime can take a
// permission away from a program, but where all of the network was granted it cannot take away all but one server. A
// worker can be started with just that one. So a worker gets it and does nothing but send requests there, and this
// thread keeps nothing.

/** What the worker is told: a request with its number, or the number of one to give up. */
type Message =
  | { readonly id: number; readonly request: Omit<HttpRequest, "signal"> }
  | { readonly id: number; readonly request: null };

/** The whole program of the worker. */
function program(): string {
  return `const exchange = ${String(exchange)};
    const running = new Map();
    self.onmessage = async ({ data: { id, request } }) => {
      if (request === null) return running.get(id)?.abort();
      const control = new AbortController();
      running.set(id, control);
      const result = await exchange(request, control.signal);
      running.delete(id);
      self.postMessage({ id, result });
    };`;
}

/** Host and port of a URL as the runtime's permissions name them. */
function hostOf(origin: string): string {
  const { hostname, port, protocol } = new URL(origin);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

function startWorker(host: string): Worker {
  return new Worker(`data:application/javascript,${encodeURIComponent(program())}`, {
    type: "module",
    name: "network",
    deno: {
      permissions: {
        net: [host],
        env: false,
        ffi: false,
        import: false,
        read: false,
        run: false,
        sys: false,
        write: false,
      },
    },
  });
}

/** The thread that has the network, and what it was asked. */
class Messenger {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (result: HttpResult) => void>();
  #last = 0;

  constructor(host: string) {
    this.#worker = startWorker(host);
    this.#worker.onmessage = ({ data }: MessageEvent<{ id: number; result: HttpResult }>) => {
      this.#waiting.get(data.id)?.(data.result);
      this.#waiting.delete(data.id);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      for (const settle of this.#waiting.values()) {
        settle({ answered: false, failure: "interrupted", reason: event.message });
      }
      this.#waiting.clear();
    };
  }

  async send({ signal, ...request }: HttpRequest): Promise<HttpResult> {
    if (signal?.aborted) return NOT_SENT;
    const id = ++this.#last;
    const giveUp = () => this.#tell({ id, request: null });
    const answer = new Promise<HttpResult>((resolve) => this.#waiting.set(id, resolve));
    this.#tell({ id, request });
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      return await answer;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  #tell(message: Message): void {
    this.#worker.postMessage(message);
  }
}

const FORGONE: HttpResult = {
  answered: false,
  failure: "not_allowed",
  reason: "This program has given up the network",
};

/**
 * Requests to the server of `origin`, a URL, and to no other; none at all with null. With the first request, or when
 * it is forgone, this process loses the network for good, but for the worker that has that one server. At once it
 * loses what loads code of others.
 */
export function confinedHttp(origin: string | null): Http {
  // Nothing here loads code of others, in whatever language.
  for (const name of ["ffi", "import"] as const) Deno.permissions.revokeSync({ name });
  let messenger: Messenger | null = null;
  let open = true;
  const close = () => {
    open = false;
    Deno.permissions.revokeSync({ name: "net" });
  };
  return {
    async send(request) {
      if (open && origin !== null) {
        pastProxies(origin);
        messenger = new Messenger(hostOf(origin));
      }
      if (open) close();
      return await messenger?.send(request) ?? FORGONE;
    },
    forgo() {
      if (open) close();
    },
  };
}

// HTTP between programs of this machine.

/** No answer that is asked for is longer. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** How long looking for the holder of a port may take. */
const LOOKING_MS = 5_000;

async function printed(command: string, args: readonly string[]): Promise<string> {
  return (await run({ command, args, timeoutMs: LOOKING_MS })).stdout;
}

/** The inodes of the sockets that listen on a port, by what the kernel lists. */
function listening(tables: string, port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return tables.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    return local.endsWith(ending) && state === "0A" && inode !== undefined ? [inode] : [];
  });
}

/** The process that has a socket which listens on a port. */
async function pidOn(port: number): Promise<number | null> {
  if (Deno.build.os !== "linux") {
    const found = await printed("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-t"]);
    return Number.parseInt(found, 10) || null;
  }
  // Reading /proc directly would need the permission for everything, and lsof is not on every machine.
  const [inode] = listening(await printed("cat", ["/proc/net/tcp", "/proc/net/tcp6"]), port);
  if (inode === undefined) return null;
  const found = await printed("find", [
    "/proc",
    "-maxdepth",
    "3",
    "-path",
    "/proc/[0-9]*/fd/*",
    "-lname",
    `socket:\\[${inode}\\]`,
  ]);
  return Number.parseInt(found.split("/")[2] ?? "", 10) || null;
}

async function holder(port: number): Promise<PortHolder | null> {
  if (Deno.build.os === "windows") return null;
  const pid = await pidOn(port);
  if (pid === null) return null;
  const command = (await printed("ps", ["-o", "comm=", "-p", String(pid)])).trim();
  return { pid, command: command === "" ? null : command.replace(/^.*\//, "") };
}

function listen(
  hostname: string,
  port: number,
  answer: (request: Request) => Promise<Response>,
): Promise<Listener | null> {
  const end = new AbortController();
  try {
    const server = Deno.serve({ hostname, port, signal: end.signal, onListen() {} }, answer);
    return Promise.resolve({
      port: server.addr.port,
      async close(graceMs) {
        const timer = setTimeout(() => end.abort(), graceMs);
        await server.shutdown();
        clearTimeout(timer);
      },
    });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return Promise.resolve(null);
    throw error;
  }
}

/** The loopback network of this machine. */
export const realLoopback: Loopback = {
  isAllowed: () =>
    Deno.permissions.querySync({ name: "net", host: "127.0.0.1" }).state === "granted",
  listen,
  holder,
  stateOf(hostname, port) {
    try {
      Deno.listen({ hostname, port }).close();
      return "free";
    } catch (error) {
      return error instanceof Deno.errors.AddrInUse ? "taken" : "refused";
    }
  },
  async get(host, port, path, timeoutMs) {
    // Unlike fetch it goes through no proxy, whatever the environment names.
    const { get } = await import("node:http");
    return await new Promise((resolve) => {
      const request = get(
        { host, port, path, agent: false, signal: AbortSignal.timeout(timeoutMs) },
        (response) => {
          let body = "";
          response.setEncoding("utf8");
          response.on("data", (part: string) => {
            body += part;
            if (body.length > MAX_ANSWER_BYTES) request.destroy();
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
          response.on("error", () => resolve(null));
          response.on("close", () => resolve(null));
        },
      );
      request.on("error", () => resolve(null));
    });
  },
};
