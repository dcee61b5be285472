/**
 * Plans that are longer than an answer may be: what can lose something first, the rest counted by directory, and a
 * cursor that leads to it (PACK-47).
 *
 * @module
 */

import {
  AgentpackError,
  byDirectory,
  byGravity,
  type Change,
  reviewCounts,
} from "../../agentpack/mod.ts";
import type { Envelope } from "../../command/agentpack/envelope.ts";
import { sha256 } from "../../hash.ts";
import { canonicalJson } from "../../policy/fingerprint.ts";
import { isWithin } from "../limits.ts";

/** The argument that asks for what an earlier answer left out. */
export const CURSOR = "cursor";

/** How many directories an answer counts changes by. */
const MOST_DIRECTORIES = 40;
/** How many characters of warnings stand beside a plan that is cut. */
const MOST_WARNINGS = 5_000;

/** The data of an answer as far as it is about a plan. */
interface PlanLike {
  readonly changes?: readonly Change[];
  readonly plan?: { readonly changes: readonly Change[] };
  readonly diff?: {
    readonly changes: readonly Change[];
    readonly files: readonly { readonly target: string; readonly root: string; path: string }[];
  };
  readonly confirm_token?: string;
}

function changesOf(data: PlanLike): readonly Change[] | null {
  return data.plan?.changes ?? data.changes ?? null;
}

/** The same answer with only some of its changes. */
function withChanges(data: PlanLike, shown: readonly Change[]): PlanLike {
  if (data.plan === undefined) return { ...data, changes: shown };
  const { plan, diff } = data;
  const paths = new Set(shown.map(({ target, path }) => `${target}\0${path}`));
  const files =
    diff?.files.filter(({ target, root, path }) =>
      paths.has(`${target}\0${path}`) || paths.has(`${target}\0${root}/${path}`)
    ) ?? [];
  return {
    ...data,
    plan: { ...plan, changes: shown },
    ...(diff === undefined ? {} : { diff: { ...diff, changes: shown, files } }),
  };
}

/** Where a cursor leads: to changes of one plan only. */
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
      "The plan is not the one that the cursor leads on in",
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

/** Which tool shows a plan, and from where on. */
export interface PageRequest {
  readonly tool: string;
  /** Null to begin. */
  readonly cursor: string | null;
  /** Whether the tool takes a cursor. */
  readonly leadsOn: boolean;
}

/**
 * An answer with as much of its plan as fits: all of it where that is possible; else the gravest changes, how many
 * there are of which kind, and in which directories those lie that are not shown. A token goes only with a plan that
 * is told whole in this way. Throws `E_INVALID_ARGUMENTS` and `E_PLAN_STALE` for a cursor that leads nowhere.
 */
export function planPage(envelope: Envelope, { tool, cursor, leadsOn }: PageRequest): Envelope {
  const data: PlanLike = envelope.data;
  const changes = envelope.ok ? changesOf(data) : null;
  if (changes === null || (cursor === null && isWithin({ ...envelope }))) return envelope;
  const mark = sha256(canonicalJson(changes)).slice(0, 12);
  const offset = cursor === null ? 0 : offsetOf(cursor, tool, changes.length, mark);
  const ordered = byGravity(changes);
  const page = (size: number): Envelope => {
    const end = offset + size;
    const shown = ordered.slice(offset, end);
    const next = leadsOn && end < ordered.length ? `${end}-${mark}` : null;
    const review = {
      total: ordered.length,
      from: offset,
      shown: shown.length,
      counts: reviewCounts(ordered),
      not_shown: byDirectory(
        [...ordered.slice(0, offset), ...ordered.slice(end)],
        MOST_DIRECTORIES,
      ),
      next_cursor: next,
    };
    const way = next === null
      ? ""
      : `; for the next ones call ${tool} again with the same arguments and cursor="${next}", or name a target`;
    const said = shown.length === ordered.length ? [] : [
      `The plan has ${ordered.length} changes, of which this answer shows ${shown.length}, deletes, adopts and edits first. data.review counts all of them by kind, and those that are not shown by directory${way}`,
    ];
    return {
      ...envelope,
      data: { ...withChanges(data, shown), review },
      warnings: [...said, ...cutWarnings(envelope.warnings)],
    };
  };
  let [fits, tooMany] = [0, ordered.length - offset + 1];
  while (tooMany - fits > 1) {
    const size = Math.floor((fits + tooMany) / 2);
    if (isWithin({ ...page(size) })) fits = size;
    else tooMany = size;
  }
  return withoutBlindToken(page(Math.max(fits, cursor === null ? 0 : 1)));
}

/** A token for a plan that not even its summary fits of would be consent to what nobody saw. */
function withoutBlindToken(envelope: Envelope): Envelope {
  const data: PlanLike = envelope.data;
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
