/** How a shard ended, in few bytes: for engines that keep little of it (SHARD-6). */

import { fieldsOf, isObject } from "../../base/object.ts";
import type { ItemEnd, ShardLine } from "./line.ts";

/** An engine keeps so many bytes. */
const MOST_BYTES = 4_000;

/** States by their letters. */
const LETTERS = {
  o: "ok",
  f: "failed",
  t: "timed_out",
  r: "refused",
  u: "unreachable",
  d: "deferred",
  c: "cancelled",
} as const satisfies Record<string, ItemEnd["state"]>;

function letterOf(state: ItemEnd["state"]): string {
  return Object.entries(LETTERS).find(([, name]) => name === state)?.[0] ?? "f";
}

/** What is kept of the end of a shard: as many items as there is room for, those that did not end well first. */
export function summaryOf(
  place: Pick<ShardLine, "run" | "shard" | "attempt">,
  { exit, ends, refused }: {
    readonly exit: number;
    readonly ends: readonly ItemEnd[];
    /** Why the plan was refused, or null. */
    readonly refused: string | null;
  },
): string {
  const items = ends.toSorted((a, b) => Number(a.state === "ok") - Number(b.state === "ok"))
    .map(({ i, state, exit_code }) => [i, letterOf(state), exit_code ?? -1]);
  for (let kept = items.length;; kept = Math.floor(kept * 0.9)) {
    const why = refused === null ? {} : { why: refused.slice(0, 500) };
    const text = JSON.stringify({ amof: 1, ...place, exit, ...why, items: items.slice(0, kept) });
    if (text.length <= MOST_BYTES || kept === 0) return text;
  }
}

/** The lines a summary stands for; none for anything else. Names of repositories are not kept. */
export function linesOfSummary(text: string, run: string, shard: number): readonly ShardLine[] {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isObject(found) || found["amof"] !== 1) return [];
  if (found["run"] !== run || found["shard"] !== shard) return [];
  const { attempt, exit, why, items } = fieldsOf(found);
  const place = { amof: 1 as const, run, shard, attempt: String(attempt), seq: -1 };
  const ends = (Array.isArray(items) ? items : []).flatMap((item): ShardLine[] => {
    const [i, letter, code] = Array.isArray(item) ? item : [];
    const state = Object.entries(LETTERS).find(([one]) => one === letter)?.[1];
    if (typeof i !== "number" || state === undefined) return [];
    const exit_code = typeof code === "number" && code >= 0 ? code : null;
    const rest = { signal: null, seconds: 0, why: null, commit: null, tail: [] };
    return [{ ...place, type: "item", i, repo: "", state, exit_code, ...rest }];
  });
  return [
    ...(typeof why === "string" ? [{ ...place, type: "refused" as const, why }] : []),
    ...ends,
    { ...place, type: "end", exit: Number(exit), sha256: "" },
  ];
}
