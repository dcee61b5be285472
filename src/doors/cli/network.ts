/** Which command lines may need the network. */

import type { Environment } from "../../base/system/mod.ts";
import { serviceOf } from "../../pipeline/wings.ts";

/** First words of what may ask or change something at the service of a wing, or carry out what was asked for before. */
const REACH_OUT: readonly string[] = [
  "stocktrim",
  "confirm",
  "approve",
  "mcp",
  "serve",
  "run-worker",
  "complete",
];

/** First words of what listens on this machine, or looks whether somebody does. */
const LOOPBACK: readonly string[] = ["server", "server-worker", "server-probe"];

/** Whether a command line may need the network. Git and other programs have their own. */
export function mayNeedNetwork(
  path: readonly string[] | undefined,
  env: Pick<Environment, "get">,
): boolean {
  const [first = ""] = path ?? [];
  return LOOPBACK.includes(first) ||
    (REACH_OUT.includes(first) && serviceOf(env) !== null);
}
