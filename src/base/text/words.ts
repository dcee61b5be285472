/** Small wording helpers shared by both doors. */

import { closestString, levenshteinDistance } from "@std/text";

/**
 * "1 repo", "3 repos"; `many` for irregular plurals.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { count } from "./words.ts";
 *
 * assertEquals(count(1, "repo"), "1 repo");
 * assertEquals(count(2, "repository", "repositories"), "2 repositories");
 * ```
 */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

const SIZES = ["kB", "MB", "GB", "TB"];

/**
 * "812 bytes", "4.2 MB", "61 MB": how large something is, in steps of a thousand.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { sizeText } from "./words.ts";
 *
 * assertEquals(sizeText(1), "1 byte");
 * assertEquals(sizeText(4_230_000), "4.2 MB");
 * assertEquals(sizeText(61_000_000), "61 MB");
 * assertEquals(sizeText(999_999), "1.0 MB");
 * ```
 */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return count(bytes, "byte");
  let size = bytes;
  let unit = "";
  for (const next of SIZES) {
    if (unit !== "" && size < 999.5) break;
    size /= 1_000;
    unit = next;
  }
  return `${size < 9.95 ? size.toFixed(1) : size.toFixed(0)} ${unit}`;
}

/**
 * "a", "a and b", "a, b and c".
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { list } from "./words.ts";
 *
 * assertEquals(list(["api", "docs", "web"]), "api, docs and web");
 * assertEquals(list(["ask", "plan"], "or"), "ask or plan");
 * ```
 */
export function list(items: readonly string[], word = "and"): string {
  if (items.length < 2) return items[0] ?? "";
  return `${items.slice(0, -1).join(", ")} ${word} ${items[items.length - 1]}`;
}

/** The first few of many: "a, b and 7 more"; all of them where one more would be told as such. */
export function few(items: readonly string[], most: number): string {
  if (items.length <= most + 1) return list(items);
  return `${items.slice(0, most).join(", ")} and ${items.length - most} more`;
}

/** What mends a problem, below the line that tells it; nothing where that is not known. */
export function fixLine(fix: string | null): string {
  return fix === null ? "" : `\n    fix: ${fix.replaceAll("\n", "\n         ")}`;
}

/** What is to be done, each remedy once, on a line of its own; a command stays as it is typed. */
export function remedies(fixes: readonly string[]): string[] {
  const lines = new Set(fixes.flatMap((fix) => fix.split("\n")));
  return [...lines].map((line) =>
    /^(?:amof|git) /.test(line) ? line : line.charAt(0).toUpperCase() + line.slice(1)
  );
}

interface Helped {
  readonly name: string;
  readonly fix: string | null;
}

/** The remedies of repositories with who they are for: a command that names each alone is said once, with all names. */
export function sharedRemedies(
  failed: readonly Helped[],
): { readonly fix: string; readonly names: readonly string[] }[] {
  const helped = failed.flatMap(({ name, fix }) =>
    fix === null ? [] : [{ name, fix: fix.replaceAll(` --repo ${name}`, " --repo \0") }]
  );
  return [...Map.groupBy(helped, ({ fix }) => fix)].map(([fix, repos]) => {
    const names = [...new Set(repos.map(({ name }) => name))];
    return { fix: fix.replaceAll("\0", names.join(",")), names };
  });
}

/** Lines so that none stands before one that a repository needs earlier; else as they come. */
function inTheirOrder(lines: readonly (Helped & { readonly fix: string })[]) {
  const numbered = lines.map((line, at) => ({ ...line, at }));
  const left = [
    ...Map.groupBy(numbered, ({ name, fix }) => fix.replaceAll(` --repo ${name}`, " --repo \0"))
      .values(),
  ];
  const isEarlier = (one: typeof numbered, other: typeof numbered) =>
    one.some(({ name, at }) => other.some((line) => line.name === name && at < line.at));
  const ordered: typeof numbered = [];
  while (left.length > 0) {
    const next = left.findIndex((line) =>
      left.every((other) => other === line || !isEarlier(other, line))
    );
    ordered.push(...left.splice(Math.max(next, 0), 1).flat());
  }
  return ordered;
}

/** The most different remedies that are told at once, so that they fit a screen. */
const MOST_REMEDIES = 4;

/** From so many on those that are left out are named instead, where they are fewer. */
const MOST_NAMES = 12;

/**
 * How a command is told that it is about some of all repositories in few words. A push or a commit takes what there is, so
 * that those which have nothing need not be left out.
 */
function selecting(
  command: string,
  names: readonly string[],
  { failed, idle }: { readonly failed: readonly Helped[]; readonly idle: readonly string[] },
): string {
  const needy = failed.map(({ name }) => name);
  const all = /\bamof (?:push|commit)\b/.test(command) ? needy : [...needy, ...idle];
  const others = all.filter((name) => !names.includes(name));
  if (all.length === names.length) return "";
  const isShorter = names.length > MOST_NAMES && others.length > 0 && others.length < names.length;
  const words = isShorter ? shellWord(others.map((name) => `!${name}`).join(",")) : names.join(",");
  return ` --repo ${words}`;
}

/**
 * What is to be done where repositories need something, each remedy once, and of many different ones the first. `idle` are
 * all others that there are, which need nothing; undefined where the command is not about all, so that each is named.
 */
export function remediesOf(failed: readonly Helped[], idle?: readonly string[]): string[] {
  const whole = sharedRemedies(failed);
  const told = whole.slice(0, whole.length <= MOST_REMEDIES + 1 ? undefined : MOST_REMEDIES);
  const named = new Set(told.flatMap(({ names }) => names));
  // What is the same of several stands beside what is not, behind all that comes before it in any.
  const lines = failed.filter(({ name }) => named.has(name)).flatMap(({ name, fix }) =>
    (fix ?? "").split("\n").filter((line) => line !== "").map((line) => ({ name, fix: line }))
  );
  const shared = sharedRemedies(inTheirOrder(lines));
  const all = shared.map(({ fix, names }) =>
    idle === undefined
      ? fix
      : fix.replaceAll(` --repo ${names.join(",")}`, selecting(fix, names, { failed, idle }))
  );
  if (told.length === whole.length) return remedies(all);
  // What all of them do last waits for the others, too.
  const at = shared.findLastIndex(({ names }) => names.length < named.size) + 1;
  return remedies(all.toSpliced(at || all.length, 0, "look at the others: amof status"));
}

/**
 * What to do where repositories failed: each remedy once, and nothing where no repository has one. Of several,
 * each names its repositories, and the one for most of them comes first. Of many, only the first few are given.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { remediesByRepo } from "./words.ts";
 *
 * const failed = [
 *   { name: "api", fix: "Sign in first" },
 *   { name: "docs", fix: "Check the URL" },
 *   { name: "web", fix: "Check the URL" },
 * ];
 * assertEquals(remediesByRepo(failed), ["docs and web: Check the URL", "api: Sign in first"]);
 * assertEquals(remediesByRepo(failed.slice(1)), ["Check the URL"]);
 * const asked = ["api", "web"].map((name) => ({ name, fix: `Ask it: git -C /${name} ls-remote` }));
 * assertEquals(remediesByRepo(asked), ["api, and alike for web: Ask it: git -C /api ls-remote"]);
 * ```
 */
export function remediesByRepo(failed: readonly Helped[]): string[] {
  const all = sharedRemedies(failed);
  if (all.length <= 1) return all.flatMap(({ fix }) => fix.split("\n"));
  // What differs by the clone alone is said of the first.
  const kinds = [...Map.groupBy(all, ({ fix }) => fix.replaceAll(/ -C (?:'[^']*'|\S+)/g, ""))]
    .map(([, same]) => ({
      fix: same[0]?.fix ?? "",
      names: same.flatMap(({ names }) => names),
      isAlike: same.length > 1,
    }));
  const sorted = kinds.toSorted((one, other) => other.names.length - one.names.length);
  const left = sorted.slice(MOST_REMEDIES).flatMap(({ names }) => names);
  return [
    ...sorted.slice(0, MOST_REMEDIES).flatMap(({ fix, names, isAlike }) => {
      const whose = isAlike
        ? `${names[0]}, and alike for ${few(names.slice(1), 2)}`
        : few(names, 3);
      return fix.split("\n").map((line) => `${whose}: ${line}`);
    }),
    ...(left.length === 0 ? [] : [`${few(left, 3)}: see the reason`]),
  ];
}

/**
 * "4.2s", "1m 12s", "2h 3m" (ANSWER-6).
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { duration } from "./words.ts";
 *
 * assertEquals([4.2, 72, 7380].map(duration), ["4.2s", "1m 12s", "2h 3m"]);
 * ```
 */
export function duration(seconds: number): string {
  if (seconds < 59.95) return `${(Math.round(seconds * 10) / 10).toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}

/**
 * The candidate a misspelt word most likely means, or null when none is near enough.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { didYouMean } from "./words.ts";
 *
 * assertEquals(didYouMean("statsu", ["status", "sync"]), "status");
 * assertEquals(didYouMean("snyc", ["status", "sync"]), "sync");
 * assertEquals(didYouMean("deploy", ["status", "sync"]), null);
 * ```
 */
export function didYouMean(word: string, candidates: readonly string[]): string | null {
  if (candidates.length === 0 || word.length === 0 || word.length > 100) return null;
  const swapped = candidates.find((candidate) => isSwapped(word, candidate));
  if (swapped !== undefined) return swapped;
  const near = closestString(word, candidates, { caseSensitive: false });
  return levenshteinDistance(word.toLowerCase(), near.toLowerCase()) <= Math.max(1, word.length / 3)
    ? near
    : null;
}

/** What {@linkcode didYouMean} found as the end of a sentence; nothing where it found nothing. */
export function meantText(near: string | null): string {
  return near === null ? "" : `; did you mean "${near}"?`;
}

/** Whether two words differ by two neighbours in the wrong order: one slip, which the distance counts as two. */
function isSwapped(word: string, other: string): boolean {
  const [a, b] = [word.toLowerCase(), other.toLowerCase()];
  const at = [...a].findIndex((character, index) => character !== b[index]);
  return at >= 0 && a.length === b.length && a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) +
          a.slice(at + 2) === b;
}

/**
 * A text as one word of a command line to paste into a shell, quoted where it must be.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { shellWord } from "./words.ts";
 *
 * assertEquals(shellWord("feature/PROJ-1"), "feature/PROJ-1");
 * assertEquals(shellWord("it's new"), "'it'\\''s new'");
 * ```
 */
export function shellWord(text: string): string {
  if (/^[A-Za-z0-9._\/:@=%+,-]+$/.test(text)) return text;
  // deno-lint-ignore no-control-regex -- a line end in a word would end the line that it stands in
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replaceAll(/[\\']/g, "\\$&").replaceAll(
    // deno-lint-ignore no-control-regex -- as above
    /[\x00-\x1f\x7f]/g,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `$'${escaped}'`;
}
