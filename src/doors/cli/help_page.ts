/** How pages of help are laid out, those of amof and those of command lines of their own. */

import type { FlagSpec } from "../../pipeline/line/flags.ts";
import { columns } from "../../base/text/table.ts";

/** The first line of the program's own pages. */
export const TITLE = "amof: operate many git repositories as one, safely";

/** What is asked for, and what is not. */
export const ASKS: readonly string[] = [
  "It asks before it commits, pushes, installs, deletes, releases or deploys.",
  "It does not ask before sync, ticket start and update, exec, run and server.",
];

/** A flag and what it means, as a row of columns. */
export function flagRow(flag: FlagSpec): readonly [string, string] {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = flag.value === undefined ? "" : ` ${flag.value}`;
  const optional = flag.optional === undefined ? "" : `[=${flag.optional}]`;
  return [`${short}--${flag.name}${value}${optional}`, flag.help];
}

/** Something with words and a summary, as a row of columns. */
export function entryRow(
  { path, summary }: { readonly path: readonly string[]; readonly summary: string },
): readonly [string, string] {
  return [path.join(" "), summary];
}

/** A blank line, a heading and rows below it; nothing where there are no rows. */
export function titled(title: string, rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : ["", `${title}:`, columns(rows)];
}

/** Some flags of all commands in one line, and the command that tells of all of them. */
export function commonLine(names: readonly string[], more: string): string {
  return `Common: ${names.map((name) => `--${name}`).join(" ")}; more: ${more}`;
}

/** What the page of one command says. */
export interface HelpPage {
  readonly summary: string;
  readonly description: string | undefined;
  /** How the whole line begins: `amof`, or with the word of another command line. */
  readonly prefix: string;
  /** The words of the command and what stands behind them without a flag. */
  readonly words: readonly string[];
  /** What stands behind the flags and `--`; absent for most commands. */
  readonly behind?: string | undefined;
  /** What flags are called here. */
  readonly called: "flags" | "options";
  /** The commands that have others below their words. */
  readonly below: readonly (readonly string[])[];
  readonly positionals: readonly (readonly string[])[];
  readonly flags: readonly FlagSpec[];
  /** What is said of the flags of all commands. */
  readonly common: string;
  readonly examples: readonly string[];
  /** The tools it is. */
  readonly tools: readonly string[];
}

/** The page of one command. */
export function helpPage(page: HelpPage): string {
  const heading = page.called === "flags" ? "Flags" : "Options";
  return [
    page.summary,
    "",
    `Usage: ${[page.prefix, ...page.words].join(" ")} [${page.called}]${
      page.behind === undefined ? "" : ` -- ${page.behind}`
    }`,
    ...(page.description === undefined ? [] : ["", page.description]),
    ...titled("Commands below it", page.below),
    ...titled("Arguments", page.positionals),
    ...titled(heading, page.flags.map(flagRow)),
    "",
    page.common,
    ...titled("Examples", page.examples.map((example) => [`${page.prefix} ${example}`])),
    ...(page.tools.length === 0 ? [] : ["", `MCP tool: ${page.tools.join(", ")}`]),
    "",
  ].join("\n");
}

/** The page of some words that begin commands, such as `runs`. */
export function groupPage(line: string, below: readonly (readonly string[])[]): string {
  return [`Usage: ${line} <command> [arguments]`, "", columns(below), ""].join("\n");
}
