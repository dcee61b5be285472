/** What repositories need alike: told once, with one command that is about all of them. */

import { kindOf, nameless, ranged } from "../../base/text/alike.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, fixLine, shellWord } from "../../base/text/words.ts";

/** What one repository needs. */
interface Needing {
  readonly name: string;
  /** What it is called to tell it from others; its name where that is not said. */
  readonly label?: string;
  readonly problem: string;
  /** The ticket whose own workspace it is in; absent for the base workspace. */
  readonly ticket?: string | undefined;
  /** What mends it, a command in each line; empty where nothing does that is known. */
  readonly fix: string;
}

/** From so many on it is worth to run a program of each in all of them at once. */
const WORTH_A_PROGRAM = 4;

const PLACE = /^git -C ('[^']*'|\S+) /;

/** Where the commands of a need run, up to the name of the repository; null where they are no programs of its clone. */
function workspaceOf({ name, fix }: Needing): string | null {
  const places = fix.split("\n").map((line) => PLACE.exec(line)?.[1]?.replaceAll("'", "") ?? "");
  const [place = ""] = places;
  const isOwn = /[/\\]/.test(place.at(-name.length - 1) ?? "") && place.endsWith(name);
  return isOwn && places.every((other) => other === place) ? place.slice(0, -name.length) : null;
}

/** A command about a file of a repository, which takes those of several as well. */
const OF_FILES = /((?:^|: )(?:rm|chmod -R u\+rwX) \S*\/)(\S+)$/gm;

/** What is the same in the commands of several repositories. */
function kindOfFix(need: Needing): string {
  const workspace = workspaceOf(need);
  return workspace === null
    ? need.fix.replaceAll(
      / --repo (\S+)(?=\s|$)/g,
      (said, name) => name === need.name ? " --repo \0" : said,
    ).replaceAll(OF_FILES, (said, before, name) => name === need.name ? `${before}\0` : said)
    : `${workspace}\n${need.fix.replaceAll(new RegExp(PLACE, "gm"), "")}`;
}

/** One line for each kind of need, with who has it, above what mends them all. */
function alikeLines(fix: string, needs: readonly Needing[], sign: string): string {
  const said = [...Map.groupBy(needs, ({ problem }) => kindOf(problem)).values()];
  const lines = said.map((same) => {
    const problem = ranged(same.map(({ problem }) => problem));
    return `${sign} ${few(same.map(({ name, label }) => label ?? name), 3)}: ${problem}`;
  });
  return `${lines.join("\n")}${fixLine(fix === "" ? null : fix)}`;
}

/** How a command is told which repositories it is about. */
export type Selected = (names: readonly string[], command: string) => string;

/** By their names. */
export function byName(names: readonly string[]): string {
  return ` --repo ${names.join(",")}`;
}

/** What is the same in the commands of several repositories, said of all of them. */
function fixOf(kind: string, names: readonly string[], selected: Selected): string {
  return kind.replaceAll(
    /^(.*?) --repo \0/gm,
    (_, command) => `${command}${names.length === 1 ? byName(names) : selected(names, command)}`,
  ).replaceAll(/(\S*\/)\0$/gm, (_, place) => names.map((name) => `${place}${name}`).join(" "));
}

/** What failed in a repository, and the sign that stands in front of it. */
interface Failing extends Needing {
  readonly sign?: string;
}

/**
 * What failed in repositories, a part for each; of many that failed alike, and that the same commands mend, the first tells
 * for all of them.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { failureLines } from "./need_lines.ts";
 *
 * const failed = ["api", "docs", "lib", "web", "x"].map((name) => ({
 *   name,
 *   problem: `the link to /code/${name} is gone`,
 *   fix: `rm /links/${name}\nThen: amof sync --repo ${name}`,
 * }));
 * const files = "/links/api /links/docs /links/lib /links/web /links/x";
 * assertEquals(failureLines(failed), [
 *   "✗ api: the link to /code/api is gone; alike: docs, lib, web and x" +
 *   `\n    fix: rm ${files}\n         Then: amof sync --repo api,docs,lib,web,x`,
 * ]);
 * assertEquals(failureLines(failed.slice(0, 3)).length, 3);
 * ```
 */
export function failureLines(failures: readonly Failing[], all = false): string[] {
  const alike = ({ sign, ...failure }: Failing, index: number) => {
    const { name, problem, fix } = failure;
    const said = kindOf(nameless({ name, why: problem })).replaceAll(/\/[^\s,;:]+/g, "/");
    const isOwn = all || fix === "" || workspaceOf(failure) !== null;
    return isOwn ? index : `${sign}\n${kindOfFix(failure)}\n${said}`;
  };
  return [...Map.groupBy(failures, alike).values()].flatMap((same) => {
    const [first, ...others] = same;
    if (first === undefined || same.length < WORTH_A_PROGRAM) {
      return same.map((one) => alikeLines(one.fix, [one], one.sign ?? "✗"));
    }
    const labels = others.map(({ name, label }) => label ?? name);
    const problem = `${first.problem}; alike: ${few(labels, 3)}`;
    const fix = fixOf(kindOfFix(first), same.map(({ name }) => name), byName);
    return [alikeLines(fix, [{ ...first, problem }], first.sign ?? "✗")];
  });
}

/**
 * What repositories need, those that one command mends together; of many different needs only the first.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { needLinesOf } from "./need_lines.ts";
 *
 * const needs = ["api", "web"].map((name, index) => ({
 *   name,
 *   problem: `${index + 1} behind`,
 *   fix: `amof sync --repo ${name}`,
 * }));
 * assertEquals(needLinesOf(needs), ["⚠ api and web: 1–2 behind\n    fix: amof sync --repo api,web"]);
 * ```
 */
export function needLinesOf(
  needs: readonly Needing[],
  { most = Infinity, selected = byName, sign = "⚠" }: {
    readonly most?: number;
    readonly selected?: Selected;
    /** Stands in front of each. */
    readonly sign?: string;
  } = {},
): string[] {
  const lines = [...Map.groupBy(needs, kindOfFix)].flatMap(([kind, same]) => {
    const names = [...new Set(same.map(({ name }) => name))];
    const [workspace] = same.map(workspaceOf);
    if (workspace === null || workspace === undefined) {
      return [alikeLines(fixOf(kind, names, selected), same, sign)];
    }
    if (names.length < WORTH_A_PROGRAM) {
      return same.map((need) => alikeLines(need.fix, [need], sign));
    }
    const ticket = same[0]?.ticket;
    const chosen = ticket === undefined
      ? selected(names, "amof exec")
      : `${byName(names)} --ticket ${shellWord(ticket)}`;
    const fix = kind.split("\n").slice(1).map((line) => `amof exec${chosen} -- git ${line}`);
    return [alikeLines(fix.join("\n"), same, sign)];
  });
  const more = lines.length - most;
  return [
    ...lines.slice(0, most),
    ...(more > 0
      ? [
        `⚠ ${
          count(more, "more repository needs", "more repositories need")
        } something: amof status --all`,
      ]
      : []),
  ];
}

/** The most different needs that are told below what was done, so that they fit a screen. */
const MOST_NOTES = 8;

/** What rows say that nobody has to do at once, each with what helps; of many the first, unless `all` are asked for. */
export function noteLines(
  rows: readonly { readonly name: string; readonly detail: string; readonly fix: string | null }[],
  all = false,
): string[] {
  const needs = rows.flatMap(({ name, detail, fix }) =>
    fix === null ? [] : [{ name, problem: cleanLine(detail, 300), fix }]
  );
  return needLinesOf(needs, all ? {} : { most: MOST_NOTES });
}
