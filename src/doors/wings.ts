/** The wings of the doors: the one place that names them. */

import { AGENTPACK } from "./agentpack/wing.ts";
import type { DoorWing, OwnTools } from "./wing.ts";

/** Every wing of the doors. Any of them can be taken off. */
export const DOOR_WINGS: readonly DoorWing[] = [AGENTPACK];

/** The tools of wings that are no commands. */
export const OWN_TOOLS: readonly OwnTools[] = DOOR_WINGS.flatMap(({ tools }) => tools ?? []);
