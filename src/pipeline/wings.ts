/** The wings of the program: the one place that names them. */

import { STOCKTRIM } from "../apps/stocktrim/wing.ts";
import { EXEC } from "../commands/engine/wing.ts";
import { SERVER } from "../commands/server/wing.ts";
import { UNDO } from "../commands/undo/wing.ts";
import type { Environment } from "../base/system/mod.ts";
import type { Wing } from "../runs/mod.ts";

/** Every wing. Any of them can be taken off. */
export const WINGS: readonly Wing[] = [EXEC, UNDO, SERVER, STOCKTRIM];

/** The address of the one server elsewhere that a wing speaks to, or null where none is to be reached. */
export function serviceOf(env: Pick<Environment, "get">): string | null {
  return WINGS.map(({ service }) => service?.(env) ?? null).find((address) => address !== null) ??
    null;
}

/** The first answer of a wing that has one, or null. */
export async function firstOfWings<T>(
  ask: (wing: Wing) => Promise<T | null> | undefined,
): Promise<T | null> {
  for (const wing of WINGS) {
    const answer = await ask(wing) ?? null;
    if (answer !== null) return answer;
  }
  return null;
}
