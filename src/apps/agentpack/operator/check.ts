/**
 * Whether the operator files are there and of our version (PACK-33).
 *
 * @module
 */

import { decodeText } from "../bytes.ts";
import { actionsFor, type NextAction } from "../engine/next_action.ts";
import type { Session } from "../engine/session.ts";
import { operatorFiles, operatorVersion } from "./assets.ts";

/** What the check found. */
interface OperatorCheck {
  readonly warnings: readonly string[];
  readonly actions: readonly NextAction[];
}

/** Looks for the operator files of the selected targets in every scope that is switched on. */
export async function checkOperators(session: Session): Promise<OperatorCheck> {
  const { pack, selection } = session;
  const warnings: string[] = [];
  const actions: NextAction[] = [];
  for (const target of session.targets) {
    const place = session.places.get(target);
    if (place === undefined) continue;
    for (const scope of ["user", "project"] as const) {
      const findings = new Map<string, string[]>();
      for (const file of operatorFiles(target, place, scope, pack)) {
        const bytes = await pack.system.files.readBytes(file.path);
        const version = bytes === null ? null : operatorVersion(decodeText(bytes) ?? "");
        if (version === pack.version) continue;
        const what = bytes === null ? "missing" : version === null ? "unversioned" : "outdated";
        findings.set(what, [...findings.get(what) ?? [], file.path]);
      }
      for (const [what, paths] of findings) {
        const more = paths.length > 1 ? ` and ${paths.length - 1} more` : "";
        warnings.push(`operator assets ${what} (${target}/${scope}): ${paths[0]}${more}`);
      }
      if (findings.size > 0) actions.push(actionsFor(pack, selection).bootstrap(target, scope));
    }
  }
  return { warnings, actions };
}
