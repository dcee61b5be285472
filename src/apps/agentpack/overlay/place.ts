/** Which directory holds the overlay of a module in a scope, and what that depends on (PACK-14, PACK-15). */

import { basename, join } from "@std/path";
import type { System } from "../../../base/system/mod.ts";
import {
  detectProject,
  fsKey,
  type Home,
  homeOf,
  isSafeComponent,
  machineId,
  type Project,
  unboundedFsKey,
} from "../identity.ts";
import { Listing } from "../io.ts";
import type { OverlayScope } from "../names.ts";
import type { Config, ModuleConfig } from "../config/config.ts";
import { noModule } from "../config/select.ts";
import type { Pack, Selection } from "../pack.ts";

/** What decides between overlay directories besides the module. */
export interface Surroundings {
  readonly home: Home;
  readonly project: Project;
  readonly machineId: string;
}

/** The directory of one overlay. */
export interface OverlayPlace {
  readonly scope: OverlayScope;
  readonly directory: string;
  readonly exists: boolean;
  /** Set when the directory was found under another spelling of the project's origin. */
  readonly warning: string | null;
}

/** The directory that holds all overlays of a scope. */
export function overlayBase(
  around: Surroundings,
  scope: OverlayScope,
  projectId = around.project.id,
): string {
  const { repo } = around.home;
  if (scope === "global") return join(repo, "overlays");
  return scope === "machine"
    ? join(repo, "overlays", "machines", around.machineId)
    : join(repo, "projects", projectId, "overlays");
}

/** Where the overlay of a module may be below a base; the first is where it should be. */
export function overlayCandidates(
  base: string,
  id: string,
  platform: "linux" | "darwin" | "windows",
): string[] {
  const names = [fsKey(id), unboundedFsKey(id)];
  // Below the global base, "machines" holds the overlays of machines.
  if (isSafeComponent(id, platform) && id !== "machines") names.push(id);
  return [...new Set(names)].map((name) => join(base, name));
}

/** Finds overlays; what is in the directories that hold them is looked at once, when it is first needed. */
export class OverlayFinder {
  readonly #system: System;
  readonly #around: Surroundings;
  /** By directory; null for one that cannot be listed. */
  readonly #listings = new Map<string, Promise<Listing | null>>();

  constructor(system: System, around: Surroundings) {
    this.#system = system;
    this.#around = around;
  }

  /** The overlay of a module in a scope; null when there is none. */
  async find(scope: OverlayScope, id: string): Promise<OverlayPlace | null> {
    const base = overlayBase(this.#around, scope);
    const found = await this.#among(base, id);
    if (found !== null) return { scope, directory: found, exists: true, warning: null };
    const { id: own, alternativeId } = this.#around.project;
    if (scope === "project" && alternativeId !== null) {
      const other = await this.#among(overlayBase(this.#around, scope, alternativeId), id);
      if (other !== null) {
        const warning =
          `The project overlay of "${id}" was found under ${alternativeId}, the id of another spelling of the origin, instead of ${own}`;
        return { scope, directory: other, exists: true, warning };
      }
    }
    return null;
  }

  /** The first directory below a base that is one for a module, or null. */
  async #among(base: string, id: string): Promise<string | null> {
    const listed = await this.#listings.getOrInsertComputed(
      base,
      () => this.#system.files.list(base).then((entries) => new Listing(entries), () => null),
    );
    if (listed?.isEmpty) return null;
    for (const candidate of overlayCandidates(base, id, this.#system.env.platform)) {
      const kind = listed?.kindOf(basename(candidate)) ?? "unknown";
      if (kind === "directory") return candidate;
      // A link may lead to a directory.
      if (kind !== "symlink" && kind !== "unknown") continue;
      if ((await this.#system.files.stat(candidate))?.kind === "directory") return candidate;
    }
    return null;
  }
}

/** Finds the overlay of a module in a scope, or says where it would be made. */
export async function findOverlay(
  system: System,
  around: Surroundings,
  scope: OverlayScope,
  id: string,
): Promise<OverlayPlace> {
  const found = await new OverlayFinder(system, around).find(scope, id);
  const directory = join(overlayBase(around, scope), fsKey(id));
  return found ?? { scope, directory, exists: false, warning: null };
}

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
