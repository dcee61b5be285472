/** Says an answer in the words of tools: what in it is ours is changed, what others wrote stays as it is (MCP-10). */

import { mapMembers } from "../base/object.ts";
import { partsOf, plainText } from "../base/text/parts.ts";
import type { Outcome } from "./envelope.ts";
import { FOREIGN, type Speaker, speakerOf, textsOfOthers } from "./hint.ts";
import { inToolWords, type Listener } from "./tool_words.ts";

/** Says a text in other words. */
type Change = (text: string) => string | Promise<string>;

/** A JSON value with every text of ours, also one that is mixed with others', as `say` gives it. */
function mapOurs(
  value: unknown,
  speaker: Speaker,
  say: (text: string, speaker: Exclude<Speaker, "theirs">) => string,
): unknown {
  if (typeof value === "string") return speaker === "theirs" ? value : say(value, speaker);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return mapMembers(value, (item) => mapOurs(item, speaker, say));
  return mapMembers(
    value,
    (item, name) => FOREIGN.has(name) ? item : mapOurs(item, speakerOf(name, item), say),
  );
}

/** The members of an answer with every text of ours in other words. */
export async function inOtherWords(
  envelope: Outcome["envelope"],
  change: Readonly<Record<Exclude<Speaker, "theirs">, Change>>,
): Promise<Outcome["envelope"]> {
  const changes = { ours: new Map<string, string>(), mixed: new Map<string, string>() };
  mapOurs(envelope, "theirs", (text, speaker) => {
    changes[speaker].set(text, text);
    return text;
  });
  for (const speaker of ["ours", "mixed"] as const) {
    for (const text of changes[speaker].keys()) {
      changes[speaker].set(text, await change[speaker](text));
    }
  }
  const said = mapOurs(envelope, "theirs", (text, speaker) => changes[speaker].get(text) ?? text);
  return said as Outcome["envelope"];
}

/** An answer as it is told to a model. */
export async function outcomeInToolWords(
  outcome: Outcome,
  offers: Listener["offers"],
): Promise<Outcome> {
  const listener: Listener = { offers, command: outcome.command };
  let foreign: readonly string[] | null = null;
  const isForeign = (part: string) => {
    foreign ??= textsOfOthers(outcome.envelope);
    return foreign.some((text) => text.includes(part));
  };
  const ours: Change = (text) => inToolWords(text, listener);
  const mixed: Change = (text) => inToolWords(text, listener, isForeign);
  return {
    ...outcome,
    envelope: await inOtherWords(outcome.envelope, { ours, mixed }),
    summary: await ours(outcome.summary),
    details: partsOf(await mixed(plainText(outcome.details))),
    notes: partsOf(await mixed(plainText(outcome.notes))),
    hint: outcome.hint === null ? null : await ours(outcome.hint),
  };
}
