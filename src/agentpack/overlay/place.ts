/**
 * Which directory holds the overlay of a module in a scope (PACK-15).
 *
 * @module
 */

import { join } from "@std/path";
import type { System } from "../../system/mod.ts";
import { fsKey, isSafeComponent, unboundedFsKey } from "../identity/fs_key.ts";
import type { Home } from "../identity/home.ts";
import type { Project } from "../identity/project.ts";
import type { OverlayScope } from "../names.ts";

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

async function firstDirectory(
  system: System,
  candidates: readonly string[],
): Promise<string | null> {
  for (const candidate of candidates) {
    if ((await system.files.stat(candidate))?.kind === "directory") return candidate;
  }
  return null;
}

/** Finds the overlay of a module in a scope, or says where it would be made. */
export async function findOverlay(
  system: System,
  around: Surroundings,
  scope: OverlayScope,
  id: string,
): Promise<OverlayPlace> {
  const { platform } = system.env;
  const candidates = overlayCandidates(overlayBase(around, scope), id, platform);
  const found = await firstDirectory(system, candidates);
  if (found !== null) return { scope, directory: found, exists: true, warning: null };
  const { alternativeId } = around.project;
  if (scope === "project" && alternativeId !== null) {
    const base = overlayBase(around, scope, alternativeId);
    const other = await firstDirectory(system, overlayCandidates(base, id, platform));
    if (other !== null) {
      const warning =
        `The project overlay of "${id}" was found under ${alternativeId}, the id of another spelling of the origin, instead of ${around.project.id}`;
      return { scope, directory: other, exists: true, warning };
    }
  }
  const [canonical = ""] = candidates;
  return { scope, directory: canonical, exists: false, warning: null };
}
