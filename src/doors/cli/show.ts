/** Shows the answer of a command in the form that was asked for. */

import type { App } from "../../pipeline/app.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { onlyFields } from "../../pipeline/line/fields.ts";
import type { Invocation } from "../../pipeline/line/parse.ts";
import { loadCommand } from "../../pipeline/registry.ts";
import { AmofError } from "../../base/error.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import type { Terminal } from "../../base/system/mod.ts";
import { saidHere } from "./implied.ts";
import { withPager } from "./pager.ts";
import { writeOutcome } from "./render.ts";

async function declaredFields({ command }: Outcome): Promise<readonly string[]> {
  const loaded = command?.kind === "query" ? await loadCommand(command.name) : null;
  return loaded?.kind === "query" ? loaded.fields ?? [] : [];
}

/**
 * Writes an answer. Fields and expressions count for what a command answers, also where its answer is a failure, and
 * not for a refusal, which is told as without them. Throws `invalid_arguments` for what the answer does not have.
 */
export async function show(
  app: App,
  whole: Outcome,
  asked: { readonly flags: GlobalFlags } | Pick<Invocation, "flags" | "entry" | "rest">,
): Promise<void> {
  const { system, settings } = app;
  const { flags } = asked;
  const outcome = await saidHere(app, whole, "entry" in asked ? asked : null);
  const { terminal } = system;
  const { fields, jq } = flags;
  if (!outcome.answered || (fields === null && jq === null)) {
    const json = flags.json && (outcome.answered || jq === null);
    const wishes = { ...flags, json, nextSteps: settings.nextSteps };
    const write = (terminal: Terminal) => writeOutcome(terminal, outcome, wishes);
    const reads = outcome.command?.kind === "query" || outcome.command?.kind === "navigation";
    if (!reads || json || flags.quiet || !flags.pager) return write(terminal);
    return await withPager(system, settings, write);
  }
  try {
    const answer = fields === null
      ? outcome.envelope
      : onlyFields(outcome.envelope, fields, await declaredFields(outcome));
    const { text, failure } = jq === null
      ? { text: `${JSON.stringify(answer)}\n`, failure: null }
      : await (await import("./jq.ts")).filtered(answer, jq);
    terminal.out(text);
    if (failure !== null) throw failure;
  } catch (error) {
    const changes = outcome.command?.kind === "mutation" || outcome.command?.kind === "redeem";
    if (!(error instanceof AmofError) || !changes) throw error;
    const message = `${error.message}. What the command did is done`;
    throw new AmofError(error.code, message, {
      // Nothing is done twice for the sake of how it is shown.
      hint: error.hint.includes("the same command") ? "See what it did: amof audit" : error.hint,
      details: error.details,
      exit: error.exit,
    });
  }
}
