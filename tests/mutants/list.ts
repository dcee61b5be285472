/**
 * All mutants.
 *
 * @module
 */

import type { Mutant } from "./mutant.ts";
import { COMMAND } from "./rooms/command.ts";
import { ECOSYSTEM } from "./rooms/ecosystem.ts";
import { POLICY } from "./rooms/policy.ts";
import { STORE } from "./rooms/store.ts";
import { WORKSPACE } from "./rooms/workspace.ts";

/** The mutants, room by room. */
export const MUTANTS: readonly Mutant[] = [
  ...POLICY,
  ...COMMAND,
  ...STORE,
  ...ECOSYSTEM,
  ...WORKSPACE,
];
