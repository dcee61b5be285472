/** Does the work of a run that was agreed to, with what the wings do around it. */

import type { Fields } from "../base/object.ts";
import type { ExecuteContext, Mutation, Result } from "../contract/mod.ts";
import { ticketsTaken } from "./locks.ts";
import { WINGS } from "./wings.ts";

/** Does what was agreed to. */
export async function carryOutRun(
  ctx: ExecuteContext,
  command: Mutation,
  input: Fields,
  facts: Fields,
): Promise<Result<Fields>> {
  const work = { command, input, facts, tickets: ticketsTaken({ command, input }) };
  const act = WINGS.reduce(
    (inner, { around }) => around === undefined ? inner : () => around(ctx, work, inner),
    () => command.execute(ctx, input, facts),
  );
  return await act();
}
