/**
 * Leaves out of the command lines of an answer what they mean anyhow where it is read, and adds what they need there.
 *
 * @module
 */

import { AmofError } from "../../base/error.ts";
import { shellWord } from "../../base/text/words.ts";
import { type App, knownRoots } from "../../pipeline/app.ts";
import type { Outcome, Surroundings } from "../../pipeline/envelope.ts";
import { inOtherWords } from "../../pipeline/outcome_words.ts";

/** A text whose command lines mean the same in these surroundings; `advice` is for lines to paste, not for prose. */
export function saidIn({ only, root }: Surroundings, text: string, advice = false): string {
  const short = only === null ? text : text.replaceAll(`amof -e ${only} `, "amof ");
  return !advice || root === null ? short : short.replaceAll(
    /(?<![\w/.-])amof (?=[-a-z])(?!--root )/g,
    `amof --root ${shellWord(root)} `,
  );
}

/** The only ecosystem of the control repository of a call, or null. An answer must not fail for how it is said. */
async function onlyEcosystem(app: App): Promise<string | null> {
  try {
    const { system, settings } = app;
    const { ecosystemNames, findRoot } = await import("../../workspace/mod.ts");
    const root = await findRoot(system, app.root, settings.root, () => knownRoots(app));
    const names = await ecosystemNames(system, root);
    return names.length === 1 ? names[0] ?? null : null;
  } catch (error) {
    if (error instanceof AmofError) return null;
    throw error;
  }
}

/** An answer with the command lines that a person pastes where they called. */
export async function saidHere(app: App, outcome: Outcome): Promise<Outcome> {
  const names = outcome.hint?.includes(" -e ") === true ||
    JSON.stringify(outcome.envelope).includes("ecosystem");
  const around = { only: names ? await onlyEcosystem(app) : null, root: app.root };
  if (around.only === null && around.root === null) return outcome;
  const prose = (text: string) => saidIn(around, text);
  const advice = (text: string) => saidIn(around, text, true);
  const envelope = await inOtherWords(outcome.envelope, { ours: prose, mixed: prose });
  const hinted = Object.entries(envelope).map(([name, value]) =>
    (name === "hint" || name === "execute_hint") && typeof value === "string"
      ? [name, advice(value)]
      : [name, value]
  );
  return {
    ...outcome,
    envelope: Object.fromEntries(hinted),
    details: outcome.details.map((part) => typeof part === "string" ? prose(part) : part),
    notes: outcome.notes.map((part) => typeof part === "string" ? prose(part) : part),
    hint: outcome.hint === null ? null : advice(outcome.hint),
    surroundings: around,
  };
}
