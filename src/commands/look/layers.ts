/** Which of some repositories come before which, by what the manifest says they depend on. */

/** A repository with the names of those it needs. */
interface Needing {
  readonly name: string;
  readonly dependsOn: readonly string[];
}

/**
 * For each selected repository those of the selection it needs, also by way of repositories that are not selected.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { layersOf, needsWithin } from "./layers.ts";
 *
 * const all = [
 *   { name: "web", dependsOn: ["api"] },
 *   { name: "api", dependsOn: ["core"] },
 *   { name: "core", dependsOn: [] },
 * ];
 * const needs = needsWithin(all, ["web", "core"]);
 * assertEquals([...needs], [["web", ["core"]], ["core", []]]);
 * assertEquals([...layersOf(needs)], [["web", 2], ["core", 1]]);
 * ```
 */
export function needsWithin(
  all: readonly Needing[],
  selected: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const direct = new Map(all.map(({ name, dependsOn }) => [name, dependsOn]));
  const chosen = new Set(selected);
  return new Map(selected.map((name) => {
    const found = new Set<string>();
    const seen = new Set<string>([name]);
    const open = [...direct.get(name) ?? []];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      if (chosen.has(next)) found.add(next);
      else open.push(...direct.get(next) ?? []);
    }
    return [name, selected.filter((one) => found.has(one))];
  }));
}

/** The layer of each: 1 for what needs nothing, else one more than the highest layer it needs. */
export function layersOf(
  needs: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const layers = new Map<string, number>();
  // A manifest with circles is refused, so each turn settles at least one; the bound is for what should not be.
  for (let turn = 0; turn <= needs.size && layers.size < needs.size; turn++) {
    for (const [name, needed] of needs) {
      const below = needed.map((one) => layers.get(one));
      if (below.every((layer) => layer !== undefined)) layers.set(name, Math.max(0, ...below) + 1);
    }
  }
  return new Map([...needs.keys()].map((name) => [name, layers.get(name) ?? 1]));
}
