/** What a call takes while it works (RUN-6). */

import type { Known, Locks, Mutation } from "../contract/mod.ts";
import type { Fields } from "../base/object.ts";
import { locksAt } from "../runs/changing.ts";
import type { Lock, RunRecord } from "../state/store/mod.ts";
import type { Target } from "./context.ts";

/** A mutation with its input, which may decide what it takes. */
interface Call {
  readonly command: Pick<Mutation, "exclusive" | "locks">;
  readonly input: Fields;
}

function declared({ command: { locks = "ecosystem" }, input }: Call): Locks {
  return typeof locks === "function" ? locks(input) : locks;
}

/** The locks of a call; none for a command that excludes nothing. */
export function locksOf(call: Call, target: Target): readonly Lock[] {
  return call.command.exclusive === true ? locksAt(declared(call), target) : [];
}

/** Whether a call begins also where it gets only some of its locks. */
export function takesEach(call: Call): boolean {
  const locks = declared(call);
  return typeof locks !== "string" && locks.each === true;
}

/** The ticket under which the run of a call is kept: the one it works in, or that it alone is about. */
export function ticketOfRun(call: Call, target: Target): string | null {
  if (target.ticket !== null || call.command.exclusive !== true) return target.ticket;
  const locks = declared(call);
  if (typeof locks === "string" || locks.base === true) return null;
  const [only = null, second] = locks.tickets ?? [];
  return second === undefined ? only : null;
}

/** The tickets whose own workspaces a call takes, besides the one it is called in. */
export function ticketsTaken(call: Call): readonly string[] {
  if (call.command.exclusive !== true) return [];
  const locks = declared(call);
  return typeof locks === "string" ? [] : locks.tickets ?? [];
}

/** The ticket in whose workspace a run works: not that of a run that only makes one, or takes it away. */
export function ticketIn(
  command: Pick<Known, "inTicket"> | null,
  { ticket }: Pick<RunRecord, "ticket">,
): string | null {
  return command?.inTicket === true ? ticket : null;
}
