/**
 * The pages about MCP tools: a list of all, and a page for each toolset.
 *
 * @module
 */

import { inputJsonSchema } from "../../../src/pipeline/json_schema.ts";
import type { Command } from "../../../src/contract/mod.ts";
import { isOnlyTyped } from "../../../src/contract/input.ts";
import { TOOLSETS } from "../../../src/contract/toolsets.ts";
import { PACK_TOOLS, toPackTool } from "../../../src/doors/agentpack/mcp/tools.ts";
import { toTool } from "../../../src/doors/mcp/tool.ts";
import { modeRequired } from "../../../src/base/policy/mode.ts";
import { COMMANDS } from "../../support/loaded.ts";
import { anchor, block, code, head, page, table } from "./markdown.ts";
import { asObject, typeOf } from "./schema_types.ts";

/** A tool as it stands on a page. */
interface Described {
  readonly name: string;
  readonly summary: string;
  readonly facts: readonly string[];
  readonly parameters: readonly (readonly string[])[];
}

const CONSENT = {
  none: "nobody is asked",
  simple: "a person is asked",
  preview: "a person is shown the preview and asked",
  type: "a person types the name",
} as const;

function parametersOf(schema: unknown, listed: unknown): string[][] {
  const required = asObject(schema)["required"];
  const shown = asObject(asObject(listed)["properties"]);
  return Object.entries(asObject(asObject(schema)["properties"])).flatMap(([name, value]) => {
    const member = asObject(value);
    if (isOnlyTyped(member)) return [];
    const notes = [
      ...(Array.isArray(required) && required.includes(name) ? ["required"] : []),
      ...(Object.hasOwn(shown, name) ? [] : ["not listed"]),
    ];
    return [[code(name), typeOf(member), notes.join(", "), String(member["description"] ?? "")]];
  });
}

function factsOf(command: Command): string[] {
  const says = [`On the command line: ${code(`amof ${command.path.join(" ")}`)}.`];
  if (command.mcp === "asked for") says.push("Offered where its toolset or its name is asked for.");
  if (command.kind === "redeem") return [...says, "Carries out what a person agreed to."];
  if (command.kind !== "mutation") return [...says, "Changes no repository, in any mode."];
  return [
    ...says,
    `Safety: ${command.safety}; needs mode ${modeRequired(command.safety)}. Consent: ${CONSENT[command.confirm]}.`,
  ];
}

async function described(command: Command): Promise<Described> {
  const tool = await toTool(command, true);
  return {
    name: command.name,
    summary: command.summary,
    facts: factsOf(command),
    parameters: parametersOf(await inputJsonSchema(command), tool.inputSchema),
  };
}

function packTools(): Described[] {
  return [...PACK_TOOLS.values()].map((each) => {
    const tool = toPackTool(each, "2025-06-18");
    const { reads, destroys } = each.spec.hints;
    return {
      name: tool.name,
      summary: tool.description ?? "",
      facts: [reads ? "Changes nothing." : destroys ? "Writes and deletes files." : "Writes files."],
      parameters: parametersOf(tool.inputSchema, tool.inputSchema),
    };
  });
}

function section({ name, summary, facts, parameters }: Described): string[] {
  return [
    "",
    `## ${name}`,
    "",
    summary,
    "",
    facts.join(" "),
    ...table(["parameter", "type", "", "meaning"], parameters),
  ];
}

/** `tools.md` and the pages that it links to, by name. */
export async function toolPages(): Promise<ReadonlyMap<string, string>> {
  const offered = COMMANDS.filter(({ mcp }) => mcp !== "never");
  const sets: [string, Described[]][] = [];
  for (const set of TOOLSETS) {
    const own = offered.filter(({ toolset }) => toolset === set);
    sets.push([set, await Promise.all(own.map(described))]);
  }
  sets.push(["agentpack", packTools()]);
  const there = sets.filter(([, tools]) => tools.length > 0);
  const index = page([
    ...head(
      "MCP tools",
      "Every tool of `amof mcp serve`, by its toolset. Which are offered is decided where the server is started, by `--toolsets`, `--tools`, `--exclude-tools` and `--read-only`; `amof mcp tools` with the same flags lists them. A parameter that is _not listed_ is accepted and left out of the tool list, because every word there is paid for in every conversation. The rules are in [the MCP server](../mcp.md).",
    ),
    ...block("sh", [
      "amof mcp tools",
      "amof mcp tools --toolsets default,train",
      "amof mcp serve --toolsets default,-spin --max-mode plan",
    ]),
    ...there.flatMap(([set, tools]) => [
      "",
      `## ${set}`,
      ...table(
        ["tool", "what it does"],
        tools.map(({ name, summary }) => [
          `[${code(name)}](tools/${set}-tools.md#${anchor(name)})`,
          summary,
        ]),
      ),
    ]),
  ]);
  return new Map([
    ["tools.md", index],
    ...there.map(([set, tools]) =>
      [
        `tools/${set}-tools.md`,
        page([
          ...head(
            `Tools of the toolset ${set}`,
            "Parameters, safety and consent of each. [All tools](../tools.md)",
          ),
          ...tools.flatMap(section),
        ]),
      ] as const
    ),
  ]);
}
