/**
 * What shards get of the environment of whoever submits: a list, never all of it (ENGINE-5).
 *
 * @module
 */

import { defined } from "../object.ts";
import type { Environment } from "../system/mod.ts";

/** What git and programs cannot do without. */
const USUAL = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "SSH_AUTH_SOCK",
  "GIT_CONFIG_GLOBAL",
  "GIT_SSH_COMMAND",
  "NO_COLOR",
] as const;

/** The variables of a shard that are set here; nothing of git asks a person there. */
export function passedOn(
  env: Pick<Environment, "get">,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const values = [...USUAL, ...names].map((name) => [name, env.get(name)] as const);
  return { ...defined(Object.fromEntries(values)), GIT_TERMINAL_PROMPT: "0" };
}
