/** What forges answer, and what they refuse. */

import { AmofError } from "../base/error.ts";
import { type Fields, fieldsOf, isObject, memberAt } from "../base/object.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { shellWord } from "../base/text/words.ts";
import type {
  Checks,
  ForgeAnswer,
  ForgeKind,
  ForgeRequest,
  ForgeTransport,
  PullRequest,
  Slug,
} from "./port.ts";

// What forges refuse, in our words (CHANGE-6). What they say themselves is quoted, cut and cleaned, and decides nothing.

/** The words of a forge about a refusal, for a person; empty where it has none. */
export function wordsOf({ body }: Pick<ForgeAnswer, "body">): string {
  const { message, error, errors } = fieldsOf(body);
  const more = Array.isArray(errors)
    ? errors.map((one: unknown) => typeof one === "string" ? one : fieldsOf(one)["message"])
    : [];
  const said = [message, error, ...more].flatMap((one) =>
    typeof one === "string" ? [one] : Array.isArray(one) ? one.map(String) : []
  );
  return cleanLine([...new Set(said)].join("; "), 200);
}

/**
 * How many milliseconds from `now` a forge wants to be left alone; null where an answer is not about that. Without a
 * time that can be read it is a minute.
 */
export function limitOf({ status, headers, body }: ForgeAnswer, now: number): number | null {
  if (status !== 403 && status !== 429) return null;
  const after = headers.get("retry-after") ?? "";
  const wait = /^[0-9]+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now;
  if (Number.isFinite(wait)) return Math.max(0, wait);
  const remaining = headers.get("x-ratelimit-remaining") ?? headers.get("ratelimit-remaining");
  const isLimit = status === 429 || remaining === "0" ||
    /rate limit/i.test(String(fieldsOf(body)["message"] ?? ""));
  if (!isLimit) return null;
  const reset = Number(
    headers.get("x-ratelimit-reset") ?? headers.get("ratelimit-reset") ?? Number.NaN,
  );
  return Number.isFinite(reset) ? Math.max(0, reset * 1000 - now) : 60_000;
}

const NO_RIGHT = "you have no right to merge there";
const MOVED = "something was pushed to it in the same moment";

/** What the statuses mean with which each kind of forge answers a merge that it does not do. */
const UNMERGED: Readonly<Record<ForgeKind, Readonly<Record<number, string>>>> = {
  github: {
    403: NO_RIGHT,
    404: NO_RIGHT,
    405:
      "a rule of the repository or of the base branch is in the way, or this way of merging is not allowed",
    409: MOVED,
    422:
      "this way of merging is not allowed there, or it does not go together with its base branch",
  },
  gitlab: {
    // Who may read but not merge is answered as one who is not signed in.
    401: NO_RIGHT,
    403: NO_RIGHT,
    404: NO_RIGHT,
    405: "it is a draft, its pipeline has not passed, or an approval or a discussion is open",
    406: "it does not go together with its base branch",
    409: MOVED,
    422: "it does not go together with its base branch",
  },
  gitea: {
    403: NO_RIGHT,
    404: NO_RIGHT,
    405: "a rule of the base branch is in the way, or this way of merging is not allowed",
    409: `${MOVED}, or it does not go together with its base branch`,
    423: "the repository is archived",
  },
};

/** Why a forge does not merge, in our words; what it says itself is quoted behind them. */
export function unmerged(kind: ForgeKind, answer: ForgeAnswer): string {
  const { status } = answer;
  const why = UNMERGED[kind][status] ??
    (status >= 500
      ? `the forge has an error of its own, ${status}`
      : `the forge refuses it, ${status}`);
  const said = wordsOf(answer);
  return said === "" ? why : `${why} (it says: ${said})`;
}

/** The line that leads to the page of a pull request, by the user's own program where a kind of forge has one. */
export function pageLine(
  kind: ForgeKind,
  { site, owner, name }: Slug,
  { number, url }: Pick<PullRequest, "number" | "url">,
): string {
  if (kind === "github") return `See its page: gh pr view ${shellWord(url)} --web`;
  if (kind === "gitea") return `See its page, ${url}`;
  return `See its page: glab mr view ${number} --repo ${
    shellWord(`${site}/${owner}/${name}`)
  } --web`;
}

/** The error of an answer that is none of those that were hoped for. `what` is "open a pull request". */
export function forgeError(
  answer: ForgeAnswer,
  what: string,
  { owner, name, host }: Slug,
): AmofError {
  const { status } = answer;
  const where = `${owner}/${name} of ${host}`;
  const said = wordsOf(answer);
  const quoted = said === "" ? "" : ` (it says: ${said})`;
  const details = { host, repository: `${owner}/${name}`, status };
  const failed = (why: string, hint?: string) =>
    new AmofError("forge_failed", `Cannot ${what} in ${where}: ${why}${quoted}`, {
      ...(hint === undefined ? {} : { hint }),
      details,
    });
  if (status === 404 || status === 410) {
    return failed(
      "there is no such repository or pull request, or you have no right to see it",
      "Check the address in the manifest, and that your account has rights there",
    );
  }
  if (status === 403) {
    return failed(
      "you have no right to do that",
      "Ask an owner of the repository, or sign in with another account",
    );
  }
  if (status >= 300 && status < 400) {
    return failed("it has moved", "Write its new address into the manifest");
  }
  if (status >= 500) return failed(`the forge has an error of its own, ${status}`);
  return failed(`the forge refuses it, ${status}`);
}

/** One repository at the end of a way. */
export class Rest {
  readonly slug: Slug;
  readonly #way: ForgeTransport;

  constructor(slug: Slug, way: ForgeTransport) {
    this.slug = slug;
    this.#way = way;
  }

  /** Whatever is answered. */
  ask(request: ForgeRequest): Promise<ForgeAnswer> {
    return this.#way.call(request);
  }

  /** The body of an answer that is no refusal; else throws `forge_failed`, in words about `what` was tried. */
  async must(what: string, request: ForgeRequest): Promise<unknown> {
    const answer = await this.ask(request);
    if (answer.status >= 300) throw forgeError(answer, what, this.slug);
    return answer.body;
  }

  /** What is at a path. */
  get(path: string, what = "read pull requests"): Promise<unknown> {
    return this.must(what, { method: "GET", path });
  }

  /** What is at a path, or null where there is nothing that one may see. */
  async peek(path: string): Promise<unknown> {
    const answer = await this.ask({ method: "GET", path });
    if (answer.status === 404 || answer.status === 403) return null;
    if (answer.status >= 300) throw forgeError(answer, "read pull requests", this.slug);
    return answer.body;
  }
}

// Reads members of what a forge answers, of which nothing is sure.

/** The text at a path of a value; empty where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = memberAt(value, path);
  return typeof found === "string" ? found : "";
}

/** The number at a path of a value; 0 where there is none. */
export function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = memberAt(value, path);
  return typeof found === "number" && Number.isFinite(found) ? found : 0;
}

/** The objects of the list at a path of a value; none where there is no list. */
export function rowsAt(value: unknown, ...path: readonly string[]): readonly Fields[] {
  const found = memberAt(value, path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** A commit's name at a path; empty where something else stands there. */
export function shaAt(value: unknown, ...path: readonly string[]): string {
  const found = textAt(value, ...path);
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(found) ? found : "";
}

/** The address that a forge says a page has, where it is one of its own site; else the one it is known to have. */
export function pageAt(said: string, { site }: Pick<Slug, "site">, known: string): string {
  const url = URL.parse(said);
  const own = URL.parse(site);
  const isOwn = url !== null && own !== null && url.host === own.host && url.username === "" &&
    url.password === "" && /^https?:$/.test(url.protocol) && /^[\x21-\x7e]{1,1000}$/.test(said);
  return isOwn ? said : known;
}

/** One check: what it is called, and how it ended; null while it goes on. */
export interface OneCheck {
  readonly name: string;
  readonly passed: boolean | null;
}

/** What checks come to. One of a name that is there twice counts as its newest, which stands first. */
export function checksOf(all: readonly OneCheck[]): Checks {
  const newest = new Map<string, OneCheck>();
  for (const check of all) if (!newest.has(check.name)) newest.set(check.name, check);
  const checks = [...newest.values()];
  const named = (passed: boolean | null) =>
    checks.filter((check) => check.passed === passed).map(({ name }) => name);
  const [failed, pending] = [named(false), named(null)];
  return {
    state: checks.length === 0
      ? "none"
      : failed.length > 0
      ? "failure"
      : pending.length > 0
      ? "pending"
      : "success",
    total: checks.length,
    failed,
    pending,
  };
}

/** A verdict of a reviewer about a commit. */
export interface Verdict {
  readonly who: string;
  readonly verdict: "approved" | "changes_requested" | "dismissed";
  readonly sha: string;
}

/** What verdicts come to, the newest of each person last; `required` where the forge waits for more. */
export function reviewOf(
  verdicts: readonly Verdict[],
  head: string,
  required: boolean,
): {
  readonly state: "approved" | "changes_requested" | "required" | "none";
  readonly approvals: number;
  readonly stale: number;
} {
  const last = new Map(verdicts.map((verdict) => [verdict.who, verdict]));
  const all = [...last.values()];
  const approvals = all.filter(({ verdict }) => verdict === "approved");
  return {
    state: all.some(({ verdict }) => verdict === "changes_requested")
      ? "changes_requested"
      : required
      ? "required"
      : approvals.length > 0
      ? "approved"
      : "none",
    approvals: approvals.length,
    stale: approvals.filter(({ sha }) => sha !== "" && sha !== head).length,
  };
}

/** The open pull request of these branches in a list, else the first of them, which is the newest. */
export function bestOf(
  changes: readonly PullRequest[],
  { head, base }: { readonly head: string; readonly base: string },
): PullRequest | null {
  const own = changes.filter((one) => one.head.branch === head && one.base.branch === base);
  return own.find(({ state }) => state === "open") ?? own[0] ?? null;
}

/** A query of an address. */
export function queryOf(members: Fields): string {
  return new URLSearchParams(
    Object.entries(members).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

/** The names at a member of each row of a list. */
export function namesAt(value: unknown, list: string, member: string): readonly string[] {
  return rowsAt(fieldsOf(value), list).map((row) => textAt(row, member)).filter((name) =>
    name !== ""
  );
}
