/**
 * Serves a client everything that a door offers. Loaded once the client was greeted.
 *
 * @module
 */

import { toolFeature } from "./calls.ts";
import { completionFeature } from "./completion.ts";
import { serveFeatures } from "./connection.ts";
import type { Door } from "./door.ts";
import { type MoreTools, together } from "./features.ts";
import type { Introduction } from "./greeting.ts";
import { promptFeature } from "./prompts.ts";
import { resourceFeature } from "./resources.ts";
import type { Wire } from "./wire.ts";

/** Serves until the input of the wire ends; `more` are tools that are no commands of amof. */
export async function serveDoor(
  door: Door,
  { info, instructions }: Introduction,
  more: readonly MoreTools[],
  wire: Wire,
): Promise<void> {
  await serveFeatures(door.app.system, {
    info,
    instructions,
    tools: together(toolFeature(door), more),
    resources: resourceFeature(door),
    prompts: promptFeature(door),
    completion: completionFeature(door),
  }, wire);
}
