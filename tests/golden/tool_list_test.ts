// What the tool list costs every conversation, and what it leaves out because a model does not need it.

import { assert, assertEquals } from "@std/assert";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import { DAILY } from "../../src/contract/mod.ts";
import { select } from "../../src/doors/mcp/selection.ts";
import { toTool } from "../../src/doors/mcp/tool.ts";

const BUDGET = 24_000;

const USUAL = { toolsets: null, tools: [], excluded: [], readOnly: false };
const { listed } = select(COMMANDS, USUAL);
const tools = await Promise.all(listed.map(async ({ load }) => toTool(await load(), true)));

Deno.test(`tools/list of the default toolsets takes at most ${BUDGET} bytes`, () => {
  // The size is that of the message as it is sent.
  const line = `${JSON.stringify({ jsonrpc: "2.0", id: 1000, result: { tools } })}\n`;
  const size = new TextEncoder().encode(line).length;
  const largest = tools.map((tool) => `${JSON.stringify(tool).length} ${tool.name}`)
    .sort((a, b) => parseInt(b) - parseInt(a)).slice(0, 5);
  // Shorten descriptions, or mark a tool that is none of the usual ones as `extra`.
  assert(size <= BUDGET, `${size} bytes; the largest: ${largest.join(", ")}`);
});

Deno.test(`tools/list of the daily toolset takes less than ${BUDGET} bytes and has what its list names`, async () => {
  const daily = select(COMMANDS, { ...USUAL, toolsets: ["daily"] }).listed;
  const names = daily.map(({ name }) => name);
  assertEquals(DAILY.filter((name) => !names.includes(name)), []);
  const others = daily.filter(({ name, toolset }) => !DAILY.includes(name) && toolset !== "session");
  assertEquals(others.map(({ name }) => name), []);
  const list = await Promise.all(daily.map(async ({ load }) => toTool(await load(), true)));
  const line = `${JSON.stringify({ jsonrpc: "2.0", id: 1000, result: { tools: list } })}\n`;
  const size = new TextEncoder().encode(line).length;
  assert(size < BUDGET, `${size} bytes`);
});

Deno.test("the tool list says nothing twice: no older names, no defaults of no, no second way to confirm", () => {
  const found: string[] = [];
  for (const tool of tools) {
    const text = JSON.stringify(tool);
    for (
      const word of ['"default":false', '"default":""', '"default":[]', "deprecated", "Length"]
    ) {
      if (text.includes(word)) found.push(`${tool.name} ${word}`);
    }
    if ("confirmation_token" in (tool.inputSchema.properties ?? {})) found.push(tool.name);
  }
  assertEquals(found, []);
});
