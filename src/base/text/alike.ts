/** What is so of many repositories alike: told once. */

import { cleanLine } from "./sanitize.ts";
import { list } from "./words.ts";
import { MANY } from "./table.ts";

/** A text without what makes it one of several of its kind: how many there are of something. */
export function kindOf(text: string): string {
  return text.replaceAll(/\b\d+\b/g, "#").replaceAll(/(# \w+?)s\b/g, "$1");
}

/**
 * Texts that differ by their numbers alone as one, with the range of each number.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { ranged } from "./alike.ts";
 *
 * assertEquals(ranged(["↑1 ±2", "↑3 ±2"]), "↑1–3 ±2");
 * assertEquals(ranged(["1 commit behind", "4 commits behind"]), "1–4 commits behind");
 * ```
 */
export function ranged(texts: readonly string[]): string {
  const found = texts.map((text) => text.match(/\d+/g) ?? []);
  const longest = texts.toSorted((one, other) => other.length - one.length)[0] ?? "";
  let at = -1;
  return longest.replaceAll(/\d+/g, (own) => {
    at++;
    const numbers = found.map((all) => Number(all[at]));
    const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
    return least === most ? own : `${least}–${most}`;
  });
}

// Why repositories failed, where an error is about some of them.

/** Something that is said of a repository. */
interface Said {
  readonly name: string;
  readonly why: string;
}

/** Stands for the name of the repository in what is the same of several but for that. */
const NAME = "NAME";

/** What is said of a repository, without its own name. */
export function nameless({ name, why }: Said): string {
  return why.split(name).reduce((before, after) =>
    // Within a word it is no name.
    /[\w-]$/.test(before) || /^[\w-]/.test(after)
      ? `${before}${name}${after}`
      : `${before}\0${after}`
  );
}

/**
 * What is said of several repositories, each text once. Texts that differ only in the names of their
 * repositories count as the same, and have `NAME` for the name. The order is that of the first repository of
 * each.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { saidAlike } from "./alike.ts";
 *
 * const said = [
 *   { name: "api", why: "shop/api.git does not exist" },
 *   { name: "docs", why: "timed out" },
 *   { name: "web", why: "shop/web.git does not exist" },
 * ];
 * assertEquals(saidAlike(said), [
 *   { names: ["api", "web"], why: "shop/NAME.git does not exist" },
 *   { names: ["docs"], why: "timed out" },
 * ]);
 * ```
 */
export function saidAlike(
  said: readonly Said[],
): { readonly names: readonly string[]; readonly why: string }[] {
  return [...Map.groupBy(said, nameless)].map(([template, same]) => ({
    names: same.map(({ name }) => name),
    why: same.length === 1 ? same[0]?.why ?? "" : template.replaceAll("\0", NAME),
  }));
}

/** Lines `names: why`, each of at most one repository unless there are many. */
export function linesOfSaid(said: readonly Said[]): string[] {
  const alike = said.length > MANY
    ? saidAlike(said)
    : said.map(({ name, why }) => ({ names: [name], why }));
  return alike.map(({ names, why }) =>
    `${list(names.map((name) => cleanLine(name, 60)))}: ${cleanLine(why, 300)}`
  );
}

/**
 * One line per repository of `details.repos` that says why: "✗ web: …"; none for a single one whose reason is in the
 * message already. Of many, those with the same reason share a line that names all of them.
 */
export function repoReasons(message: string, details: unknown): string[] {
  const { repos } = (details ?? {}) as { readonly repos?: unknown };
  const rows = Array.isArray(repos) ? repos as Readonly<Record<string, unknown>>[] : [];
  const told = rows.flatMap((row) => {
    const why = row["detail"] ?? row["problem"];
    return typeof why === "string" ? [{ name: String(row["name"]), why }] : [];
  });
  const [first] = told;
  if (told.length === 1 && first !== undefined && message.includes(first.why)) return [];
  return linesOfSaid(told).map((line) => `✗ ${line}`);
}
