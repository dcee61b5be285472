/**
 * Says when a plan deletes files only because another profile is meant: switching profiles takes away what the new one
 * does not select (PACK-5).
 *
 * @module
 */

import { count, few } from "../../../base/text/words.ts";
import { selectModules } from "../config/select.ts";
import type { Managed } from "./managed.ts";
import type { Plan } from "./plan.ts";
import { fileKey } from "./roots.ts";
import type { Session } from "./session.ts";

/** How many modules a warning names. */
const NAMED = 3;

/** One warning for all files that a plan deletes although other profiles select their modules; none without such. */
export function otherProfileWarnings(
  { config, profile, modules }: Session,
  managed: Managed,
  { changes }: Pick<Plan, "changes">,
): string[] {
  const here = new Set(modules.map(({ id }) => id));
  const elsewhere = new Map(
    [...config.profiles.keys()].filter((name) => name !== profile)
      .map((name) => [name, new Set(selectModules(config, name).map(({ id }) => id))]),
  );
  const others = [...elsewhere.values()];
  const lost = new Set<string>();
  const gone = { files: 0, entries: 0 };
  for (const { op, target, path, entries } of changes) {
    const removed = (entries ?? []).filter((entry) => entry.op === "delete");
    if (op !== "delete" && removed.length === 0) continue;
    const owners = entries === undefined
      ? managed.files.get(fileKey(target, path))?.moduleIds ?? []
      : removed.flatMap(({ module_ids }) => module_ids);
    const missed = owners.filter((id) => !here.has(id) && others.some((ids) => ids.has(id)));
    if (missed.length > 0 && entries === undefined) gone.files++;
    if (entries !== undefined) {
      gone.entries += removed.filter(({ module_ids }) =>
        module_ids.some((id) => missed.includes(id))
      )
        .length;
    }
    for (const id of missed) lost.add(id);
  }
  if (lost.size === 0) return [];
  const whole = [...elsewhere].find(([, ids]) => [...lost].every((id) => ids.has(id)))?.[0];
  const names = few([...lost].map((id) => `"${id}"`), NAMED);
  return [
    `The profile "${profile}" does not select ${names}, so ${
      [
        ...(gone.files === 0 ? [] : [count(gone.files, "file")]),
        ...(gone.entries === 0 ? [] : [count(gone.entries, "entry", "entries")]),
      ].join(" and ")
    } would be deleted; ${
      whole === undefined ? "other profiles select them" : `--profile ${whole} selects them`
    }`,
  ];
}
