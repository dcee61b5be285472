/** What applies to a call because of what it meets on the disk: more consent than its arguments alone ask for. */

import type { Fields } from "../base/object.ts";
import { AmofError } from "../base/error.ts";
import type { Mutation, Preview } from "../contract/mod.ts";
import type { App } from "./app.ts";
import type { Target } from "./context.ts";

/** The command as it applies where the call is about to act. */
export async function met(
  { system, layout }: Pick<App, "system" | "layout">,
  { root, ecosystem }: Target,
  command: Mutation,
  input: Fields,
): Promise<Mutation> {
  return { ...command, ...await command.meets?.({ system, layout, root, ecosystem }, input) };
}

/** The command as it asks where its preview has found what nobody else has. */
export function asking(
  command: Mutation,
  { confirm }: Pick<Preview<Fields, Fields>, "confirm">,
): Mutation {
  return confirm === undefined ? command : { ...command, confirm, safety: "dangerous-write" };
}

/** Throws `confirmation_stale` for a call that goes on without consent and meets, under its lock, what asks for it. */
export async function requireUnmet(
  app: Pick<App, "system" | "layout">,
  target: Target,
  command: Mutation,
  input: Fields,
): Promise<void> {
  const { confirm } = await met(app, target, { ...command, confirm: "none" }, input);
  if (confirm === "none") return;
  throw unmet(command);
}

/** The refusal of a call that goes on without the consent that it turns out to need. */
export function unmet(command: Mutation): AmofError {
  return new AmofError(
    "confirmation_stale",
    `Cannot ${command.path.join(" ")}: what it is about has changed meanwhile; nothing was done`,
    { hint: "Repeat the command: it will ask" },
  );
}
