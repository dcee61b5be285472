/** Finds what the token of a confirmation stands for. */

import { AmofError } from "../base/error.ts";
import type { Mode } from "../base/policy/mode.ts";
import type { ConfirmCommand, Mutation } from "../contract/mod.ts";
import { hashToken } from "../state/store/mod.ts";
import { BASE, meansAll } from "../contract/input.ts";
import { allowing, type App } from "./app.ts";
import type { Call, Progress } from "./preview.ts";
import type { Wanted } from "./change.ts";
import { parseArguments } from "./common.ts";
import { Gate } from "./consent/gate.ts";
import { effectiveMode, ownerOf, resolveTarget } from "./context.ts";
import { loadCommand } from "./registry.ts";

/**
 * Finds the change a token was made for. Throws `confirmation_invalid`, `mode_insufficient` below execute, and
 * `tool_not_available` for what is not offered here (CONFIRM-13).
 */
export async function redeemed(
  app: App,
  call: Call,
  confirm: ConfirmCommand,
  progress: Progress,
): Promise<Wanted> {
  const { input, common } = await parseArguments(confirm, call.args, call.door);
  const { token, typedValue } = confirm.redeem(input);
  const target = await resolveTarget(app, call, confirm, {
    ecosystem: undefined,
    ticket: null,
  });
  progress.target = target;
  const tokenHash = hashToken(token);
  const gate = new Gate({ store: await app.store(), system: app.system });
  const request = gate.lookUp(tokenHash, ownerOf(call, target.root));
  const command = await loadCommand(request.tool);
  if (command?.kind !== "mutation" || !call.offers(command)) {
    throw new AmofError(
      "tool_not_available",
      `Cannot confirm ${command?.title ?? request.tool}: it is not offered here`,
    );
  }
  progress.target = { root: target.root, ecosystem: request.ecosystem, ticket: request.ticket };
  progress.mode = effectiveMode(call, confirm, common.mode);
  // The token stays alive: raising the mode is all that is missing.
  if (progress.mode !== "execute") {
    throw needsExecute(call, command, { token, mode: progress.mode });
  }
  return {
    app: allowing(app, common.timeout ?? app.timeout ?? request.timeout),
    command,
    args: {
      ...request.args,
      ...(command.scope === "ecosystem" ? { ecosystem: request.ecosystem } : {}),
      ...(command.inTicket === "its workspace" && !meansAll(request.args)
        ? { ticket: request.ticket ?? BASE }
        : {}),
      mode: progress.mode,
    },
    redeeming: { tokenHash, token, typedValue, tool: null },
  };
}

function needsExecute(
  { door, session }: Call,
  { title }: Mutation,
  { token, mode }: { readonly token: string; readonly mode: Mode },
): AmofError {
  return new AmofError(
    "mode_insufficient",
    `Cannot confirm "${title}" in mode ${mode}: it needs execute`,
    {
      hint: {
        cli: `Confirm it in mode execute: amof confirm ${token}`,
        mcp: 'Raise the mode: amof_set_mode(mode="execute"), then confirm again',
        http: 'Confirm again with mode="execute"',
      }[door === "mcp" && !session.lasts ? "http" : door],
      details: { mode_required: "execute", max_mode: session.maxMode },
    },
  );
}
