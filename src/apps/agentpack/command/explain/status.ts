/** `explain status` (PACK-51). */

import type { Look } from "../../declare/command.ts";
import { lines, shownPath } from "../../declare/show.ts";
import { prepareDeployment } from "../../engine/deployment.ts";
import { type DriftItem, findDrift } from "../../engine/drift.ts";
import { fileKey } from "../../engine/roots.ts";
import type { TargetName } from "../../names.ts";
import type { Answer } from "../../pack.ts";

/** `data` of `explain status`. */
export interface ExplainStatusData {
  readonly profile: string;
  readonly targets: readonly TargetName[];
  readonly drift: readonly {
    readonly kind: DriftItem["kind"];
    readonly target: TargetName;
    readonly path: string;
    readonly path_posix: string;
    readonly expected: string | null;
    readonly actual: string | null;
    readonly modules: readonly string[];
  }[];
}

/** The drift of managed files with the modules they come from; unmanaged files are not looked for. */
export async function explainStatus(
  { pack, selection }: Look,
): Promise<Answer<ExplainStatusData>> {
  const deployment = await prepareDeployment(pack, selection);
  const { session, managed, desired } = deployment;
  const drift = await findDrift(deployment);
  const isManaged = (item: DriftItem) => managed.files.has(fileKey(item.target, item.path));
  const items = managed.files.size === 0 ? drift.items : drift.items.filter(isManaged);
  const wanted = new Map(desired.files.map((file) => [fileKey(file.target, file.path), file]));
  return {
    data: {
      profile: session.profile,
      targets: session.targets,
      drift: items.map((item) => {
        const key = fileKey(item.target, item.path);
        const { kind, target, path, path_posix, expected, actual } = item;
        const recorded = managed.files.get(key)?.moduleIds ?? [];
        const ids = recorded.length > 0 ? recorded : wanted.get(key)?.moduleIds ?? [];
        return { kind, target, path, path_posix, expected, actual, modules: ids };
      }),
    },
    warnings: [...deployment.warnings, ...drift.warnings],
  };
}

/** What differs and where it comes from, for a person. */
export function renderStatus({ drift }: ExplainStatusData): string {
  return drift.length === 0 ? "Deployed files are as they should be" : lines(
    drift.map((item) =>
      `  ${item.kind}  ${item.target}  ${shownPath(item.path)}  ${item.modules.join(", ")}`
    ),
  );
}
