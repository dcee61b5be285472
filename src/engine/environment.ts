/** What shards get of the environment of whoever submits: a list, never all of it (ENGINE-5). */

import { defined } from "../base/object.ts";
import { USUAL_VARIABLES } from "../runs/changing.ts";
import type { Environment } from "../base/system/mod.ts";

/** What git cannot do without where a remote asks who it is. */
const OF_GIT = ["SSH_AUTH_SOCK", "GIT_CONFIG_GLOBAL", "GIT_SSH_COMMAND", "NO_COLOR"] as const;

/** A shard keeps nothing: where amof does here means nothing there. */
const USUAL = USUAL_VARIABLES.filter((name) => name !== "AMOF_HOME");

/** Marks what an array has started where its engine is not the one that ends all of it: the value is its run. */
export const ARRAY_VARIABLE = "AMOF_ARRAY";

/** The variables of a shard that are set here; nothing of git asks a person there. */
export function passedOn(
  env: Pick<Environment, "get">,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const values = [...USUAL, ...OF_GIT, ...names].map((name) => [name, env.get(name)] as const);
  return { ...defined(Object.fromEntries(values)), GIT_TERMINAL_PROMPT: "0" };
}
