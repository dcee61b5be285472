/** Every kind of journaled step of this room. */

import { DROP_OPERATIONS } from "./drop.ts";
import { REMAKE_OPERATIONS, REPO_OPERATIONS } from "./steps.ts";

/** Every step of this room. */
export const UNDO_OPERATIONS = [
  ...REPO_OPERATIONS,
  ...REMAKE_OPERATIONS,
  ...DROP_OPERATIONS,
] as const;
