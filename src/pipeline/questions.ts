/**
 * Which programs besides git a call that must change nothing may start. Loaded with the first that is none of git's: most
 * calls that only read start nothing else.
 */

import { isBoxTrial, isSharedFilesLook } from "../machine/box/mod.ts";
import { isForgeQuestion } from "../commands/ecosystem/create/from/org.ts";
import { isForgeLook } from "../forge/mod.ts";
import type { ProcessRequest } from "../base/system/mod.ts";
import { WINGS } from "./wings.ts";

const OF_WINGS = await Promise.all(WINGS.flatMap(({ questions }) => questions?.() ?? []));

/** Whether a program with these arguments only asks: a forge, an engine, a box, a server of ours. */
export function isQuestion(request: ProcessRequest): boolean {
  return isForgeQuestion(request) || isForgeLook(request) || isBoxTrial(request) ||
    isSharedFilesLook(request) || OF_WINGS.some((isOne) => isOne(request));
}
