/** Help of agentpack, all of it out of the declarations: pages, Markdown, and data for machines. */

import { defined } from "../../../base/object.ts";
import {
  commandId,
  isChange,
  outputTable,
  PACK_GROUPS,
  TARGET_NAMES,
} from "../../../apps/agentpack/mod.ts";
import { table } from "../../../base/text/table.ts";
import {
  commonLine,
  entryRow,
  flagRow,
  type HelpPage,
  helpPage,
  titled,
} from "../../cli/help_page.ts";
import type { FlagSpec } from "../../../pipeline/line/flags.ts";
import { CONFIRM_BY, MODES } from "../../../base/policy/mode.ts";
import { PACK_EXAMPLES, PACK_SUMMARY } from "./about.ts";
import {
  entriesOf,
  flagsOf,
  openOptions,
  PACK_ENTRIES,
  PACK_FLAGS,
  type PackEntry,
} from "./parse.ts";

/** The flags of a server of these tools alone, whose modes bind them only where one is said. */
const PACK_SERVE_FLAGS: readonly FlagSpec[] = [
  { name: "read-only", help: "Offer only tools that change nothing (or AMOF_READ_ONLY)" },
  {
    name: "confirm",
    value: CONFIRM_BY.join("|"),
    help: "human: a person sees what would change before it does (or AMOF_CONFIRM)",
  },
  {
    name: "mode",
    value: "MODE",
    choices: MODES,
    help: "ask refuses changes, plan shows them, execute makes them (or AMOF_MODE)",
  },
  {
    name: "max-mode",
    value: "MODE",
    choices: MODES,
    help: "The mode, unless --mode is lower (or AMOF_MAX_MODE)",
  },
];

/** A command that only this door has. */
export interface DoorCommand {
  readonly path: readonly string[];
  readonly summary: string;
  readonly flags: readonly FlagSpec[];
  readonly examples: readonly string[];
}

/** The commands that only this door has. */
export const DOOR_COMMANDS: readonly DoorCommand[] = [
  {
    path: ["mcp", "serve"],
    summary: "Serve agentpack's eleven tools over MCP, on standard input and output.",
    flags: PACK_SERVE_FLAGS,
    examples: ["mcp serve", "mcp serve --project-root ~/src/shop --confirm human"],
  },
  {
    path: ["help"],
    summary: "Show this help, as Markdown or as JSON.",
    flags: [{ name: "markdown", help: "All pages as Markdown" }],
    examples: ["help", "help --markdown", "help --json"],
  },
];

/** Which type of module becomes which files, per target; switches that are off by default are marked. */
function outputs(): string {
  return String(table(
    ["type", "target", "scope", "output", "option"],
    outputTable().map((row) => [
      row.type,
      row.target,
      row.scope,
      row.output,
      row.option === null ? "" : row.default ? row.option : `${row.option} (off)`,
    ]).sort((a, b) => (a[0] ?? "") < (b[0] ?? "") ? -1 : (a[0] ?? "") > (b[0] ?? "") ? 1 : 0),
  ));
}

/** The overview of all commands. */
export function packOverview(prefix: string): string {
  return [
    PACK_SUMMARY,
    "",
    `Usage: ${prefix} [options] <command> [arguments]`,
    ...PACK_GROUPS.flatMap(([title, commands]) =>
      titled(
        title,
        commands.flatMap((command) =>
          entriesOf(command).map(({ path }) => entryRow({ ...command, path }))
        ),
      )
    ),
    ...titled("Other", DOOR_COMMANDS.map(entryRow)),
    "",
    "What a module becomes:",
    outputs().split("\n").map((line) => `  ${line}`.trimEnd()).join("\n"),
    ...titled("Options for all commands", PACK_FLAGS.map(flagRow)),
    ...titled("Examples", PACK_EXAMPLES.map((example) => [`${prefix} ${example}`])),
    "",
    `Help for one command: ${prefix} <command> --help`,
    "",
  ].join("\n");
}

/** What is said of one command. */
export function packPage(entry: PackEntry | DoorCommand, prefix: string): HelpPage {
  const declared = "command" in entry;
  const open = declared ? openOptions(entry) : [];
  const positionals = open.filter(([, option]) => option.positional);
  const { summary, examples } = declared ? entry.command : entry;
  return {
    summary,
    description: declared ? entry.command.description : undefined,
    prefix,
    words: [...entry.path, ...positionals.map(([id]) => id.toUpperCase())],
    called: "options",
    below: [],
    // What stands without a flag, with what it may be.
    positionals: positionals.map(([id, { help, choices }]) => [
      id.toUpperCase(),
      choices.length === 0 ? help : `${help}: ${choices.join(", ")}`,
    ]),
    flags: declared ? open.flatMap(([id, option]) => flagsOf(id, option)) : entry.flags,
    // Of the options of all commands the overview has the list.
    common: commonLine(["repo", "target", "dry-run", "yes", "json"], `${prefix} --help`),
    examples,
    tools: declared ? (entry.command.tools ?? []).map((tool) => tool.name) : [],
  };
}

/** The page of one command, as `--help` prints it. */
export function packHelp(entry: PackEntry | DoorCommand, prefix: string): string {
  return helpPage(packPage(entry, prefix));
}

/** All pages as Markdown. */
export function packMarkdown(prefix: string): string {
  const fenced = (text: string) => `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
  return [
    `# ${prefix}\n`,
    fenced(packOverview(prefix)),
    ...[...PACK_ENTRIES, ...DOOR_COMMANDS].flatMap((entry) => [
      `## ${prefix} ${entry.path.join(" ")}\n`,
      fenced(packHelp(entry, prefix)),
    ]),
  ].join("\n");
}

/** One argument of a command, as `help --json` shows it. */
interface HelpArgument {
  readonly id: string;
  readonly kind: "option" | "flag" | "positional";
  readonly long?: string;
  readonly short?: string;
  readonly required: boolean;
}

/** `data` of `help --json`. */
interface HelpData {
  readonly global_args: readonly HelpArgument[];
  readonly commands: readonly {
    readonly id: string;
    readonly path: readonly string[];
    readonly mutating: boolean;
    readonly supports_json: boolean;
    readonly args: readonly HelpArgument[];
  }[];
  readonly mutating_commands: readonly string[];
  readonly targets: readonly string[];
  readonly notes: readonly string[];
}

function helpArgument(flag: FlagSpec, required = false): HelpArgument {
  return {
    id: flag.name.replaceAll("-", "_"),
    kind: flag.value === undefined ? "flag" : "option",
    long: flag.name,
    ...defined({ short: flag.short }),
    required,
  };
}

function argumentsOf(entry: PackEntry): HelpArgument[] {
  return openOptions(entry).flatMap(([id, option]): HelpArgument[] =>
    option.positional
      ? [{ id, kind: "positional", required: option.required }]
      : flagsOf(id, option).map((flag) => helpArgument(flag, option.required))
  );
}

/** The commands of an entry by id: as it is, and with each mode flag that changes the id. */
function helpEntries(entry: PackEntry): HelpData["commands"][number][] {
  const { command } = entry;
  const plain = Object.fromEntries(
    Object.entries(command.options).map(([id, option]) => [id, option.fallback]),
  );
  const inputs = [
    { ...plain, ...entry.given },
    ...Object.entries(command.options).filter(([, option]) => option.kind === "flag").map((
      [id],
    ) => ({ ...plain, ...entry.given, [id]: true })),
  ];
  const seen = new Map<string, HelpData["commands"][number]>();
  for (const input of inputs) {
    const id = commandId(command, input, false);
    if (seen.has(id)) continue;
    seen.set(id, {
      id,
      path: id.split(" "),
      mutating: isChange(command, input),
      supports_json: true,
      args: argumentsOf(entry),
    });
  }
  return [...seen.values()];
}

/** The commands as data. */
export function helpData(): HelpData {
  const commands = [
    ...PACK_ENTRIES.flatMap(helpEntries),
    ...DOOR_COMMANDS.map((command) => ({
      id: command.path.join(" "),
      path: command.path,
      mutating: false,
      supports_json: command.path[0] !== "mcp",
      args: command.flags.map((flag) => helpArgument(flag)),
    })),
  ].sort((a, b) => a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  return {
    global_args: PACK_FLAGS.map((flag) => helpArgument(flag)),
    commands,
    mutating_commands: commands.filter((command) => command.mutating).map((command) => command.id),
    targets: TARGET_NAMES,
    notes: [
      "With --json a mutating command needs --yes",
      "Exit status: 0 done, 1 failed, 2 usage, 3 a check found something",
    ],
  };
}
