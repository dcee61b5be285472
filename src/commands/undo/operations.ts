/** Every kind of journaled step of this room. */

import { forgetDropped } from "./drop.ts";
import { remakeTicket } from "./remake.ts";
import { REPO_OPERATIONS } from "./steps.ts";

/** Every step of this room. */
export const UNDO_OPERATIONS = [...REPO_OPERATIONS, remakeTicket, forgetDropped] as const;
