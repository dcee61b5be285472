/** Everything that a door offers, as features of a server. Loaded once the client was greeted. */

import { toolFeature } from "./calls.ts";
import { completionFeature } from "./completion.ts";
import type { Door } from "./door.ts";
import { type Features, type MoreTools, type ResourceFeature, together } from "./features.ts";
import type { Introduction } from "./greeting.ts";
import { promptFeature } from "./prompts.ts";
import { taskFeature } from "./tasks.ts";
import { resourceFeature } from "./resources.ts";

export { serveFeatures } from "./serving.ts";

type Skills = NonNullable<Features["skills"]>;

/** Resources with the files of skills among them. */
function withSkills(resources: ResourceFeature, load: Skills | null): ResourceFeature {
  if (load === null) return resources;
  return {
    ...resources,
    read: async (uri, exchange) =>
      await (uri.startsWith("skill:") ? (await load()).read(uri) : resources.read(uri, exchange)),
  };
}

/** What a door offers; `more` are tools that are no commands of amof. */
export function featuresOf(
  door: Door,
  { info, instructions }: Introduction,
  { more, skills }: { readonly more: MoreTools | undefined; readonly skills: Skills | null },
): Features {
  return {
    info,
    instructions,
    tools: together(toolFeature(door), more === undefined ? [] : [more]),
    resources: withSkills(resourceFeature(door), skills),
    prompts: promptFeature(door),
    completion: completionFeature(door),
    tasks: taskFeature(door),
    skills,
  };
}
