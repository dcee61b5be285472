/**
 * Everything that a door offers, as features of a server. Loaded once the client was greeted.
 *
 * @module
 */

import { toolFeature } from "./calls.ts";
import { completionFeature } from "./completion.ts";
import type { Door } from "./door.ts";
import { type Features, type MoreTools, together } from "./features.ts";
import type { Introduction } from "./greeting.ts";
import { promptFeature } from "./prompts.ts";
import { taskFeature } from "./tasks.ts";
import { resourceFeature } from "./resources.ts";

export { serveFeatures } from "./serving.ts";

/** What a door offers; `more` are tools that are no commands of amof. */
export function featuresOf(
  door: Door,
  { info, instructions }: Introduction,
  more: MoreTools | undefined,
): Features {
  return {
    info,
    instructions,
    tools: together(toolFeature(door), more === undefined ? [] : [more]),
    resources: resourceFeature(door),
    prompts: promptFeature(door),
    completion: completionFeature(door),
    tasks: taskFeature(door),
  };
}
