/** What a rule offers, and how that becomes an action with all a caller needs (NEXT-1). */

import { defined, type Fields } from "../../base/object.ts";
import type { Known } from "../../contract/mod.ts";
import { modeRequired } from "../../base/policy/mode.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { SuggestedAction } from "./action.ts";
import { asText, campaignOf, ecosystemOf, runOf } from "./answer.ts";
import type { Condition } from "./conditions.ts";
import type { ActionId } from "../../contract/next.ts";
import { DEFINITIONS } from "./definitions.ts";
import { toolScope } from "./scope.ts";
import type { Situation } from "./situation.ts";
import { type WordId, WORDS } from "./words.ts";

const LABEL_LENGTH = 30;
const LOWEST_PRIORITY = 5;

/** An action with what is special about it here; its definition says the rest (NEXT-2). */
export interface Offer {
  readonly id: ActionId;
  /** Tells several actions of one id apart: `switch_ecosystem_2`. */
  readonly suffix?: string;
  /** What it is called here; its own words when absent. */
  readonly says?: WordId;
  /** A label with the name of the thing in it. */
  readonly label?: string;
  readonly args?: Fields;
  readonly priority?: number;
  readonly condition?: Condition;
}

/** Offers in the order of their list: the priority is the position (NEXT-3). */
export function inOrder(
  items: readonly (ActionId | Offer)[],
  condition: Condition | null = null,
): Offer[] {
  return items.map((item, index) => ({
    ...(condition === null ? {} : { condition }),
    ...(typeof item === "string" ? { id: item } : item),
    priority: Math.min(index + 1, LOWEST_PRIORITY),
  }));
}

/** Whether a label with this text in it can be shown whole (NEXT-1). */
export function fitsLabel(label: string): boolean {
  return cleanLine(label, LABEL_LENGTH) === label;
}

/** Whether a command changes the base workspace alone, which nobody asked about who works in a ticket. */
function isElsewhere(command: Known, { ticket }: Situation): boolean {
  return ticket !== null && command.kind === "mutation" && command.inWorkspace === true &&
    command.inTicket !== true;
}

/** What a call may do, and whether it asks for consent, or is one: deleting branches raises both. */
function careOf(command: Known, args: Fields): Pick<SuggestedAction, "safety" | "confirm"> {
  return args["cleanup"] === true ? { safety: "dangerous-write", confirm: true } : {
    safety: command.safety,
    confirm: command.confirm !== "none" || command.kind === "redeem",
  };
}

/** What a call of a command has to name where no session knows it. */
function unsaid(command: Known, { ecosystem }: Fields, { mode }: Situation): Fields {
  return {
    ...(command.scope === "ecosystem" && asText(ecosystem) !== null ? { ecosystem } : {}),
    ...(command.kind === "mutation" || command.kind === "redeem" ? { mode } : {}),
  };
}

/**
 * The action of an offer; null when its tool is not offered here or an argument it needs is not
 * known, so that none is about an ecosystem that nobody named (NEXT-2).
 */
export function toAction(offer: Offer, situation: Situation): SuggestedAction | null {
  const definition = DEFINITIONS[offer.id];
  const command = situation.find(definition.tool);
  if (command === null || isElsewhere(command, situation)) return null;
  const known: Fields = {
    ecosystem: ecosystemOf(situation),
    run_id: runOf(situation),
    campaign: campaignOf(situation),
    ...offer.args,
  };
  if (definition.needs.some((name) => asText(known[name]) === null)) return null;
  const needed = Object.fromEntries(definition.needs.map((name) => [name, known[name]]));
  const { ticket } = situation;
  if (ticket !== null && command.inTicket === true) needed["ticket"] = ticket;
  // Whoever has no session is told all that the next call has to say.
  if (!situation.session.lasts) Object.assign(needed, unsaid(command, known, situation));
  const args = { ...needed, ...definition.args, ...offer.args };
  const care = careOf(command, args);
  const [label, description] = WORDS[offer.says ?? offer.id];
  return {
    id: offer.suffix === undefined ? offer.id : `${offer.id}_${offer.suffix}`,
    label: cleanLine(offer.label ?? label, LABEL_LENGTH),
    tool: definition.tool,
    args,
    // A tool of the session applies to the scope of the tool that was just called.
    scope: command.scope === "session" ? toolScope(situation) : command.scope,
    mode_required: modeRequired(care.safety),
    ...care,
    priority: offer.priority ?? definition.priority,
    description,
    ...defined({ condition: offer.condition }),
  };
}
