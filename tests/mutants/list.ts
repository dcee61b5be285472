/**
 * All mutants.
 *
 * @module
 */

import type { Mutant } from "./mutant.ts";
import { AGENTPACK } from "./rooms/agentpack.ts";
import { CHANGE } from "./rooms/change.ts";
import { COMMAND } from "./rooms/command.ts";
import { ECOSYSTEM } from "./rooms/ecosystem.ts";
import { GIT } from "./rooms/git.ts";
import { POLICY } from "./rooms/policy.ts";
import { RELEASE_ROOMS } from "./rooms/release.ts";
import { STOCKTRIM } from "./rooms/stocktrim.ts";
import { STORE } from "./rooms/store.ts";
import { SURROUNDINGS } from "./rooms/surroundings.ts";
import { TICKET } from "./rooms/ticket.ts";
import { UNDO_AND_DOORS } from "./rooms/undo.ts";
import { WORKSPACE } from "./rooms/workspace.ts";

/** The mutants, room by room. */
export const MUTANTS: readonly Mutant[] = [
  ...POLICY,
  ...COMMAND,
  ...STORE,
  ...GIT,
  ...WORKSPACE,
  ...ECOSYSTEM,
  ...TICKET,
  ...CHANGE,
  ...UNDO_AND_DOORS,
  ...RELEASE_ROOMS,
  ...AGENTPACK,
  ...STOCKTRIM,
  ...SURROUNDINGS,
];
