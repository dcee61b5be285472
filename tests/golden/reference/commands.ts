/**
 * The pages about commands: a list of all, and a page for each group of the help.
 *
 * @module
 */

import { PACK_GROUPS } from "../../../src/apps/agentpack/mod.ts";
import { DOOR_COMMANDS, packPage } from "../../../src/doors/agentpack/cli/help.ts";
import { entriesOf, PACK_FLAGS } from "../../../src/doors/agentpack/cli/parse.ts";
import { commandPage, sections } from "../../../src/doors/cli/asked_page.ts";
import type { HelpPage } from "../../../src/doors/cli/help_page.ts";
import { type FlagSpec, GLOBAL_FLAGS } from "../../../src/pipeline/line/flags.ts";
import { ENTRIES } from "../../support/loaded.ts";
import { exitCodesOf } from "./exit_codes.ts";
import { anchor, block, code, head, page, plain, table } from "./markdown.ts";

/** A command as it stands on a page. */
interface Described {
  readonly title: string;
  readonly page: HelpPage;
  readonly exits: readonly number[];
}

/** Commands that share a page. */
interface Group {
  readonly title: string;
  readonly file: string;
  readonly commands: readonly Described[];
  /** The flags that all of them have. */
  readonly shared: readonly FlagSpec[];
}

const PACK_EXITS = [0, 1, 2, 3, 130];

async function amofGroups(): Promise<Group[]> {
  const groups: Group[] = [];
  for (const [title, entries] of sections(ENTRIES)) {
    const own = entries.filter((entry) => entry.kind !== "program" || entry.delegate === undefined);
    groups.push({
      title,
      file: `commands/${title.toLowerCase().replaceAll(" ", "-")}.md`,
      shared: GLOBAL_FLAGS,
      commands: await Promise.all(own.map(async (entry) => ({
        title: `amof ${entry.path.join(" ")}`,
        page: await commandPage(entry, ENTRIES),
        exits: exitCodesOf(entry),
      }))),
    });
  }
  return groups;
}

function packGroup(): Group {
  const prefix = "amof agentpack";
  const own = PACK_GROUPS.flatMap(([, commands]) => commands.flatMap(entriesOf));
  return {
    title: "agentpack",
    file: "commands/of-agentpack.md",
    shared: PACK_FLAGS,
    commands: [
      ...[...own, ...DOOR_COMMANDS].map((entry) => ({
        title: `${prefix} ${entry.path.join(" ")}`,
        page: packPage(entry, prefix),
        exits: PACK_EXITS,
      })),
    ],
  };
}

function spelling({ name, short, value, optional }: FlagSpec): string {
  const rest = optional === undefined ? value === undefined ? "" : ` ${value}` : `[=${optional}]`;
  return [...(short === undefined ? [] : [code(`-${short}`)]), code(`--${name}${rest}`)].join(", ");
}

function flagTable(flags: readonly FlagSpec[]): string[] {
  return table(["flag", "meaning"], flags.map((flag) => [spelling(flag), flag.help]));
}

function usage({ prefix, words, behind }: HelpPage): string {
  return `${[prefix, ...words].join(" ")} [flags]${behind === undefined ? "" : ` -- ${behind}`}`;
}

function section({ title, page: said, exits }: Described): string[] {
  return [
    "",
    `## ${title}`,
    "",
    said.summary,
    ...block("text", [usage(said)]),
    ...(said.description === undefined ? [] : ["", plain(said.description)]),
    ...table(["argument", "meaning"], said.positionals.map(([name = "", help = ""]) => [code(name), help])),
    ...flagTable(said.flags),
    "",
    `Exit codes: ${exits.join(", ")}.${said.tools.length === 0 ? "" : ` Over MCP: ${said.tools.map(code).join(", ")}.`}`,
    ...block("sh", said.examples.map((example) => `${said.prefix} ${example}`)),
  ];
}

function groupPage({ title, commands, shared }: Group): string {
  return page([
    ...head(
      title === "agentpack" ? "Commands of agentpack" : `Commands: ${title}`,
      "Usage, flags, exit codes and examples, as `--help` has them. What the exit codes mean is in [errors](../errors.md); [all commands](../commands.md).",
    ),
    ...commands.flatMap(section),
    "",
    "## Flags that all of them have",
    ...flagTable(shared),
  ]);
}

/** `commands.md` and the pages that it links to, by name. */
export async function commandPages(): Promise<ReadonlyMap<string, string>> {
  const groups = [...await amofGroups(), packGroup()];
  const index = page([
    ...head(
      "Commands",
      "Every command, with its page: usage, flags, exit codes, examples. The same is in `amof COMMAND --help` and in the manual pages.",
    ),
    ...groups.flatMap(({ title, file, commands }) => [
      "",
      `## ${title}`,
      ...table(
        ["command", "what it does"],
        commands.map((each) => [
          `[${code(each.title)}](${file}#${anchor(each.title)})`,
          each.page.summary,
        ]),
      ),
    ]),
    "",
    "## Flags of every command",
    ...flagTable(GLOBAL_FLAGS),
  ]);
  return new Map([
    ["commands.md", index],
    ...groups.map((group) => [group.file, groupPage(group)] as const),
  ]);
}
