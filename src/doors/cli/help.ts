/** Help pages, all of them out of the declarations. */

import { doorFlags, type Entry, entryFlags } from "../../pipeline/line/parse.ts";
import { type FlagSpec, GLOBAL_FLAGS } from "../../pipeline/line/flags.ts";
import type { KnownProgram } from "../../pipeline/line/program.ts";
import type { Known } from "../../contract/mod.ts";
import {
  ASKS,
  commonLine,
  entryRow,
  groupPage,
  type HelpPage,
  helpPage,
  TITLE,
  titled,
} from "./help_page.ts";

/** A command or program as a row of other pages. */
type Row = Known | KnownProgram;

/** Groups of the overview, by the first word of a command, in order; the rest follows under "Other". */
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ["Ecosystems", [
    "ecosystem",
    "install",
    "status",
    "sync",
    "commit",
    "push",
    "archive",
    "discard",
    "manifest",
    "repo",
    "lock",
  ]],
  ["Looking across repositories", ["log", "diff", "grep", "branches", "path", "open"]],
  ["Programs in repositories", ["exec", "run", "tasks"]],
  ["Pull requests", ["pr"]],
  ["Campaigns", ["campaign"]],
  ["Tickets", ["ticket", "mirror"]],
  ["Releases", ["release"]],
  ["Environments", ["spin"]],
  ["Runs and undo", ["runs", "operations", "undo"]],
  ["Control plane", ["server"]],
  ["Consent", ["confirm", "approvals", "approve", "deny", "audit"]],
  ["Agents", ["mcp", "agent", "agentpack"]],
  ["Services", ["stocktrim"]],
  ["Settings", ["config"]],
];

/** Groups that have one line in the overview, by their first word; `amof WORD` lists their commands. */
const FOLDED: ReadonlyMap<string, string> = new Map([
  [
    "stocktrim",
    "Products, stock and orders that StockTrim keeps; deletes only what a person has seen.",
  ],
]);

/** The flags of all commands that people use most, with those that only changes know a use for. */
const OF_CHANGES = ["ecosystem", "dry-run", "yes", "json", "verbose"];
const OF_LOOKS = ["ecosystem", "json", "jq", "no-pager", "verbose"];

function overviewRows(entries: readonly Row[]): (readonly [string, string])[] {
  const rows = entries.map((entry) => {
    const [word = ""] = entry.path;
    const summary = FOLDED.get(word);
    return summary === undefined ? entryRow(entry) : [`${word} …`, summary] as const;
  });
  return [...new Map(rows)];
}

/** Those that help shows. */
export function visible<E extends Row>(entries: readonly E[]): E[] {
  return entries.filter((entry) => entry.kind !== "program" || entry.hidden !== true);
}

/** What help shows, in groups with their headings. */
export function sections<E extends Row>(
  entries: readonly E[],
): readonly (readonly [title: string, entries: readonly E[]])[] {
  const shown = visible(entries);
  const grouped = new Set(GROUPS.flatMap(([, words]) => words));
  return [
    ...GROUPS.map(([title, words]) =>
      [title, words.flatMap((word) => shown.filter((entry) => entry.path[0] === word))] as const
    ),
    ["Other", shown.filter((entry) => !grouped.has(entry.path[0] ?? ""))],
  ];
}

/** The list of all commands, each once, with rows of other pages, and the person's own words. */
export function overview(
  entries: readonly Row[],
  topics: readonly (readonly [string, string])[],
  aliases: readonly { readonly path: readonly string[]; readonly summary: string }[] = [],
): string {
  return [
    TITLE,
    "",
    ...ASKS,
    "",
    "Usage: amof [flags] <command> [arguments]",
    ...sections(entries).flatMap(([title, list]) => titled(title, overviewRows(list))),
    ...titled("Your aliases", aliases.map(entryRow)),
    ...titled("More", topics),
    "",
    commonLine(OF_CHANGES, "amof help flags"),
    "",
    "What to begin with, and the commands of a day: amof",
    "Help for one command: amof <command> --help",
    "",
  ].join("\n");
}

function commandsBelow(words: readonly string[], entries: readonly Row[]): Row[] {
  return visible(entries).filter((entry) =>
    words.every((word, index) => entry.path[index] === word)
  );
}

/** The commands below some words, such as `runs`. */
export function groupHelp(words: readonly string[], entries: readonly Row[]): string {
  return groupPage(`amof ${words.join(" ")}`, commandsBelow(words, entries).map(entryRow));
}

/** What is said of one command; `entries` are all there are, as some commands have others below their words. */
export async function commandPage(entry: Entry, entries: readonly Row[]): Promise<HelpPage> {
  const own = await entryFlags(entry);
  const positionals = entry.positionals ?? [];
  const globalNames = new Set(GLOBAL_FLAGS.map((flag) => flag.name));
  const argument = (name: string) => {
    const flag = own.find((candidate) => candidate.member === name);
    return flag?.type === "array" ? `[${name.toUpperCase()}…]` : `[${name.toUpperCase()}]`;
  };
  const flags = own.filter((flag) =>
    !globalNames.has(flag.name) && !positionals.includes(flag.member)
  ).map((flag): FlagSpec => ({
    ...flag,
    help: [
      flag.help,
      ...(flag.fallback === undefined || flag.fallback === false || flag.fallback === "" ||
          Array.isArray(flag.fallback)
        ? []
        : [`(default ${String(flag.fallback)})`]),
      ...(flag.type === "array" ? ["(may be repeated)"] : []),
    ].join(" "),
  }));
  const described = positionals.flatMap((name) => {
    const flag = own.find((candidate) => candidate.member === name);
    return flag === undefined ? [] : [[name.toUpperCase(), flag.help] as const];
  });
  const below = commandsBelow(entry.path, entries).filter((other) =>
    other.path.length > entry.path.length
  );
  return {
    summary: entry.summary,
    description: entry.description,
    prefix: "amof",
    words: [...entry.path, ...positionals.map(argument)],
    behind: entry.kind === "program" || entry.behind === undefined
      ? undefined
      : `[${entry.behind.toUpperCase()}…]`,
    called: "flags",
    below: below.map(entryRow),
    positionals: described,
    flags: [
      ...flags,
      ...doorFlags(entry).filter(({ name }) => !own.some((flag) => flag.name === name)),
    ],
    common: commonLine(entry.kind === "mutation" ? OF_CHANGES : OF_LOOKS, "amof help flags"),
    examples: entry.examples,
    tools: entry.kind === "program" || entry.only === "cli" ? [] : [entry.name],
  };
}

/** The page of one command, as `--help` prints it. */
export async function commandHelp(entry: Entry, entries: readonly Row[]): Promise<string> {
  return helpPage(await commandPage(entry, entries));
}
