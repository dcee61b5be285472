/**
 * How a server is started: by flags, each with an environment flagOrEnv (MCP-1). Light, because the command line
 * loads it for its help.
 */

import { AmofError } from "../../base/error.ts";
import {
  allows,
  CONFIRM_BY,
  type ConfirmBy,
  ELICITATION,
  type Mode,
  MODES,
  saysReadOnly,
} from "../../base/policy/mode.ts";
import type { Environment } from "../../base/system/mod.ts";
import { list } from "../../base/text/words.ts";

/** What the flags said; undefined for those that were not given. */
export interface StartFlags {
  readonly mode?: string | undefined;
  readonly maxMode?: string | undefined;
  readonly confirm?: string | undefined;
  readonly elicitation?: string | undefined;
}

/** How a server starts; null for what nobody said. */
interface Start {
  readonly mode: Mode | null;
  readonly maxMode: Mode | null;
  readonly confirmBy: ConfirmBy;
  /** Whether forms are asked for where a client declares them. */
  readonly forms: boolean;
}

/** The value of a flag, else of its environment variable, else null. */
export function flagOrEnv(
  env: Environment,
  name: string,
  given: string | undefined,
): string | null {
  return given ?? (env.get(name) || null);
}

/** Whether a server offers only tools that change nothing. */
export function startsReadOnly(env: Environment, given: boolean): boolean {
  return given || saysReadOnly(env.get("AMOF_READ_ONLY"));
}

function oneOf<T extends string>(
  value: string | null,
  words: readonly T[],
  what: string,
): T | null {
  const known = words.find((word) => word === value);
  if (value === null || known !== undefined) return known ?? null;
  throw new AmofError("invalid_arguments", `Cannot use ${what} "${value}"`, {
    hint: `Use ${list(words, "or")}`,
  });
}

/**
 * Reads flags and environment. Throws `invalid_arguments`, also where two flags of one line contradict each other; a
 * cap of the environment only lowers the mode (MODE-3).
 */
export function readStart(env: Environment, flags: StartFlags): Start {
  const mode = oneOf(flagOrEnv(env, "AMOF_MODE", flags.mode), MODES, "mode");
  const maxMode = oneOf(flagOrEnv(env, "AMOF_MAX_MODE", flags.maxMode), MODES, "max mode");
  const bothSaid = flags.mode !== undefined && flags.maxMode !== undefined;
  if (bothSaid && mode !== null && maxMode !== null && !allows(maxMode, mode)) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot begin in mode ${mode}: --max-mode ${maxMode} lets no call go above ${maxMode}`,
      { hint: `Begin lower: --mode ${maxMode}\nAllow more: --max-mode ${mode}` },
    );
  }
  const said = oneOf(flagOrEnv(env, "AMOF_CONFIRM", flags.confirm), CONFIRM_BY, "confirmation by");
  const asks = flagOrEnv(env, "AMOF_ELICITATION", flags.elicitation);
  const elicitation = oneOf(asks, ELICITATION, "elicitation");
  return {
    mode,
    maxMode,
    confirmBy: said ?? "token",
    // Who says that a token is enough is not asked besides.
    forms: said === null && elicitation !== "off",
  };
}
