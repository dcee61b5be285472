/** Looks things up for resources and completions, by the reading commands. */

import { nobody } from "../../pipeline/consent/approver.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { outcomeInToolWords } from "../../pipeline/tool_words.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { loadCommand } from "../../pipeline/registry.ts";
import { Session } from "../../pipeline/session.ts";
import type { Door } from "./selection.ts";
import type { Exchange } from "./features.ts";

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
  const { id, owner, bound, lasts } = door.session();
  const outcome = await carryOut(door.app, {
    command,
    args,
    session: new Session({
      id,
      owner,
      mode: "ask",
      maxMode: "ask",
      bound,
      lasts,
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
