/**
 * What the parts of the MCP door share: the program, the session, and which tools are offered.
 *
 * @module
 */

import { type ConfirmBy, nobody } from "../command/consent/approver.ts";
import type { App } from "../command/app.ts";
import type { Outcome } from "../command/envelope.ts";
import { carryOut } from "../command/pipeline.ts";
import { findCommand, loadCommand } from "../command/registry.ts";
import { outcomeInToolWords } from "../command/outcome_words.ts";
import type { Known } from "../contract/mod.ts";
import { Session } from "../command/session.ts";
import type { Exchange } from "./features.ts";
import type { Selection } from "./selection.ts";

/** The door of one client. */
export interface Door {
  readonly app: App;
  readonly session: Session;
  readonly selection: Selection;
  readonly confirmBy: ConfirmBy;
}

/** The command of a tool if this server offers it, else null. */
export function offered(door: Door, tool: string): Known | null {
  const command = findCommand(tool);
  return command !== null && door.selection.judge(command).offered ? command : null;
}

/**
 * Asks a reading command for what a resource or a completion needs. It runs in a session of its own, so
 * that looking something up never moves the client's.
 */
export async function lookUp(
  door: Door,
  tool: string,
  args: Readonly<Record<string, unknown>>,
  exchange: Exchange,
): Promise<Outcome> {
  const command = await loadCommand(tool);
  if (command?.kind !== "query") throw new TypeError(`${tool} is no reading command`);
  const outcome = await carryOut(door.app, {
    command,
    args,
    session: new Session({
      id: door.session.id,
      owner: door.session.owner,
      mode: "ask",
      maxMode: "ask",
      bound: door.session.bound,
    }),
    door: "mcp",
    client: exchange.client,
    signal: exchange.signal,
    report: { log: () => {}, progress: () => {} },
    approver: nobody,
    confirmBy: door.confirmBy,
    offers: () => false,
  });
  return await outcomeInToolWords(outcome, (other) => door.selection.judge(other).offered);
}
