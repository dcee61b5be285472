/** How the server of a control repository stands: by its record, the process that names, and what answers there. */

import type { ProcessRequest, System } from "../../base/system/mod.ts";
import { readServerRecord, type ServerRecord } from "./record.ts";
import { fieldsOf, isObject } from "../../base/object.ts";
import type { Address } from "./address.ts";

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

// What there is at an address of this machine, also for a process that has given up the network: it asks another one
// of this program.

/** The words behind the program's own name that make it look at an address. */
export const PROBE_COMMAND = "server-probe";
/** Where a server tells whether it is well; the only route that asks for no token. */
export const HEALTH_PATH = "/api/v1/health";
/** A server that is well answers at once, also on a busy machine. */
const HEALTH_MS = 2_000;
/** How long looking through another process may take. */
const PROBE_MS = 15_000;

interface Probed {
  /** Whether a server could listen there. */
  readonly port: "free" | "taken" | "refused";
  /** What the server that answers there says of itself; null when none is well. */
  readonly instance: string | null;
}

function instanceIn(body: string): string | null {
  try {
    const { instance } = fieldsOf(JSON.parse(body));
    return typeof instance === "string" ? instance : null;
  } catch {
    return null;
  }
}

/** Looks at an address with the network of this process. */
export async function probeAddress(
  { loopback }: Pick<System, "loopback">,
  { host, port }: Address,
): Promise<Probed> {
  const state = loopback.stateOf(host, port);
  if (state !== "taken") return { port: state, instance: null };
  const answer = await loopback.get(host, port, HEALTH_PATH, HEALTH_MS);
  return { port: state, instance: answer?.status === 200 ? instanceIn(answer.body) : null };
}

/** Whether a request runs this program to look at an address, which changes nothing. */
export function isProbe({ args }: ProcessRequest): boolean {
  const at = args.length - 5;
  return args[at] === PROBE_COMMAND && args[at + 1] === "--host" && args[at + 3] === "--port";
}

/** Looks at an address. */
export async function probe(system: System, address: Address): Promise<Probed> {
  if (system.loopback.isAllowed()) return await probeAddress(system, address);
  const [command = "", ...args] = system.processes.self();
  const { stdout } = await system.processes.run({
    command,
    args: [...args, PROBE_COMMAND, "--host", address.host, "--port", String(address.port)],
    timeoutMs: PROBE_MS,
  });
  try {
    const found: unknown = JSON.parse(stdout);
    if (!isObject(found)) return { port: "refused", instance: null };
    const { port, instance } = found;
    return {
      port: port === "free" || port === "taken" ? port : "refused",
      instance: typeof instance === "string" ? instance : null,
    };
  } catch {
    return { port: "refused", instance: null };
  }
}
