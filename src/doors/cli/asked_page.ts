/** What a command line asks for instead of work: a page of help, the version, or the commands of a group. */

import { readFlags } from "../../pipeline/line/arguments.ts";
import { type FlagSpec, GLOBAL_FLAGS } from "../../pipeline/line/flags.ts";
import {
  firstWord,
  ownWords,
  unknownCommand,
  type Worded,
  type Words,
} from "../../pipeline/line/words.ts";
import { loadSettings } from "../../state/settings/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { COMMIT, VERSION } from "../../base/version.ts";
import { aliasEntries, type AnyEntry, ENTRIES } from "./entries.ts";
import { fit } from "./wrap.ts";
import { withPager } from "./render.ts";
import { versionText } from "./version_alone.ts";
import { TOPIC_ROWS, topicHelp, TOPICS } from "./topics.ts";
import { doorFlags, type Entry, entryFlags } from "../../pipeline/line/parse.ts";
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

/** The page of a group of commands; of all of them without words. */
async function askedGroup(world: System, words: readonly string[]): Promise<string> {
  if (words.length > 0) return groupHelp(words, ENTRIES);
  const { aliases } = await loadSettings(world, { lenient: true });
  return overview(ENTRIES, TOPIC_ROWS, aliasEntries(aliases));
}

/** The page that a line asks for with `--help` or `help`; throws for words that are nothing. */
async function pageOf(
  world: System,
  given: readonly string[],
  entry: AnyEntry | undefined,
  { words, rest }: Words,
): Promise<string> {
  const byWord = given[0] === "help";
  const topic = byWord ? await topicHelp(given[1] ?? "") : null;
  if (topic !== null) return topic;
  if (entry !== undefined) return await commandHelp(await entry.load(), ENTRIES);
  // An unknown command is an error; the name of a group shows its help.
  if (rest[0] !== undefined && !rest[0].startsWith("-")) {
    const pages: readonly Worded[] = Object.keys(TOPICS).map((name) => ({ path: [name] }));
    throw unknownCommand(words, rest, byWord ? [...ENTRIES, ...pages] : ENTRIES);
  }
  return await askedGroup(world, words);
}

/** Whether a page is asked for as JSON. */
function asksJson(own: readonly string[]): boolean {
  return own.some((word) => /^--json(?:=|$)/.test(word));
}

/** The version alone, or with `--json` all that is known of this program. */
async function versionPage(
  { env, processes }: System,
  own: readonly string[],
): Promise<string> {
  if (!asksJson(own)) return versionText();
  const { onlyFields, takeFields } = await import("../../pipeline/line/fields.ts");
  const { fields } = takeFields(own);
  const about = {
    version: VERSION,
    commit: COMMIT,
    build: processes.self().length === 1 ? "binary" : "source",
    distribution: env.get("AMOF_DISTRIBUTION") || null,
    runtime: navigator.userAgent,
    platform: env.platform,
  };
  const told = fields === null ? about : onlyFields(about, fields);
  return `${JSON.stringify(told)}\n`;
}

/** Whether a line ends before it names a command. With `--json` that is an error, and not a question. */
function endsEarly(rest: readonly string[], own: readonly string[]): boolean {
  return firstWord(rest) === undefined && !own.some((word) => /^--(?:json|jq)(?:=|$)/.test(word));
}

/**
 * Prints the page that a line asks for; false where it asks for none. `given` is the line as it was typed. Throws for
 * words that are nothing.
 */
export async function printAsked(
  world: System,
  given: readonly string[],
  entry: AnyEntry | undefined,
  words: Words,
): Promise<boolean> {
  const { terminal } = world;
  const own = ownWords(words.rest);
  const asked = (long: string, short: string) => own.includes(long) || own.includes(short);
  if (asked("--help", "-h")) {
    const whole = await pageOf(world, given, entry, words);
    const page = asksJson(own) ? `${JSON.stringify({ help: whole })}\n` : fit(whole, terminal);
    // `--help` is asked for while typing a command, so its page is printed; `amof help` opens the pager.
    if (given[0] !== "help" || own.includes("--no-pager")) terminal.out(page);
    else {
      const settings = await loadSettings(world, { lenient: true });
      await withPager(world, settings, ({ out }) => out(page));
    }
    return true;
  }
  if (asked("--version", "-V")) {
    terminal.out(await versionPage(world, own));
    return true;
  }
  if (entry !== undefined || !endsEarly(words.rest, own)) return false;
  const all = { all: GLOBAL_FLAGS, repeatable: [] };
  const flags = readFlags(words.rest, all, ["amof", ...words.words].join(" "));
  const page = words.words.length > 0
    ? await askedGroup(world, words.words)
    : await import("./front_page.ts").then(async ({ frontPage, standOf }) =>
      frontPage(await standOf(world, typeof flags["root"] === "string" ? flags["root"] : null))
    );
  terminal.out(fit(page, terminal));
  return true;
}

// Help pages, all of them out of the declarations.

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
  ["Agents", ["mcp", "agent"]],
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
  const groupOf = (entry: E) => entry.kind === "program" ? entry.group : undefined;
  const grouped = new Set(GROUPS.flatMap(([, words]) => words));
  return [
    ...GROUPS.map(([title, words]) =>
      [title, [
        ...words.flatMap((word) => shown.filter((entry) => entry.path[0] === word)),
        ...shown.filter((entry) => groupOf(entry) === title),
      ]] as const
    ),
    [
      "Other",
      shown.filter((entry) => groupOf(entry) === undefined && !grouped.has(entry.path[0] ?? "")),
    ],
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
    tools: entry.kind === "program" || entry.mcp === "never" ? [] : [entry.name],
  };
}

/** The page of one command, as `--help` prints it. */
export async function commandHelp(entry: Entry, entries: readonly Row[]): Promise<string> {
  return helpPage(await commandPage(entry, entries));
}
