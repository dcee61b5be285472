/** The skills of servers with agentpack's tools (MCP-22): how to work with it, and those of its configuration. */

import {
  configuredSkills,
  makePack,
  operatorSkill,
  type Skill,
} from "../../../apps/agentpack/mod.ts";
import { readOnly } from "../../../base/system/read_only.ts";
import { isReadOnlyGit } from "../../../git/mod.ts";
import type { App } from "../../../pipeline/app.ts";
import type { ModelSkill } from "../../mcp/skills.ts";
import type { ToolStart } from "../../wing.ts";
import { hostOf, projectOf } from "./options.ts";

/** A skill below some names; the last name is its own. */
function below(above: readonly string[], { id, head, files }: Skill): ModelSkill {
  const name = String(head["name"]);
  return { head, above: [...above, ...(id === name ? [] : [id]), name], files };
}

/**
 * The skills of a server, `ours` among them. Nothing is fetched for those of the configuration, so a module whose
 * checkout is missing is left out until it is.
 */
export async function skillsBeside(
  app: App,
  { own }: ToolStart,
  ours: ModelSkill,
): Promise<ModelSkill[]> {
  const { system, version, prefix } = hostOf(app);
  const pack = makePack({ system: readOnly(system, isReadOnlyGit), version, prefix });
  const operator = await operatorSkill(pack);
  const configured = await configuredSkills(pack, { project: projectOf(system.env, own) })
    // Where nothing is configured there are none, and the tools say what is wrong with it.
    .catch((): Skill[] => []);
  return [
    ...operator === null ? [] : [below([], operator)],
    ours,
    ...configured.map((skill) => below(["agentpack"], skill)),
  ];
}
