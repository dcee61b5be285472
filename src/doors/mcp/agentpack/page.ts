/**
 * Plans and drift that are longer than an answer may be: what can lose something first, the rest counted by
 * directory, and a cursor that leads to it (PACK-47).
 *
 * @module
 */

import {
  AgentpackError,
  BY_CHANGE,
  BY_DRIFT,
  type Change,
  type DriftItem,
  review,
} from "../../../apps/agentpack/mod.ts";
import { inPieces, type Pause, type Pieces } from "../../../base/async/piecemeal.ts";
import type { Envelope } from "../../../pipeline/agentpack/envelope.ts";
import { canonicalHash } from "../../../base/policy/fingerprint.ts";
import { isWithin, MAX_RESULT } from "../limits.ts";

/** The argument that asks for what an earlier answer left out. */
export const CURSOR = "cursor";

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

/** A list that is shown in parts. */
interface Window {
  readonly total: number;
  /** By kind. */
  readonly counts: object;
  /** The data with only what stands between two positions, and where the rest lies. */
  readonly cut: (from: number, to: number) => { readonly data: object; readonly rest: object };
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
function* planWindow(data: ListLike, changes: readonly Change[]): Pieces<Window> {
  const { ordered, counts, without } = yield* review(changes, BY_CHANGE, MOST_DIRECTORIES);
  const files = yield* diffsOf(data);
  const { plan, diff } = data;
  const cut = (from: number, to: number) => {
    const shown = ordered.slice(from, to);
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
function* driftWindow(data: ListLike, drift: readonly DriftItem[]): Pieces<Window> {
  const { ordered, counts, without } = yield* review(drift, BY_DRIFT, MOST_DIRECTORIES);
  const cut = (from: number, to: number) => {
    const shown = ordered.slice(from, to);
    return { data: { ...data, drift: shown }, rest: without(shown) };
  };
  return { total: ordered.length, counts, cut };
}

/** Where a cursor leads: to items of one list only. */
function offsetOf(cursor: string, tool: string, total: number, mark: string): number {
  const [, offset = "", of] = /^(\d{1,9})-([0-9a-f]{12})$/.exec(cursor) ?? [];
  if (of === undefined) {
    throw new AgentpackError("E_INVALID_ARGUMENTS", `Cannot call ${tool}: "cursor" is not one`, {
      tool,
      argument: CURSOR,
      hint: "Pass the next_cursor of an earlier answer, or leave it out to begin",
    });
  }
  if (of !== mark || Number(offset) >= total) {
    throw new AgentpackError(
      "E_PLAN_STALE",
      "What there is to show is not what it was when the cursor was handed out",
      { hint: `Begin again: call ${tool} without cursor` },
    );
  }
  return Number(offset);
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

/** Which tool shows a plan or drift, and from where on. */
interface PageRequest {
  readonly tool: string;
  /** Null to begin. */
  readonly cursor: string | null;
  /** Whether the tool takes a cursor. */
  readonly leadsOn: boolean;
}

/** What is said about a list that is cut. */
function saidOf(data: ListLike, total: number, shown: number): string {
  const list = data.drift === undefined
    ? `The plan has ${total} changes, of which this answer shows ${shown}, deletes, adopts and edits first`
    : `There are ${total} differences, of which this answer shows ${shown}, edits first`;
  return `${list}. data.review counts all of them by kind, and those that are not shown by directory`;
}

/**
 * An answer with as much of its plan or drift as fits: all of it where that is possible; else the gravest items, how
 * many there are of which kind, and in which directories those lie that are not shown. A token goes only with a plan
 * that is told whole in this way. Throws `E_INVALID_ARGUMENTS` and `E_PLAN_STALE` for a cursor that leads nowhere, and
 * what `pause` throws.
 */
export async function planPage(
  envelope: Envelope,
  { tool, cursor, leadsOn }: PageRequest,
  pause: Pause,
): Promise<Envelope> {
  const data: ListLike = envelope.data;
  const changes = data.plan?.changes ?? data.changes;
  const list = data.drift ?? changes;
  if (!envelope.ok || list === undefined) return envelope;
  if (cursor === null && isWithin({ ...envelope })) return envelope;
  const mark = (await inPieces(canonicalHash(list), pause)).slice(0, 12);
  const offset = cursor === null ? 0 : offsetOf(cursor, tool, list.length, mark);
  const { total, counts, cut } = await inPieces(
    data.drift === undefined ? planWindow(data, changes ?? []) : driftWindow(data, data.drift),
    pause,
  );
  const page = (size: number): Envelope => {
    const end = offset + size;
    const next = leadsOn && end < total ? `${end}-${mark}` : null;
    const { data: shown, rest } = cut(offset, end);
    const way = next === null
      ? ""
      : `; for the next ones call ${tool} again with the same arguments and cursor="${next}", or name a target`;
    return {
      ...envelope,
      data: {
        ...shown,
        review: { total, from: offset, shown: size, counts, not_shown: rest, next_cursor: next },
      },
      warnings: [
        ...(size === total ? [] : [`${saidOf(data, total, size)}${way}`]),
        ...cutWarnings(envelope.warnings),
      ],
    };
  };
  const most = Math.min(total - offset, MAX_RESULT / LEAST_ITEM);
  let [fits, tooMany] = [0, most + 1];
  while (tooMany - fits > 1) {
    const size = Math.floor((fits + tooMany) / 2);
    if (isWithin({ ...page(size) })) fits = size;
    else tooMany = size;
    await pause();
  }
  return withoutBlindToken(page(Math.max(fits, cursor === null ? 0 : 1)));
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
