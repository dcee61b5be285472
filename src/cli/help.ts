/**
 * Help pages, all of them out of the declarations.
 *
 * @module
 */

import type { Entry } from "../command/line/parse.ts";
import { doorFlags, entryFlags } from "../command/line/parse.ts";
import { type FlagSpec, GLOBAL_FLAGS } from "../command/line/flags.ts";
import { columns } from "../text/table.ts";

/** Groups of the overview, by the first word of a command, in order; the rest follows under "Other". */
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ["Ecosystems", [
    "ecosystem",
    "install",
    "status",
    "sync",
    "push",
    "archive",
    "discard",
    "manifest",
  ]],
  ["Tickets", ["ticket"]],
  ["Releases", ["release"]],
  ["Environments", ["spin"]],
  ["Runs", ["runs"]],
  ["Control plane", ["server"]],
  ["Consent", ["confirm", "approvals", "approve", "deny", "audit"]],
  ["Agents", ["mcp", "agentpack"]],
];

function visible(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) =>
    entry.kind === "program" ? entry.hidden !== true : entry.only !== "mcp"
  );
}

/** A flag and what it means, as a row of columns. */
export function flagRow(flag: FlagSpec): readonly [string, string] {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  return [`${short}--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`, flag.help];
}

/** The overview of all commands, with rows of other pages. */
export function overview(
  entries: readonly Entry[],
  topics: readonly (readonly [string, string])[],
): string {
  const shown = visible(entries);
  const row = (entry: Entry): readonly [string, string] => [entry.path.join(" "), entry.summary];
  const grouped = new Set(GROUPS.flatMap(([, words]) => words));
  const sections = GROUPS.map(([title, words]) =>
    [title, words.flatMap((word) => shown.filter((entry) => entry.path[0] === word))] as const
  );
  const rest = shown.filter((entry) => !grouped.has(entry.path[0] ?? ""));
  return [
    "amof: operate many git repositories as one, safely",
    "",
    "Usage: amof [flags] <command> [arguments]",
    ...[...sections, ["Other", rest] as const].filter(([, list]) => list.length > 0)
      .flatMap(([title, list]) => ["", `${title}:`, columns(list.map(row))]),
    "",
    "Flags for all commands:",
    columns(GLOBAL_FLAGS.map(flagRow)),
    "",
    "More:",
    columns(topics),
    "",
    "Help for one command: amof <command> --help",
    "",
  ].join("\n");
}

function commandsBelow(words: readonly string[], entries: readonly Entry[]): Entry[] {
  return visible(entries).filter((entry) =>
    words.every((word, index) => entry.path[index] === word)
  );
}

/** The commands below some words, such as `runs`. */
export function groupHelp(words: readonly string[], entries: readonly Entry[]): string {
  const below = commandsBelow(words, entries);
  return [
    `Usage: amof ${words.join(" ")} <command> [arguments]`,
    "",
    columns(below.map((entry) => [entry.path.join(" "), entry.summary])),
    "",
  ].join("\n");
}

/** The page of one command; `entries` are all there are, as some commands have others below their words. */
export async function commandHelp(entry: Entry, entries: readonly Entry[]): Promise<string> {
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
  const extra = [...flags, ...doorFlags(entry)];
  const below = commandsBelow(entry.path, entries).filter((other) => other !== entry);
  return [
    entry.summary,
    "",
    `Usage: amof ${[...entry.path, ...positionals.map(argument)].join(" ")} [flags]`,
    ...(entry.description === undefined ? [] : ["", entry.description]),
    ...(below.length === 0 ? [] : [
      "",
      "Commands below it:",
      columns(below.map((other) => [other.path.join(" "), other.summary])),
    ]),
    ...(described.length === 0 ? [] : ["", "Arguments:", columns(described)]),
    ...(extra.length === 0 ? [] : ["", "Flags:", columns(extra.map(flagRow))]),
    "",
    "Flags for all commands:",
    columns(GLOBAL_FLAGS.map(flagRow)),
    ...(entry.examples.length === 0
      ? []
      : ["", "Examples:", ...entry.examples.map((example) => `  amof ${example}`)]),
    ...(entry.kind === "program" || entry.only === "cli" ? [] : ["", `MCP tool: ${entry.name}`]),
    "",
  ].join("\n");
}
