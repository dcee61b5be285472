/**
 * Which programs besides git a call that must change nothing may start. Loaded with the first that is none of git's: most
 * calls that only read start nothing else.
 */

import { isBoxTrial, isSharedFilesLook } from "../machine/box/mod.ts";
import { isForgeQuestion } from "../commands/ecosystem/create/from/org.ts";
import { isForgeLook } from "../forge/mod.ts";
import type { ProcessRequest } from "../base/system/mod.ts";
import { WINGS } from "./wings.ts";

/** Whether a program with these arguments only asks: a forge, an engine, a box, a server of ours. */
export async function isQuestion(request: ProcessRequest): Promise<boolean> {
  if (isForgeQuestion(request) || isForgeLook(request)) return true;
  if (isBoxTrial(request) || isSharedFilesLook(request)) return true;
  const ofWings = await Promise.all(WINGS.flatMap(({ questions }) => questions?.() ?? []));
  return ofWings.some((isOne) => isOne(request));
}
