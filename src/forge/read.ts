/** Reads members of what a forge answers, of which nothing is sure. */

import { type Fields, fieldsOf, isObject, memberAt } from "../base/object.ts";
import type { Checks, PullRequest, Slug } from "./port.ts";

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
