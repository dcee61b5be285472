/**
 * What the lists of commands and programs hold as data of each of them, written out of the declarations.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { PROGRAM_PLACES } from "../../src/doors/cli/programs/mod.ts";
import { z } from "zod";
import { serveInput } from "../../src/doors/cli/programs/mcp/selection.ts";
import { GLOBAL_FLAGS } from "../../src/pipeline/line/flags.ts";
import { PLACES } from "../../src/pipeline/registry.ts";
import type { KnownProgram, Program } from "../../src/pipeline/line/program.ts";
import type { Command } from "../../src/contract/mod.ts";
import { defined } from "../../src/base/object.ts";

const SRC = fromFileUrl(new URL("../../src/", import.meta.url));

/** Members of a declaration that only its work or its own page of help need. */
const OWN = [
  "undo",
  "locks",
  "remembers",
  "watches",
  "follows",
  "pages",
  "fields",
  "description",
  "examples",
  "instead",
  "short",
  "switches",
];

/** The members of a command that are data and not its own. */
function factsOf(command: Command): object {
  return Object.fromEntries(
    Object.entries(command).filter(([name, value]) =>
      typeof value !== "function" && !OWN.includes(name)
    ),
  );
}

/** What is known of a program. */
function programFacts({ kind, path, summary, hidden, group, delegate }: Program): KnownProgram {
  const delegates = delegate === undefined ? undefined : true;
  return { kind, path, summary, ...defined({ hidden, group, delegates }) };
}

/** A plain value as it is written in code. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, item]) =>
    `${/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)}: ${written(item)}`
  );
  return `{ ${members.join(", ")} }`;
}

/** A list of plain values as JSON within a template, a line each. */
function rows(values: readonly object[]): string {
  const lines = values.map((value) => JSON.stringify(value).replace(/[\\`]|\$(?=\{)/g, "\\$&"));
  return `[\n${lines.join(",\n")}\n]`;
}

/** A module that only holds a list of what is known of commands or programs. */
function moduleOf(
  { called, type, from, name, facts }: {
    readonly called: "command" | "program";
    readonly type: string;
    readonly from: string;
    readonly name: string;
    readonly facts: readonly object[];
  },
): string {
  return `/** What is known of each ${called} without loading it. Written by \`deno task golden\` out of the declarations. */

// deno-fmt-ignore-file -- a line each: this is data
import type { ${type} } from "${from}";

/**
 * What is known of every ${called}, in the order of help. As a text: the engine takes several times as long for objects in
 * code, and every start needs these.
 */
export const ${name}: readonly ${type}[] = JSON.parse(\`${rows(facts)}\`);
`;
}

/** A module that only holds the names of the flags with which a server is started. */
function serveFlagsModule(): string {
  const own = Object.keys(serveInput(z).shape).map((member) => member.replaceAll("_", "-"));
  const names = [...own, ...GLOBAL_FLAGS.map(({ name }) => name)];
  return `/** The flags of \`amof mcp serve\`. Written by \`deno task golden\` out of its declaration. */

// deno-fmt-ignore-file -- this is data
/** The names of all flags with which a server can be started. */
export const SERVE_FLAGS: readonly string[] = ${written(names)};
`;
}

/** Toolsets of what an agent with a shell does by itself. */
const OF_AGENTS = ["ecosystem", "ticket", "exec", "run", "release"];

/** When a person is asked, in the words of the skill. */
function consentOf(command: Command): string {
  if (command.kind !== "mutation") return "reads";
  // Typing it counts as consent, so nobody else would ask.
  if (command.typed === true) return "ask the user first";
  if (command.confirm === "none") return "at once";
  return command.confirm === "type" ? "asks for the name" : "asks";
}

/** A module that only holds the rows of the skill for agents: what is only for people is left out. */
function skillModule(commands: readonly Command[]): string {
  const own = commands.filter(({ mcp, toolset }) =>
    mcp !== "never" && OF_AGENTS.includes(toolset)
  );
  return `/** The commands of the skill for agents. Written by \`deno task golden\` out of the declarations. */

// deno-fmt-ignore-file -- a line each: this is data
/** Words, when a person is asked, and what it does. */
export const AMOF_COMMANDS: readonly (readonly [words: string, consent: string, summary: string])[] = [
${own.map((each) => `  ${written([each.path.join(" "), consentOf(each), each.summary])},\n`).join("")}];
`;
}

/** What the modules of facts have to say, by their names in `src`. */
export async function factsFiles(): Promise<ReadonlyMap<string, string>> {
  const commands = await Promise.all(Object.values(PLACES).map((load) => load()));
  const programs = await Promise.all(Object.values(PROGRAM_PLACES).map((load) => load()));
  return new Map([
    ["machine/hosts/serve_flags.ts", serveFlagsModule()],
    ["apps/skill/commands.ts", skillModule(commands)],
    [
      "pipeline/facts.ts",
      moduleOf({
        called: "command",
        type: "Known",
        from: "../contract/mod.ts",
        name: "FACTS",
        facts: commands.map(factsOf),
      }),
    ],
    [
      "doors/cli/programs/facts.ts",
      moduleOf({
        called: "program",
        type: "KnownProgram",
        from: "../../../pipeline/line/program.ts",
        name: "PROGRAM_FACTS",
        facts: programs.map(programFacts),
      }),
    ],
  ]);
}

/** The modules of facts that are not as the declarations say. */
export async function staleFacts(): Promise<string[]> {
  const stale: string[] = [];
  for (const [name, text] of await factsFiles()) {
    const found = await Deno.readTextFile(join(SRC, name));
    if (found.replaceAll("\r\n", "\n") !== text) stale.push(name);
  }
  return stale;
}

if (import.meta.main) {
  for (const [name, text] of await factsFiles()) await Deno.writeTextFile(join(SRC, name), text);
}
