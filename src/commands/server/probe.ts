/**
 * What there is at an address of this machine, also for a process that has given up the network: it asks another
 * one of this program.
 */

import { fieldsOf, isObject } from "../../base/object.ts";
import type { ProcessRequest, System } from "../../base/system/mod.ts";
import type { Address } from "./address.ts";

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
