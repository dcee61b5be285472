/** Starting and ending the process of a server. */

import { join } from "@std/path";
import type { ExecuteContext, Rendered } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { fieldsOf } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import {
  type Address,
  baseOf,
  pagesBase,
  probe,
  RECORD_FILE,
  removeRecord,
  type ServerRecord,
  type ServerState,
  serverState,
} from "./record.ts";
import { keyValues } from "../../base/text/table.ts";

/** The words behind the program's own name that make it the server. */
export const SERVER_COMMAND = "server-worker";
/** How long a server may take until it answers, and how often that is looked at. */
const START_MS = 30_000;
const LOOK_MS = 50;
/** How long a server may take to finish what it answers before it is killed. */
const STOP_MS = 5_000;

/**
 * How often at most, and how many milliseconds apart, a port is looked at again that nobody can be found to
 * have. A process that was killed has it until its last thread has ended.
 */
const LOOKS = 10;
const AGAIN_MS = 100;

/** What there is at a port, and who has it. */
async function portAt(system: System, address: Address) {
  for (let turn = 0;; turn++) {
    const state = address.port === 0 ? "free" : (await probe(system, address)).port;
    if (state !== "taken") return { state, holder: null };
    const holder = await system.loopback.holder(address.port);
    if (holder !== null || turn === LOOKS) return { state, holder };
    await system.clock.sleep(AGAIN_MS);
  }
}

/** Throws `port_taken`, saying who has it, where a server cannot listen there. */
export async function requirePort(system: System, address: Address): Promise<void> {
  const { host, port } = address;
  const { state, holder } = await portAt(system, address);
  if (state === "free") return;
  if (state === "refused") {
    throw new AmofError("server_failed", `Cannot listen on ${host} port ${port}`, {
      hint:
        "Ports below 1024 are often for the administrator\nTake another: amof server start --port 8010",
      details: { host, port },
    });
  }
  const who = holder === null
    ? "another program"
    : `${cleanLine(holder.command ?? "a program", 60)}, process ${holder.pid}`;
  throw new AmofError("port_taken", `Cannot listen on ${host} port ${port}: ${who} has it`, {
    details: { host, port, holder_pid: holder?.pid ?? null, holder: holder?.command ?? null },
  });
}

/** What a server that could not start left about it in place of its record; null when it left nothing. */
async function complaint(system: System, root: string, pid: number): Promise<string | null> {
  const path = join(root, RECORD_FILE);
  try {
    const { pid: of, failed } = fieldsOf(JSON.parse(await system.files.readText(path) ?? ""));
    if (of !== pid || typeof failed !== "string") return null;
    await system.files.remove(path);
    return failed;
  } catch {
    return null;
  }
}

/** Starts a server and waits until it is well; answers its record. */
export async function launch(
  { system, root, signal }: ExecuteContext,
  { host, port }: Address,
): Promise<ServerRecord> {
  await requirePort(system, { host, port });
  const { pid } = await system.processes.detach([
    ...system.processes.self(),
    SERVER_COMMAND,
    "--root",
    root,
    "--host",
    host,
    "--port",
    String(port),
  ], { cwd: root });
  const until = system.clock.now() + START_MS;
  let failed = "it did not answer in time";
  for (let turn = 1; system.clock.now() < until && !signal.aborted; turn++) {
    await system.clock.sleep(LOOK_MS, signal);
    if (await system.files.stat(join(root, RECORD_FILE)) !== null) {
      const standing = await serverState(system, root);
      if (standing.state === "running" && standing.record.pid === pid && standing.healthy) {
        return standing.record;
      }
    }
    const gone = turn % 10 === 0 &&
      !await system.processes.isAlive({ pid, startedAt: null, bootId: null });
    if (!gone) continue;
    // Somebody may have been faster.
    await requirePort(system, { host, port });
    failed = "it ended at once";
    break;
  }
  const why = await complaint(system, root, pid);
  if (why === null) system.processes.signal(pid, "SIGTERM", false);
  if (signal.aborted) throw new AmofError("cancelled", "Starting the server was cancelled");
  throw new AmofError("server_failed", `Cannot start the server: ${why ?? failed}`, {
    details: { host, port },
  });
}

/** Throws `server_unproven` where a process runs that need not be the one of the record. */
export function requireProven(standing: ServerState): void {
  if (standing.state === "unreadable") {
    throw new AmofError(
      "server_unproven",
      `Cannot tell which process is the server: ${RECORD_FILE} cannot be read`,
      { hint: `End the server by hand if one runs, and remove ${RECORD_FILE}` },
    );
  }
  if (standing.state !== "running" || standing.proven) return;
  const { pid } = standing.record;
  throw new AmofError(
    "server_unproven",
    `Cannot stop process ${pid}: nothing proves that it is the server`,
    {
      hint: `Look what it is, and if it is not a server of amof, remove ${RECORD_FILE}`,
      details: { pid },
    },
  );
}

/** Ends a server that is proven ours and removes its record. Runs it started go on. */
export async function end(ctx: ExecuteContext, record: ServerRecord): Promise<void> {
  const { system, layout, root } = ctx;
  const identity = {
    pid: record.pid,
    startedAt: record.processStart,
    bootId: record.bootId,
  };
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    // Asked right before each signal: its number may be another's by now.
    if (!await system.processes.isAlive(identity)) break;
    system.processes.signal(record.pid, signal, false);
    const until = system.clock.now() + STOP_MS;
    while (system.clock.now() < until && await system.processes.isAlive(identity)) {
      await system.clock.sleep(LOOK_MS);
    }
  }
  if (await system.processes.isAlive(identity)) {
    throw new AmofError("server_failed", `Cannot end the server: process ${record.pid} goes on`);
  }
  await removeRecord(system, layout, root, record.pid);
}

/** Does work on the server while nobody else does; throws `state_busy` where somebody does. */
export async function alone<T>(
  { system, root }: ExecuteContext,
  work: () => Promise<T>,
): Promise<T> {
  await system.files.makeDirectory(join(root, ".amof"));
  const lock = await system.files.lock(join(root, ".amof", "server.lock"));
  if (lock === null) {
    throw new AmofError("state_busy", "The server is being started or stopped by another call", {
      hint: "Repeat in a moment: amof server status",
    });
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

// What starting and restarting the server answer, and what the commands that start and end it declare.

/** Typing one is the consent to it. */
export const SERVER = {
  toolset: "server",
  scope: "server",
  next: "server_changed",
  safety: "safe-write",
  confirm: "simple",
  typed: true,
} as const;

/** A server that runs. */
export interface ServerData {
  readonly pid: number;
  readonly url: string;
  /** Where its pages are, for a person who signs in; null where that name leads to another program, too. */
  readonly pages: string | null;
  /** Whether this call started it. */
  readonly started: boolean;
  /** Where its token lies, which only the user can read. */
  readonly token_file: string;
}

/** The data of a record. */
export function serverData(
  record: ServerRecord,
  tokenFile: string,
  started: boolean,
): ServerData {
  const { pid, host, port, localhost } = record;
  const url = host === null || port === null ? "" : baseOf({ host, port });
  const pages = localhost && port !== null ? pagesBase(port) : null;
  return { pid, url, pages, started, token_file: tokenFile };
}

/** What is said about it; `done` is what was. */
export function renderServer(data: ServerData, done: string): Rendered {
  return {
    summary: data.started
      ? `${done} the server as process ${data.pid}.`
      : `Found the server running as process ${data.pid}; nothing to do.`,
    details: keyValues([
      ["Address", cleanLine(data.url)],
      ["Pages", data.pages],
      ["MCP", `${cleanLine(data.url)}/mcp`],
      ["Token", data.token_file],
    ]),
  };
}
