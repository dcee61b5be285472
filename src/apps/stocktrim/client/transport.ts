/**
 * Requests to the service: one deadline for all of a call, reads again where that may help (STOCKTRIM-11), changes once
 * (STOCKTRIM-9).
 */

import { AmofError, type ErrorCode } from "../../../base/error.ts";
import type { HttpFailure, HttpRequest, HttpResult, System } from "../../../base/system/mod.ts";
import type { Account } from "./account.ts";
import { fieldsOf, isObject, jsonIn } from "../../../base/object.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";

/** No more of what the service said is repeated. */
const LONGEST = 500;

/** What the service said for itself: a problem's title and detail, or the beginning of its text. */
function wordsOf(body: string): string {
  const text = body.trim();
  if (text === "") return "";
  if (/^<(?:!doctype|html|\?xml)/i.test(text)) {
    const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? "";
    return cleanLine(title, LONGEST) === "" ? "a page of HTML" : `a page titled "${title}"`;
  }
  const problem = jsonIn(text);
  if (problem === undefined) return text;
  if (!isObject(problem)) return typeof problem === "string" ? problem : text;
  const { title, detail, message, errors } = problem;
  const said = [title, detail, message].filter((part) => typeof part === "string" && part !== "");
  const invalid = Object.entries(fieldsOf(errors)).map(([name, why]) =>
    `${name}: ${Array.isArray(why) ? why.map(String).join(" ") : String(why)}`
  );
  return [...said, ...invalid].join(": ") || text;
}

function codeOf(status: number): ErrorCode {
  if (status === 401 || status === 403) return "stocktrim_auth_failed";
  return status >= 400 && status < 500 && status !== 408 && status !== 429
    ? "stocktrim_refused"
    : "stocktrim_failed";
}

/** What the service is told to have done. */
function verdictOf(status: number): string {
  if (status === 401) return "StockTrim does not accept the credentials";
  if (status === 403) return "StockTrim does not allow it to this account";
  if (status === 429) return "StockTrim answers no more requests for now";
  if (status >= 300 && status < 400) {
    return `StockTrim answered with a redirect (${status}), which is not followed`;
  }
  return codeOf(status) === "stocktrim_refused"
    ? `StockTrim refused it (${status})`
    : `StockTrim failed (${status})`;
}

/** An answer that is no success. `what` follows "Cannot". */
export function serviceError(
  what: string,
  answer: { readonly status: number; readonly body: string },
  secrets: readonly string[],
  retryAfterMs: number | null = null,
): AmofError {
  const { status } = answer;
  // Should it repeat the secrets that were sent to it, they are not passed on.
  const words = secrets.reduce(
    (rest, secret) => rest.replaceAll(secret, "***"),
    wordsOf(answer.body),
  );
  const said = cleanLine(words, LONGEST);
  const wait = retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1_000);
  return new AmofError(
    codeOf(status),
    `Cannot ${what}: ${verdictOf(status)}${said === "" ? "" : `: ${said}`}`,
    {
      ...(wait === null ? {} : { hint: `Repeat after ${wait} s: that is what StockTrim asks for` }),
      details: { status, ...(wait === null ? {} : { retry_after_s: wait }) },
    },
  );
}

const UNREACHED: Readonly<Record<HttpFailure, string>> = {
  not_connected: "there is no connection to StockTrim",
  not_allowed: "this program may only speak to the server that STOCKTRIM_BASE_URL names",
  interrupted: "the connection broke before the answer was whole",
  timed_out: "StockTrim did not answer in time",
  cancelled: "it was cancelled",
};

/** A request that got no answer, or none to its end. `what` follows "Cannot". */
function unanswered(what: string, failure: HttpFailure, reason: string): AmofError {
  const code = failure === "timed_out"
    ? "timeout"
    : failure === "cancelled"
    ? "cancelled"
    : "stocktrim_failed";
  // The runtime's words tell the cause of a failed connection, such as an unknown name, behind the URL.
  const cause = failure === "not_connected"
    ? cleanLine(/client error \(Connect\): (.*)$/.exec(reason)?.[1] ?? "", 200)
    : "";
  return new AmofError(
    code,
    `Cannot ${what}: ${UNREACHED[failure]}${cause === "" ? "" : `: ${cause}`}`,
    {
      ...(code === "stocktrim_failed" ? {} : { hint: "Repeat it when the service answers again" }),
      details: { kind: failure },
    },
  );
}

/** A change that was sent and of which nobody knows what became. `what` follows "Cannot". */
function unknownOutcome(what: string, because: string): AmofError {
  return new AmofError(
    "stocktrim_outcome_unknown",
    `Cannot tell whether StockTrim did it: ${what}: ${because}`,
  );
}

/** One operation of the service. */
export interface Operation {
  /** What is done, as it follows "Cannot". */
  readonly what: string;
  readonly method: HttpRequest["method"];
  /** Below the base URL; what is put into it is escaped already. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** How a change ended. */
export type ChangeOutcome<T> =
  /** The service said yes; `value` is what it then showed of the record, null where it showed nothing. */
  | { readonly state: "done"; readonly value: T | null }
  /** It was sent and no usable answer came: it may or may not have happened. Never to be sent again. */
  | { readonly state: "unknown"; readonly error: AmofError }
  /** The service refused or failed, or was never reached: it did not say that anything was changed. */
  | { readonly state: "failed"; readonly error: AmofError };

/** An answer with a good status, or the 404 that may mean "none". */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Waits before the second, third and fourth try of a read, in milliseconds; up to half of it is left to chance. */
const DELAYS_MS = [500, 1_500, 4_000];
/** Answers that may be others in a moment. */
const PASSING = [429, 502, 503, 504];
/** Behind these gateways the service may have done it. */
const GATEWAY = [502, 504];
/** A read is given up after this long, so that there is time for another try. */
const READ_MS = 20_000;
/** With less time left nothing is begun that cannot be repeated. */
const LEAST_FOR_CHANGE_MS = 2_000;
/** Far more than the largest list that was seen: 15,000 customers. */
const MOST_BYTES = 32 * 1024 * 1024;

/** How long the service asks to wait, in milliseconds; null where it does not say. */
function retryAfter(result: HttpResult, now: number): number | null {
  const said = result.answered ? result.headers["retry-after"]?.trim() : undefined;
  if (said === undefined || said === "") return null;
  const seconds = /^\d+$/.test(said) ? Number(said) : (Date.parse(said) - now) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : null;
}

function mayPass(result: HttpResult): boolean {
  if (result.answered) return PASSING.includes(result.status) || result.cut === "interrupted";
  return ["not_connected", "interrupted", "timed_out"].includes(result.failure);
}

/** Requests of one call. */
export class Transport {
  readonly #system: Pick<System, "http" | "clock" | "ids">;
  readonly #account: Account;
  readonly #signal: AbortSignal;
  readonly #deadline: number;

  constructor(
    at: { readonly system: Pick<System, "http" | "clock" | "ids">; readonly signal: AbortSignal },
    account: Account,
    budgetMs: number,
  ) {
    this.#system = at.system;
    this.#signal = at.signal;
    this.#account = account;
    this.#deadline = at.system.clock.now() + budgetMs;
  }

  /** Asks; again where the failure may pass and time is left, but only with GET. A 404 is an answer. */
  async read(operation: Operation): Promise<Answer> {
    for (let attempt = 0;; attempt++) {
      const result = await this.#send(operation, "read", READ_MS);
      const failed = this.#failureOfRead(operation, result);
      if (failed === null) return result as Answer & HttpResult;
      const delay = operation.method === "GET" && mayPass(result) ? DELAYS_MS[attempt] : undefined;
      if (delay === undefined || this.#signal.aborted) throw failed;
      const wait = retryAfter(result, this.#system.clock.now()) ?? this.#jittered(delay);
      // Where the wait would use up the time, the caller learns now how long it would be.
      if (wait >= this.#left()) throw failed;
      await this.#system.clock.sleep(wait, this.#signal);
      if (this.#signal.aborted) throw unanswered(operation.what, "cancelled", "");
    }
  }

  /** Changes something. It is sent once, whatever comes of it. */
  async change(operation: Operation): Promise<ChangeOutcome<Answer>> {
    const { what } = operation;
    const failed = (error: AmofError) => ({ state: "failed", error }) as const;
    const unknown = (why: string) =>
      ({ state: "unknown", error: unknownOutcome(what, why) }) as const;
    if (this.#signal.aborted) return failed(unanswered(what, "cancelled", ""));
    if (this.#left() < LEAST_FOR_CHANGE_MS) {
      const message = `Cannot ${what}: what came before it took so long that it was not begun`;
      return failed(new AmofError("timeout", message, { hint: "Nothing was changed: repeat it" }));
    }
    const result = await this.#send(operation, "write", Infinity);
    if (!result.answered) {
      const { failure, reason } = result;
      if (failure === "not_connected" || failure === "not_allowed") {
        return failed(unanswered(what, failure, reason));
      }
      return unknown(UNKNOWN[failure]);
    }
    if (result.status >= 200 && result.status < 300) return { state: "done", value: result };
    if (GATEWAY.includes(result.status)) {
      return unknown(`a gateway before the service answered ${result.status}`);
    }
    return failed(this.#refusal(operation, result));
  }

  /** What the service said, read as JSON; null where it said nothing. */
  json(operation: Operation, { body }: Answer): unknown {
    if (body.trim() === "") return null;
    const value = jsonIn(body);
    if (value !== undefined) return value;
    throw new AmofError(
      "stocktrim_failed",
      `Cannot ${operation.what}: what StockTrim answered cannot be read`,
      {
        hint: "Check that STOCKTRIM_BASE_URL names the StockTrim service",
        details: { kind: "answer" },
      },
    );
  }

  #left(): number {
    return this.#deadline - this.#system.clock.now();
  }

  #jittered(delay: number): number {
    return delay / 2 + (delay / 2) * (parseInt(this.#system.ids.hex(4), 16) / 0xffff);
  }

  async #send(
    { method, path, query, body }: Operation,
    access: "read" | "write",
    mostMs: number,
  ): Promise<HttpResult> {
    const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
    // Without its filter the service may delete the whole collection.
    if (
      method === "DELETE" &&
      (given.length === 0 || given.some(([, value]) => String(value).trim() === ""))
    ) {
      throw new TypeError(`DELETE ${path} has no filter`);
    }
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const timeoutMs = Math.min(mostMs, this.#left());
    if (this.#signal.aborted) return { answered: false, failure: "cancelled", reason: "" };
    if (timeoutMs <= 0) return { answered: false, failure: "timed_out", reason: "" };
    return await this.#system.http.send({
      method,
      url: `${this.#account.base}${path}${given.length > 0 ? `?${search}` : ""}`,
      headers: {
        "accept": "application/json",
        "api-auth-id": this.#account.id,
        "api-auth-signature": this.#account.signature,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      access,
      timeoutMs,
      maxBytes: MOST_BYTES,
      signal: this.#signal,
    });
  }

  #failureOfRead(operation: Operation, result: HttpResult): AmofError | null {
    const { what } = operation;
    if (!result.answered) return unanswered(what, result.failure, result.reason);
    const good = (result.status >= 200 && result.status < 300) || result.status === 404;
    if (!good) return this.#refusal(operation, result);
    if (result.cut === null) return null;
    if (result.cut !== "too_large") return unanswered(what, result.cut, "");
    return new AmofError(
      "stocktrim_failed",
      `Cannot ${what}: the answer is larger than ${MOST_BYTES / 1024 / 1024} MB`,
      { details: { kind: "too_large" } },
    );
  }

  #refusal({ what }: Operation, result: HttpResult & Answer): AmofError {
    const { id, signature } = this.#account;
    const wait = retryAfter(result, this.#system.clock.now());
    return serviceError(what, result, [id, signature], wait);
  }
}

const UNKNOWN: Readonly<Record<Exclude<HttpFailure, "not_connected" | "not_allowed">, string>> = {
  interrupted: "the connection broke before an answer came",
  timed_out: "no answer came in time",
  cancelled: "it was cancelled while StockTrim was at it",
};
