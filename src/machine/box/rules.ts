/** What a program in the box may do where: rules for places, of which the closest one counts (BOX-2). */

import { isBelow } from "../../base/paths.ts";

/**
 * What a rule allows below its place: nothing, not even to see what is there; to read; to read and write. `private` is
 * a directory of the box's own that takes the place of what is there.
 */
export type Access = "none" | "read" | "write" | "private";

/** A rule for a place and everything below it, as far as no closer rule says otherwise. */
export interface Rule {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly kind: "directory" | "file";
  readonly access: Access;
}

/** What applies to a path where no rule but those of `rules` counts; a path without one can be read. */
export function accessTo(rules: readonly Rule[], path: string): Access {
  let closest: Rule | null = null;
  for (const rule of rules) {
    if (!isBelow(rule.path, path)) continue;
    if (closest === null || rule.path.length >= closest.path.length) closest = rule;
  }
  return closest?.access ?? "read";
}

/**
 * The rules in the order in which mounts have to be made: places before what lies in them, of several rules for one
 * place the last, and none that repeats what the place around it has.
 */
export function settledRules(rules: readonly Rule[]): readonly Rule[] {
  const last = new Map(rules.map((rule) => [rule.path, rule]));
  const settled: Rule[] = [];
  // A path sorts before every path that it begins.
  for (const rule of [...last.values()].toSorted((a, b) => a.path < b.path ? -1 : 1)) {
    if (rule.access === "private" || accessTo(settled, rule.path) !== rule.access) {
      settled.push(rule);
    }
  }
  return settled;
}
