/**
 * What the protocol tests share: slow programs that a test
 * holds and lets go, the processes of the machine, and the state database.
 *
 * @module
 */

import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { exists, pick, until } from "../support/answers.ts";
import type { McpClient, Message, ToolAnswer } from "../support/mcp_client.ts";
import type { McpSession } from "../support/mcp_session.ts";
import { Typist } from "../support/terminal.ts";
import { World } from "../support/world.ts";

/** A process of the machine. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly command: string;
}

/** Every live process; those that have ended and only wait to be collected are left out. */
export async function processes(): Promise<Process[]> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-A", "-o", "pid=,ppid=,pgid=,stat=,command="],
  }).output();
  return new TextDecoder().decode(stdout).split("\n").flatMap((line) => {
    const parts = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (parts === null || parts[4]?.startsWith("Z")) return [];
    return [{
      pid: Number(parts[1]),
      parent: Number(parts[2]),
      group: Number(parts[3]),
      command: parts[5] ?? "",
    }];
  });
}

/** The live processes below a process. */
export async function descendants(pid: number): Promise<Process[]> {
  const all = await processes();
  const found: Process[] = [];
  const parents = new Set([pid]);
  // A child may stand before its parent in the list, so it is walked until nothing is added.
  for (let before = -1; before !== found.length;) {
    before = found.length;
    for (const process of all) {
      if (!parents.has(process.parent) || parents.has(process.pid)) continue;
      parents.add(process.pid);
      found.push(process);
    }
  }
  return found;
}

/** Waits until none of these processes lives. */
export async function gone(pids: readonly number[]): Promise<void> {
  await until(`the processes ${pids.join(", ")} end`, async () => {
    const alive = await processes();
    return alive.every((process) => !pids.includes(process.pid));
  });
}

/** Makes a world with an installed ecosystem `demo`. */
export function installed(repos: readonly string[] = ["api"]): Promise<World> {
  return World.installed({ repos });
}

function database(world: World, readOnly: boolean): DatabaseSync {
  return new DatabaseSync(join(world.env["AMOF_HOME"] ?? "", "state", "amof.db"), { readOnly });
}

/** Rows of the state database. */
export function query(
  world: World,
  sql: string,
  ...values: (string | number)[]
): Record<string, unknown>[] {
  const db = database(world, true);
  try {
    return db.prepare(sql).all(...values);
  } finally {
    db.close();
  }
}

/** Changes the state database behind the server's back. */
export function alter(world: World, sql: string, ...values: (string | number)[]): void {
  const db = database(world, false);
  try {
    db.prepare(sql).run(...values);
  } finally {
    db.close();
  }
}

/** The newest line of the audit log. */
export function lastAudit(world: World): Record<string, unknown> {
  return query(world, "SELECT * FROM audit ORDER BY id DESC LIMIT 1")[0] ?? {};
}

/** How many runs there are. */
export function runCount(world: World): number {
  return Number(query(world, "SELECT count(*) AS n FROM runs")[0]?.["n"]);
}

/** The process that works on a run. */
export function workerOf(world: World, runId: string): Promise<number> {
  return until("the run has a worker", () => {
    const pid = query(
      world,
      "SELECT pid FROM runs WHERE run_id = ? AND status = 'running'",
      runId,
    )[0]?.["pid"];
    return typeof pid === "number" ? pid : null;
  });
}

/** A program that waits until the test lets it go. */
export interface Held {
  /** Resolves when the program waits. */
  reached(): Promise<void>;
  /** Lets it go on. */
  release(): Promise<void>;
}

/** Waits for at most a minute, so that nothing outlives a test that fails for long. */
function waiting(reached: string, release: string): string {
  return `: > '${reached}'\ni=0\nwhile [ ! -e '${release}' ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i+1)); done\n`;
}

function held(reached: string, release: string): Held {
  return {
    reached: async () => void await until(`${reached} appears`, () => exists(reached)),
    release: () => Deno.writeTextFile(release, ""),
  };
}

/** Makes every push of a clone wait in its hook. */
export async function holdPush(world: World, repo: string): Promise<Held> {
  const reached = join(world.directory, `${repo}.reached`);
  const release = join(world.directory, `${repo}.release`);
  await world.hook(
    join(world.clone(repo), ".git"),
    "pre-push",
    `${waiting(reached, release)}exit 0`,
  );
  return held(reached, release);
}

/** A `git` that waits before a verb, everywhere or in one clone; put the environment before the real one. */
export async function holdGit(
  world: World,
  verb: string,
  repo = "",
): Promise<Held & { readonly env: Record<string, string> }> {
  const path = world.env["PATH"] ?? "";
  const reached = join(world.directory, `${verb}.reached`);
  const release = join(world.directory, `${verb}.release`);
  await world.script(
    "bin/git",
    `case "$PWD $* " in *${repo}*" ${verb} "*)\n: > '${reached}'\n[ -e '${release}' ] || exec sleep 60 ;;\nesac\nPATH='${path}' exec git "$@"`,
  );
  return { ...held(reached, release), env: { PATH: `${join(world.directory, "bin")}:${path}` } };
}

/** Calls for a status that waits, with the id `slow`; answers the processes that work on it. */
export async function callSlowly(client: McpClient, status: Held): Promise<number[]> {
  const params = { name: "amof_get_ecosystem_status", arguments: { ecosystem: "demo" } };
  await client.send({ jsonrpc: "2.0", id: "slow", method: "tools/call", params });
  await status.reached();
  const working = await until("git works on the call", async () => {
    const found = await descendants(client.child.pid);
    return found.some((child) => child.command.includes("sleep 60")) ? found : null;
  });
  return working.map((child) => child.pid);
}

/** The confirmation request in an answer; throws when there is none. */
export function requestIn(
  answer: ToolAnswer,
): { readonly token: string; readonly [member: string]: unknown } {
  const request = answer.data["confirmation"];
  const token = pick(request, "token");
  if (typeof token !== "string") throw new Error(`No confirmation request in ${answer.text}`);
  return { ...request as Record<string, unknown>, token };
}

/** Starts a push with a confirmation by token; answers the id of its run. */
export async function startPush(client: McpSession): Promise<string> {
  const { token } = requestIn(
    await client.call("amof_push_ecosystem", { ecosystem: "demo", mode: "execute" }),
  );
  const started = await client.call("amof_confirm", { token, mode: "execute" });
  if (started.isError) throw new Error(`The push did not start: ${started.text}`);
  return String(started.data["run_id"]);
}

/** The code of a protocol error; undefined for a result. */
export function codeOf(message: Message): unknown {
  return pick(message, "error", "code");
}

/** The text of a protocol error. */
export function faultOf(message: Message): string {
  return String(pick(message, "error", "message"));
}

/** Begins a push that a person is asked about in a form; answers the question, as soon as it is put. */
export async function askedPush(client: McpClient): Promise<Message> {
  await client.initialize({ capabilities: { elicitation: {} } });
  await client.send({
    jsonrpc: "2.0",
    id: "push",
    method: "tools/call",
    params: { name: "amof_push_ecosystem", arguments: { ecosystem: "demo", mode: "execute" } },
  });
  return await client.asked("elicitation/create");
}

/** Types at the terminal in which a person is asked about a request; answers how that ended. */
export async function says(
  world: World,
  id: string,
  typed: string,
): ReturnType<Typist["ends"]> {
  const typist = await Typist.start(world, ["approve", id]);
  await typist.sees("? [y/N] ");
  await typist.types(typed);
  return await typist.ends();
}
