/** Names with `*` and `?` in them. */

/** Whether a text is a pattern and not a name. */
export function isWildcard(text: string): boolean {
  return /[*?]/.test(text);
}

/**
 * Whether a pattern fits a whole name: `*` stands for any characters, also none, `?` for exactly one, and all else for
 * itself. Takes at most as many steps as the product of both lengths, whatever the pattern is.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { fits } from "./wildcard.ts";
 *
 * assertEquals(["svc-*", "*-web", "svc-?"].map((pattern) => fits(pattern, "svc-web")), [true, true, false]);
 * ```
 */
export function fits(pattern: string, name: string): boolean {
  let [at, here] = [0, 0];
  /** Where to go on after the last star took one character more; -1 before the first star. */
  let [star, taken] = [-1, 0];
  while (here < name.length) {
    if (pattern[at] === "*") {
      [star, taken] = [at++, here];
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === name[here])) {
      at++;
      here++;
    } else if (star >= 0) {
      at = star + 1;
      here = ++taken;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
