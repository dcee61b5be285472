/**
 * What doctor says about overlay directories (PACK-53).
 *
 * @module
 */

import type { Session } from "../../engine/session.ts";
import { OVERLAY_SCOPES } from "../../names.ts";
import { readModuleId } from "../../overlay/meta.ts";
import { overlayBase, overlayCandidates } from "../../overlay/place.ts";
import type { Finding } from "./health.ts";

/** Overlays in several places, at paths that are no directories, or of another module. */
export async function overlayFindings(session: Session): Promise<Finding[]> {
  const { system } = session.pack;
  const findings: Finding[] = [];
  for (const module of session.config.modules) {
    for (const scope of OVERLAY_SCOPES) {
      const say = (what: string) =>
        findings.push({
          kind: "overlay",
          module_id: module.id,
          message: `overlay layout (${scope}) module ${module.id}: ${what}`,
        });
      const base = overlayBase(session, scope);
      const existing: string[] = [];
      for (const path of overlayCandidates(base, module.id, system.env.platform)) {
        const info = await system.files.stat(path);
        if (info === null) continue;
        if (info.kind !== "directory") {
          say(`"${path}" is not a directory`);
          continue;
        }
        existing.push(path);
        const named = await readModuleId(system.files, path);
        if (named !== null && named !== module.id) {
          say(`"${path}" says that it belongs to "${named}"`);
        }
      }
      const [used, ...others] = existing;
      if (used !== undefined && others.length > 0) {
        say(
          `several directories; "${used}" is used, not ${
            others.map((one) => `"${one}"`).join(", ")
          }`,
        );
      }
    }
  }
  return findings;
}
