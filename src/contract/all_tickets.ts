/** What a command declares that can be about every workspace of an ecosystem at once (SCOPE-5). */

import { unlisted, type ZodNamespace } from "./input.ts";

/** What names the base workspace where a ticket could be named; no ticket has this id. */
export const BASE = "main";

/** The member of an input that asks for every workspace. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export const allTicketsInput = (z: ZodNamespace) => ({
  all_tickets: unlisted(
    z.boolean().optional().describe("In the base workspace and in every ticket's own"),
  ),
});

/** Whether an input asks for every workspace. */
export function meansAll(input: { readonly all_tickets?: unknown }): boolean {
  return input.all_tickets === true;
}
