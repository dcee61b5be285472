/**
 * The MCP server: how soon it answers, how much it says, and how it bears many calls.
 *
 * @module
 */

import { join } from "@std/path";
import { McpClient } from "../support/mcp_client.ts";
import { metaOf, modernCall } from "../support/modern_call.ts";
import type { World } from "../support/world.ts";
import { add, inTurns } from "./measure.ts";
import { BEFORE } from "./reading.ts";

const NOTHING = { _meta: metaOf({}) };

/** How soon a client is answered that starts a server, and how much all tools are. */
export async function starts(world: World, empty: string): Promise<void> {
  const started = (first: (client: McpClient) => Promise<unknown>) => async () => {
    await using client = new McpClient(world);
    await first(client);
  };
  const [floor = NaN, discover = NaN, initialize = NaN] = await inTurns(
    20,
    () => world.command(empty, []),
    started((client) => client.request("server/discover", NOTHING)),
    started((client) => client.initialize()),
  );
  add("start → server/discover answered, floor: an empty program", {
    floor,
    figure: discover,
    budget: "≤ 1.5 ×",
  });
  add("start → initialize answered, floor: an empty program", {
    floor,
    figure: initialize,
    budget: "≤ 1.7 ×",
  });
  await using client = new McpClient(world);
  await client.initialize();
  const bytes = async (params?: unknown) =>
    JSON.stringify((await client.request("tools/list", params))["result"]).length;
  const budget = { budget: "≤ 24,000", unit: "bytes" };
  add("tools/list, default toolset", { figure: await bytes(), ...budget });
  const resident = await residentMiB(client.child.pid);
  add("resident after tools/list", { figure: resident, budget: "≤ 80 MiB", unit: "MiB" });
  add("tools/list without a session", { figure: await bytes(NOTHING), ...budget });
}

/** How many calls are made of one tool, and how many at once. */
const CALLS = 2_000;
const LANES = 10;

/** What a server holds after so many calls of `amof_scope_info`, and how many it answers in a second. */
async function scopes(
  client: McpClient,
  call: (client: McpClient) => Promise<unknown>,
): Promise<{ readonly resident: number; readonly perSecond: number }> {
  const many = async (count: number) => {
    const lane = async () => {
      for (let turn = 0; turn < count / LANES; turn++) await call(client);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    client.lines.length = 0;
  };
  await many(1_000);
  const resident = await residentMiB(client.child.pid);
  const started = performance.now();
  await many(CALLS);
  return { resident, perSecond: CALLS * 1_000 / (performance.now() - started) };
}

/** Calls of a client without a session, beside those of a client with one at an earlier build if there is one. */
export async function modern(world: World): Promise<void> {
  const name = "amof_scope_info";
  await using client = new McpClient(world);
  const now = await scopes(client, (client) => modernCall(client, { name, args: {} }));
  let before: Awaited<ReturnType<typeof scopes>> | null = null;
  if (BEFORE !== "") {
    const env = { AMOF_HOME: join(world.directory, "earlier") };
    await using earlier = new McpClient(world, [], env, { binary: BEFORE });
    await earlier.initialize();
    before = await scopes(earlier, (client) => client.call(name, {}));
  }
  add("resident after 1,000 calls without a session, floor: an earlier build", {
    floor: before?.resident ?? NaN,
    figure: now.resident,
    budget: "≤ 0.8 ×",
    unit: "MiB",
  });
  add("scope_info calls per second, 10 at once, floor: an earlier build", {
    floor: before?.perSecond ?? NaN,
    figure: now.perSecond,
    budget: "≥ 1.5 ×",
    unit: "1/s",
  });
}

/** Resident memory of a process in MiB; NaN where the platform does not tell. */
async function residentMiB(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
}

/** Calls reading tools in `lanes` at once; answers how many failed. */
async function calls(client: McpClient, count: number, lanes: number): Promise<number> {
  const names = ["amof_list_ecosystems", "amof_list_runs", "amof_describe_ecosystem"];
  let next = 0;
  let errors = 0;
  const lane = async () => {
    while (next < count) {
      const name = names[next++ % names.length] ?? "";
      const { isError } = await client.call(
        name,
        name === "amof_describe_ecosystem" ? { ecosystem: "demo" } : {},
      );
      if (isError) errors++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  // The client keeps what it was sent for tests to look at; here it would only grow.
  client.lines.length = 0;
  return errors;
}

/** How the server bears many calls: errors, throughput, and what stays in memory. */
export async function load(world: World): Promise<void> {
  await using client = new McpClient(world);
  await client.initialize();
  const { pid } = client.child;
  const started = performance.now();
  let errors = await calls(client, 1_000, 10);
  const early = await residentMiB(pid);
  add("resident after 1,000 calls", { figure: early, budget: "≤ 80 MiB", unit: "MiB" });
  errors += await calls(client, 1_000, 10);
  const seconds = (performance.now() - started) / 1000;
  add("errors in 2,000 calls, 10 at once", { figure: errors, budget: "0", unit: "" });
  add("reading calls per second, 10 at once", { figure: 2_000 / seconds, unit: "1/s" });
  const at = performance.now();
  add("errors in 200 calls at once", {
    figure: await calls(client, 200, 200),
    budget: "0",
    unit: "",
  });
  add("200 calls at once", { figure: performance.now() - at });
  await calls(client, 10_000 - 2_200, 10);
  add("resident after 10,000 calls, floor: after 1,000", {
    floor: early,
    figure: await residentMiB(pid),
    budget: "≤ 1.2 ×",
    unit: "MiB",
  });
}
