/**
 * The client of the official SDK's second generation, which finds out by itself which revision a server speaks.
 *
 * @module
 */

import { join } from "@std/path";
import { World } from "../support/world.ts";
import { FOLDER, run, type Tools } from "./tools.ts";

/** How a client chooses the revision, and the one that comes of it. */
const MODES = [
  ["auto", "2026-07-28"],
  ["legacy", "2025-11-25"],
  ["2026-07-28", "2026-07-28"],
] as const;

/** Lists the tools, pushes with a person who agrees in a form, and tells what came of it as one line of JSON. */
const PROGRAM = `
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
const [mode, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "judge", version: "1.0.0" }, {
  capabilities: { elicitation: { form: {} } },
  versionNegotiation: { mode: /^\\d/.test(mode) ? { pin: mode } : mode },
  inputRequired: { autoFulfill: true, maxRounds: 10 },
});
let asked = 0;
client.setRequestHandler("elicitation/create", () => {
  asked++;
  return { action: "accept", content: { confirm: true } };
});
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const { tools } = await client.listTools();
const push = { name: "amof_push_ecosystem", arguments: { ecosystem: "demo", mode: "execute" } };
const { isError } = await client.callTool(push);
const missing = await client.readResource({ uri: "amof://nope" }).catch(({ code }) => code);
console.log(JSON.stringify({
  revision: client.getNegotiatedProtocolVersion(),
  tools: tools.map(({ name }) => name).sort(),
  asked,
  isError: isError === true,
  missing,
}));
await client.close();
`;

/** What a client told. */
interface Told {
  readonly revision: string;
  readonly tools: readonly string[];
  readonly asked: number;
  readonly isError: boolean;
  readonly missing: number;
}

/** What a client found that is not as it should be; empty for none. */
function wrong(told: Told, revision: string): readonly string[] {
  // What moves a session is nothing for clients that have none.
  const moves = ["amof_scope_back", "amof_set_mode", "amof_switch_ecosystem"];
  const has = (name: string) => told.tools.includes(name);
  const isModern = revision === "2026-07-28";
  return [
    ...(told.revision === revision ? [] : [`speaks ${told.revision}`]),
    ...(moves.every((name) => has(name) !== isModern) ? [] : ["tools of a session"]),
    ...(has("amof_push_ecosystem") && told.tools.length > 30 ? [] : ["tools are missing"]),
    ...(told.asked === 1 && !told.isError ? [] : ["the push was not made by one form"]),
    // This client tells the code of the newest revision, whichever was sent.
    ...(told.missing === -32602 ? [] : ["the code of what is missing"]),
  ];
}

/** Lets clients of each mode push in a world of their own; answers a row for each. */
export async function clients(
  tools: Tools,
  program: readonly string[],
): Promise<
  readonly { readonly what: string; readonly passed: boolean; readonly detail: string }[]
> {
  const path = join(FOLDER, "client.mjs");
  await Deno.writeTextFile(path, PROGRAM);
  await using world = await World.make();
  await world.makeInstalled({ repos: ["api"] });
  const server = [...program, "mcp", "serve", "--root", world.control];
  const rows = [];
  for (const [mode, revision] of MODES) {
    await world.commitOnFeature("api", `feature/${mode}`, mode);
    const ran = await run([...tools.node, path, mode, ...server], {
      cwd: world.directory,
      env: world.env,
    });
    const problems = ran.code === 0 ? wrong(JSON.parse(ran.stdout) as Told, revision) : ["failed"];
    const detail = `${problems.join(", ")}\n${ran.stdout}${ran.stderr}`;
    rows.push({ what: `client of the SDK, ${mode}`, passed: problems.length === 0, detail });
  }
  return rows;
}
