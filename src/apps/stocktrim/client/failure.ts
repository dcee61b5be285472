/** What an answer of the service that is no success says, as an error of this program. */

import { AmofError, type ErrorCode } from "../../../base/error.ts";
import { fieldsOf, isObject } from "../../../base/object.ts";
import type { HttpFailure } from "../../../base/system/mod.ts";
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
  let problem: unknown;
  try {
    problem = JSON.parse(text);
  } catch {
    return text;
  }
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
export function unanswered(what: string, failure: HttpFailure, reason: string): AmofError {
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
export function unknownOutcome(what: string, because: string): AmofError {
  return new AmofError(
    "stocktrim_outcome_unknown",
    `Cannot tell whether StockTrim did it: ${what}: ${because}`,
  );
}
