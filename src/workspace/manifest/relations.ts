/** The rules of what a manifest says about repositories among each other: `depends_on` and `groups` (WORKSPACE-5). */

import { SLUG } from "../../base/ids.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import { type Mistake, mistake, type Steps } from "./problem.ts";
import type { Draft } from "./schema.ts";

/** How many repositories of a circle a message names. */
const MOST_NAMED = 8;

/** Names that no repository of the manifest has. */
function unknownNames(
  names: readonly string[],
  known: ReadonlySet<string>,
  at: Steps,
): Mistake[] {
  return names.flatMap((name, index) => {
    if (known.has(name)) return [];
    const near = didYouMean(name, [...known]);
    return [mistake(
      [...at, index],
      `There is no repository "${cleanLine(name, 60)}"`,
      near === null ? "Use names of this manifest, or remove it" : `Did you mean "${near}"?`,
    )];
  });
}

/** What each repository needs, by name. */
type Needs = ReadonlyMap<string, readonly string[]>;

/** The repositories that can never come after everything they need: those in circles, and those that need them. */
function neverReady(needs: Needs): Set<string> {
  const waiting = new Map([...needs].map(([name, needed]) => [name, new Set(needed)]));
  const neededBy = new Map<string, string[]>();
  for (const [name, needed] of waiting) {
    for (const one of needed) neededBy.set(one, [...neededBy.get(one) ?? [], name]);
  }
  const ready = [...waiting].filter(([, needed]) => needed.size === 0).map(([name]) => name);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    waiting.delete(name);
    for (const next of neededBy.get(name) ?? []) {
      const left = waiting.get(next);
      if (left?.delete(name) && left.size === 0) ready.push(next);
    }
  }
  return new Set(waiting.keys());
}

/** The shortest way from a repository back to itself along what each needs, without its end; null where none is. */
function circleFrom(start: string, needs: Needs): string[] | null {
  const ways: (readonly string[])[] = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of needs.get(way[way.length - 1] ?? "") ?? []) {
      if (next === start) return [...way];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return null;
}

/** Repositories that need themselves, each circle once, at the first of its repositories. */
function circles(draft: Draft): Mistake[] {
  const repos = draft.repos ?? [];
  const names = new Set(repos.map(({ name }) => name));
  const needs = new Map(
    repos.map((
      { name, depends_on },
    ) => [name ?? "", (depends_on ?? []).filter((needed) => names.has(needed))]),
  );
  const stuck = neverReady(needs);
  const told = new Set<string>();
  return repos.flatMap(({ name }, index) => {
    if (name === undefined || told.has(name) || !stuck.has(name)) return [];
    const way = circleFrom(name, needs);
    if (way === null) return [];
    for (const one of way) told.add(one);
    const shown = way.length > MOST_NAMED ? [...way.slice(0, MOST_NAMED), "…"] : way;
    return [mistake(
      ["repos", index, "depends_on"],
      way.length === 1
        ? `"${name}" depends on itself`
        : `Repositories depend on each other in a circle: ${[...shown, name].join(" → ")}`,
      way.length === 1 ? "Remove it" : "Remove one of these",
    )];
  });
}

/** What is wrong with how the repositories of a manifest are put in relation. */
export function checkRelations(draft: Draft): Mistake[] {
  const repos = draft.repos ?? [];
  const known = new Set(repos.flatMap(({ name }) => name === undefined ? [] : [name]));
  return [
    ...repos.flatMap(({ depends_on }, index) =>
      unknownNames(depends_on ?? [], known, ["repos", index, "depends_on"])
    ),
    ...circles(draft),
    ...Object.entries(draft.groups ?? {}).flatMap(([group, names]) => [
      ...SLUG.test(group) ? [] : [{
        ...mistake(
          ["groups", group],
          `"${cleanLine(group, 60)}" cannot be the name of a group`,
          'Use letters, digits, ".", "_" and "-", beginning with a letter or digit',
        ),
        ofKey: true,
      }],
      ...unknownNames(names, known, ["groups", group]),
    ]),
  ];
}
