/** How the server of a control repository stands: by its record, the process that names, and what answers there. */

import type { System } from "../../base/system/mod.ts";
import { probe } from "./probe.ts";
import { readServerRecord, type ServerRecord } from "./record.ts";

/** What was found. */
export type ServerState =
  | { readonly state: "none" | "unreadable" }
  /** The record of a process that has ended. */
  | { readonly state: "stale"; readonly record: ServerRecord }
  | {
    readonly state: "running";
    readonly record: ServerRecord;
    /** Whether the server of the record answers at its address. */
    readonly healthy: boolean;
    /** Whether the process is certainly the one that wrote the record (SERVER-4). */
    readonly proven: boolean;
  };

/** Whether the very server of a record answers at its address. */
async function isHealthy(system: System, record: ServerRecord): Promise<boolean> {
  const { host, port, instance } = record;
  // A record may lie in a repository of others: it leads nowhere but to this machine.
  if (port === null || instance === null || (host !== "127.0.0.1" && host !== "::1")) return false;
  return (await probe(system, { host, port })).instance === instance;
}

/** Looks at the record of a control repository and at what it says. */
export async function standingOf(system: System, root: string): Promise<ServerState> {
  const record = await readServerRecord(system, root);
  if (record === "absent") return { state: "none" };
  if (record === "unreadable") return { state: "unreadable" };
  const { pid, bootId, processStart } = record;
  const identity = { pid, bootId, startedAt: processStart };
  if (!await system.processes.isAlive(identity)) return { state: "stale", record };
  const healthy = await isHealthy(system, record);
  // Numbers of processes are used again. Where the platform tells no start times, its own answer must do.
  const told = (await system.processes.me()).startedAt !== null;
  const proven = told ? processStart !== null && bootId !== null : healthy;
  return { state: "running", record, healthy, proven };
}
