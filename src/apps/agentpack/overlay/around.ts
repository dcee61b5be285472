/**
 * What a command about an overlay looks at: home, project, machine, and the module (PACK-14).
 *
 * @module
 */

import type { Config, ModuleConfig } from "../config/config.ts";
import { noModule } from "../config/select.ts";
import { homeOf, machineId } from "../identity/home.ts";
import { detectProject } from "../identity/project.ts";
import type { Pack, Selection } from "../pack.ts";
import type { Surroundings } from "./place.ts";

/** Home, project and machine of a call, which decide where overlays are. */
export async function surroundings(pack: Pack, selection: Selection): Promise<Surroundings> {
  return {
    home: homeOf(pack.system.env, selection.repo),
    project: await detectProject(pack, selection.project),
    machineId: machineId(pack.system.env, selection.machine),
  };
}

/** A configured module. Throws `E_CONFIG_INVALID` when there is none of that id. */
export function requireModule(config: Config, id: string): ModuleConfig {
  const module = config.modules.find((module) => module.id === id);
  if (module !== undefined) return module;
  throw noModule(id, config.modules.map((module) => module.id));
}
