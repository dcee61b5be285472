/**
 * The MCP server: how soon it answers, how much it says, and how it bears many calls.
 *
 * @module
 */

import { join } from "@std/path";
import { McpClient } from "../support/mcp_client.ts";
import { metaOf } from "../support/modern_call.ts";
import { program, type World } from "../support/world.ts";
import { add, inTurns } from "./measure.ts";
import { BEFORE } from "./reading.ts";

const NOTHING = { _meta: metaOf({}) };

/** How soon a client is answered that starts a server, and how much all tools are. */
export async function starts(world: World, empty: string): Promise<void> {
  const started = (first: (client: McpClient) => Promise<unknown>) => async () => {
    const client = new McpClient(world);
    await first(client);
    return client;
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

/** How many calls are made of one tool, in how many turns with an earlier build, and how many at once. */
const CALLS = 2_000;
const TURNS = 8;
const LANES = 10;

/** The line of a call with this id. */
type Line = (id: number) => string;

/** The line of a request. */
function lineOf(id: number, method: string, params: unknown): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}

/** A server with a client that costs less than what it measures: it looks at an id, and reads an answer now and then. */
class Counted implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #answers: AsyncIterator<string>;
  #id = 0;

  constructor(world: World, [command = "", ...words]: readonly string[], env = {}) {
    const args = [...words, "mcp", "serve", "--root", world.control];
    this.#child = world.spawn(command, args, { cwd: world.directory, stdin: true, env });
    this.#writer = this.#child.stdin.getWriter();
    this.#answers = this.#child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  }

  /** What the server holds, in MiB. */
  async resident(): Promise<number> {
    return await residentMiB(this.#child.pid);
  }

  /** Shakes hands. */
  async initialize(): Promise<void> {
    const clientInfo = { name: "bench", version: "1.0.0" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    await this.calls(1, (id) => lineOf(id, "initialize", params));
    await this.#write(
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`,
    );
  }

  /** Writes lines, all at once. */
  async #write(lines: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(lines));
  }

  /** Makes calls, so many at once, and throws unless each is answered, and well as far as it was looked at. */
  async calls(count: number, line: Line): Promise<void> {
    const open = new Set<number>();
    const next = (many: number) =>
      Array.from({ length: many }, () => {
        open.add(++this.#id);
        return line(this.#id);
      }).join("");
    let asked = Math.min(LANES, count);
    await this.#write(next(asked));
    let pending = "";
    while (open.size > 0) {
      const { done, value } = await this.#answers.next();
      if (done === true) throw new Error("The server has ended");
      const lines = (pending + value).split("\n");
      pending = lines.pop() ?? "";
      let answered = 0;
      for (const answer of lines) {
        const id = Number(/"id":(\d+)\}$/.exec(answer.slice(-24))?.[1] ?? NaN);
        if (!open.delete(id)) throw new Error(`No answer to a call: ${answer.slice(0, 300)}`);
        if (id % 100 === 0) this.#check(answer);
        answered++;
      }
      const more = Math.min(answered, count - asked);
      asked += more;
      if (more > 0) await this.#write(next(more));
    }
  }

  #check(answer: string): void {
    const { result } = JSON.parse(answer);
    if (result?.isError === true || result?.structuredContent?.scope !== "global") {
      throw new Error(answer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close();
    await this.#answers.return?.();
    await this.#child.stderr.cancel();
    await this.#child.status;
  }
}

/** Calls of a client without a session, beside those of a client with one at an earlier build if there is one. */
export async function modern(world: World): Promise<void> {
  const call = { name: "amof_scope_info", arguments: {} };
  const line = (id: number) => lineOf(id, "tools/call", { ...call, _meta: metaOf({}) });
  await using server = new Counted(world, program());
  await server.calls(1_000, line);
  const resident = await server.resident();
  const env = { AMOF_HOME: join(world.directory, "earlier") };
  await using earlier = BEFORE === "" ? null : new Counted(world, [BEFORE], env);
  const called = (id: number) => lineOf(id, "tools/call", call);
  await earlier?.initialize();
  await earlier?.calls(1_000, called);
  add("resident after 1,000 calls without a session, floor: an earlier build", {
    floor: await earlier?.resident() ?? NaN,
    figure: resident,
    budget: "≤ 0.8 ×",
    unit: "MiB",
  });
  const [figure = NaN, floor = NaN] = (await inTurns(
    TURNS,
    () => server.calls(CALLS / TURNS, line),
    ...(earlier === null ? [] : [() => earlier.calls(CALLS / TURNS, called)]),
  )).map((taken) => CALLS / TURNS * 1_000 / taken);
  add("scope_info calls per second, 10 at once, floor: an earlier build", {
    floor,
    figure,
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
