/**
 * The person at the terminal, as agentpack's commands ask them.
 *
 * @module
 */

import { AgentpackError, type Person } from "../../../apps/agentpack/mod.ts";
import type { Consent, Question } from "../../../pipeline/agentpack/call.ts";
import type { System } from "../../../base/system/mod.ts";
import { askLine, isInteractive, isYes } from "../prompt.ts";
import type { PackFlags } from "./flags.ts";

/** The person at the terminal; null where there is none, or nobody shall be asked. */
export function personAt(system: System, flags: PackFlags, signal: AbortSignal): Person | null {
  const { terminal, env, processes } = system;
  if (!isInteractive(terminal, env, flags)) return null;
  return {
    ask: (question) => askLine(terminal, question, signal),
    async edit(path) {
      const words = (env.get("EDITOR") ?? "").trim().split(/\s+/).filter((word) => word !== "");
      if (words.length === 0) return null;
      const code = await processes.attach([...words, path]);
      if (code === 0) return null;
      return code === null
        ? `The editor "${words[0]}" could not be started`
        : `The editor "${words[0]}" ended with ${code}`;
    },
  };
}

/** What is asked before something changes: the rehearsal, then yes or no. */
function questionText({ summary, preview }: Question): string {
  const shown = preview === null ? summary : preview;
  return `${shown}\n\nProceed? [y/N] `;
}

/** How a call gets its consent: by `--yes`, from the person, or not at all. */
export function consentOf(flags: PackFlags, person: Person | null): Consent {
  if (flags.yes) return { kind: "given" };
  if (person === null) return { kind: "withheld" };
  return {
    kind: "ask",
    async ask(question) {
      const answer = await person.ask(questionText(question));
      if (answer !== null && isYes(answer)) return;
      throw new AgentpackError(
        "E_CONFIRM_REQUIRED",
        `Nothing was changed: "${question.id}" was declined`,
        {
          command: question.id,
        },
      );
    },
  };
}
