/** In which order the pull requests of a ticket land: what others need comes first (CHANGE-3). */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import { layersOf, needsWithin } from "../look/layers.ts";

/**
 * The names of a change set in the order to land: by layers of what they need, those of a layer as the manifest has
 * them. Those that `first` names come before all others, in its order; throws `repo_not_found` for one that is not in the
 * set.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { landingOrder } from "./order.ts";
 *
 * const all = [
 *   { name: "web", dependsOn: ["api"] },
 *   { name: "api", dependsOn: ["core"] },
 *   { name: "core", dependsOn: [] },
 * ];
 * assertEquals(landingOrder(all, ["web", "core"]), ["core", "web"]);
 * assertEquals(landingOrder(all, ["web", "core"], ["web"]), ["web", "core"]);
 * ```
 */
export function landingOrder(
  all: readonly { readonly name: string; readonly dependsOn: readonly string[] }[],
  names: readonly string[],
  first: readonly string[] = [],
): readonly string[] {
  const unknown = first.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const near = didYouMean(unknown, names);
    const shown = cleanLine(unknown, 60);
    throw new AmofError(
      "repo_not_found",
      `Cannot put "${shown}" first: the ticket has no pull request there${
        near === null ? "" : `; did you mean "${near}"?`
      }`,
      { hint: "See which there are: amof pr status", details: { repo: shown, available: names } },
    );
  }
  const layers = layersOf(needsWithin(all, names));
  const rest = all.filter(({ name }) => names.includes(name) && !first.includes(name))
    .map(({ name }) => name)
    .toSorted((a, b) => (layers.get(a) ?? 0) - (layers.get(b) ?? 0));
  return [...new Set(first), ...rest];
}
