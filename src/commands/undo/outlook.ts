/** What undoing could bring back of a mutation, looked up before it is done (UNDO-7). */

import type {
  CommandContext,
  Mutation,
  Preview,
  UndoOutlook,
  WorkspaceMade,
} from "../../contract/mod.ts";
import type { Fields } from "../../base/object.ts";
import { few } from "../../base/text/words.ts";
import { undoLimits } from "../../workspace/changing.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";

/** How many repositories the line names. */
const MOST_NAMED = 3;

/** What is looked at before and after, by how closely. */
const BACK = {
  names: "what is checked out, branches and tags",
  everything: "commits, branches, index, files and stashes",
} as const;

/** What is brought back of what makes a workspace. Adopted clones are not new: they stay where they are. */
function unmade({ repos, adopted = [] }: WorkspaceMade): string {
  const before = repos.length > adopted.length || adopted.length === 0
    ? "what was there before, as long as nothing of yours is in the new clones"
    : "what was there before";
  return adopted.length === 0 ? before : `${before}; of adopted clones only the links go`;
}

/** What is brought back of what takes the workspace of a ticket away. */
const BACK_ENDED = "its workspace, with branches, tags and what is checked out in its clones";

/** What is brought back of what brings clones into a workspace. */
const BACK_ADDED = "the workspace without the new clones, as long as nothing of yours is in them";

/** What undoing cannot take back of a call, as its command says it; null where it says nothing. */
export function irreversibleOf(
  { irreversible }: Mutation,
  facts: Fields,
  input: Fields,
): string | null {
  return typeof irreversible === "function" ? irreversible(facts, input) : irreversible ?? null;
}

/** The outlook of a call with this preview; null where nothing would happen, and for what is no work in repositories. */
export async function outlookOf(
  ctx: CommandContext,
  command: Mutation,
  input: Fields,
  { facts, settled }: Preview<Fields, Fields>,
): Promise<UndoOutlook | null> {
  if (settled !== undefined) return null;
  const stays = irreversibleOf(command, facts, input);
  const changed = command.changes?.(facts, input);
  const whole = changed?.makes !== undefined
    ? unmade(changed.makes)
    : changed?.ends !== undefined
    ? BACK_ENDED
    : changed?.adds !== undefined
    ? BACK_ADDED
    : null;
  if (changed === undefined || changed.repos.length === 0 && whole === null) {
    return stays === null ? null : { brings_back: null, cannot: stays };
  }
  const { repos, what, back = BACK[what] } = changed;
  const { on } = undoLimits(ctx.settings, await scopeManifest(ctx));
  if (on && whole !== null) return { brings_back: whole, cannot: stays };
  return on
    ? { brings_back: `${back} in ${few([...new Set(repos)], MOST_NAMED)}`, cannot: stays }
    : { brings_back: null, cannot: "this: it is switched off" };
}
