/**
 * Plans and drift that are longer than an answer may be: what can lose something first, and the rest counted by
 * directory (PACK-47).
 */

import {
  BY_CHANGE,
  BY_DRIFT,
  type Change,
  type DriftItem,
  review,
} from "../../../apps/agentpack/mod.ts";
import { inPieces, type Pause, type Pieces } from "../../../base/async/pool.ts";
import type { Envelope } from "../carry_out.ts";
import { isWithin, MAX_RESULT } from "../../mcp/result.ts";

/** How many directories an answer counts what it does not show by. */
const MOST_DIRECTORIES = 40;
/** How many characters of warnings stand beside a list that is cut. */
const MOST_WARNINGS = 5_000;
/** No item takes fewer characters. */
const LEAST_ITEM = 100;

interface FileLike {
  readonly target: string;
  readonly root: string;
  readonly path: string;
}

/** The data of an answer as far as it is about a plan or drift. */
interface ListLike {
  readonly changes?: readonly Change[];
  readonly plan?: { readonly changes: readonly Change[] };
  readonly diff?: { readonly changes: readonly Change[]; readonly files: readonly FileLike[] };
  readonly drift?: readonly DriftItem[];
  readonly confirm_token?: string;
}

/** A list of which only the beginning may be shown. */
interface Ordered {
  readonly total: number;
  /** By kind. */
  readonly counts: object;
  /** The data with only its first items, and where the others lie. */
  readonly cut: (most: number) => { readonly data: object; readonly rest: object };
}

/** The diffs of a plan by the place they are of. */
function* diffsOf({ diff }: ListLike): Pieces<ReadonlyMap<string, readonly [number, FileLike]>> {
  const found = new Map<string, readonly [number, FileLike]>();
  for (const [at, file] of (diff?.files ?? []).entries()) {
    const { target, root, path } = file;
    found.set(`${target}\0${path}`, [at, file]);
    found.set(`${target}\0${root}/${path}`, [at, file]);
    yield;
  }
  return found;
}

/** A plan, the gravest changes first. */
function* orderedPlan(data: ListLike, changes: readonly Change[]): Pieces<Ordered> {
  const { ordered, counts, without } = yield* review(changes, BY_CHANGE, MOST_DIRECTORIES);
  const files = yield* diffsOf(data);
  const { plan, diff } = data;
  const cut = (most: number) => {
    const shown = ordered.slice(0, most);
    const diffs = shown.flatMap(({ target, path }) => {
      const found = files.get(`${target}\0${path}`);
      return found === undefined ? [] : [found];
    }).sort(([a], [b]) => a - b).map(([, file]) => file);
    const part = {
      ...data,
      ...(plan === undefined ? { changes: shown } : { plan: { ...plan, changes: shown } }),
      ...(diff === undefined ? {} : { diff: { ...diff, changes: shown, files: diffs } }),
    };
    return { data: part, rest: without(shown) };
  };
  return { total: ordered.length, counts, cut };
}

/** Drift, edits first. */
function* orderedDrift(data: ListLike, drift: readonly DriftItem[]): Pieces<Ordered> {
  const { ordered, counts, without } = yield* review(drift, BY_DRIFT, MOST_DIRECTORIES);
  const cut = (most: number) => {
    const shown = ordered.slice(0, most);
    return { data: { ...data, drift: shown }, rest: without(shown) };
  };
  return { total: ordered.length, counts, cut };
}

function cutWarnings(warnings: readonly string[]): string[] {
  const kept: string[] = [];
  let left = MOST_WARNINGS;
  for (const warning of warnings) {
    left -= warning.length;
    if (left < 0) break;
    kept.push(warning);
  }
  const more = warnings.length - kept.length;
  return more === 0 ? kept : [...kept, `And ${more} more warnings like these`];
}

/** What is said about a list that is cut. */
function saidOf(data: ListLike, total: number, shown: number): string {
  const [list, command] = data.drift === undefined
    ? [
      `The plan has ${total} changes, of which this answer shows ${shown}, deletes, adopts and edits first`,
      "plan",
    ]
    : [
      `There are ${total} differences, of which this answer shows ${shown}, edits first`,
      "status",
    ];
  return `${list}. data.review counts all of them by kind, and those that are not shown by directory. A target narrows it; at a terminal all of it is shown by: amof agentpack ${command}`;
}

/**
 * An answer with as much of its plan or drift as fits: all of it where that is possible. Else it has the gravest items,
 * how many there are of which kind, and in which directories those lie that are not shown. A token goes only with a plan
 * that is told whole in this way. Throws what `pause` throws.
 */
export async function cutToFit(envelope: Envelope, pause: Pause): Promise<Envelope> {
  const data: ListLike = envelope.data;
  const changes = data.plan?.changes ?? data.changes;
  const list = data.drift ?? changes;
  if (!envelope.ok || list === undefined || isWithin({ ...envelope })) return envelope;
  const { total, counts, cut } = await inPieces(
    data.drift === undefined ? orderedPlan(data, changes ?? []) : orderedDrift(data, data.drift),
    pause,
  );
  const beginning = (shown: number): Envelope => {
    const { data: part, rest } = cut(shown);
    return {
      ...envelope,
      data: { ...part, review: { total, shown, counts, not_shown: rest } },
      warnings: [
        ...(shown === total ? [] : [saidOf(data, total, shown)]),
        ...cutWarnings(envelope.warnings),
      ],
    };
  };
  let [fits, tooMany] = [0, Math.min(total, MAX_RESULT / LEAST_ITEM) + 1];
  while (tooMany - fits > 1) {
    const shown = Math.floor((fits + tooMany) / 2);
    if (isWithin({ ...beginning(shown) })) fits = shown;
    else tooMany = shown;
    await pause();
  }
  return withoutBlindToken(beginning(fits));
}

/** A token for a plan that not even its summary fits of would be consent to what nobody saw. */
function withoutBlindToken(envelope: Envelope): Envelope {
  const data: ListLike = envelope.data;
  if (data.confirm_token === undefined || isWithin({ ...envelope })) return envelope;
  const members = Object.entries(data).filter(([name]) => !name.startsWith("confirm_"));
  return {
    ...envelope,
    data: Object.fromEntries(members),
    warnings: [
      "No token was handed out, because the plan is too long to be shown; name a target",
      ...envelope.warnings,
    ],
  };
}
