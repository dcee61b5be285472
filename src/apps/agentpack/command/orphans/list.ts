/** `orphans list`: files in roots that the configuration no longer has (PACK-37). */

import { declare, type Look, members } from "../../declare/command.ts";
import { lines, shownPath } from "../../declare/show.ts";
import { findOrphans, type Orphan } from "../../engine/roots.ts";
import { loadSession } from "../../engine/session.ts";
import { type Twins, withPosix } from "../../io.ts";
import { keyOf } from "../../../../state/entries/types.ts";
import { sharedFileAt } from "../../target/shared_files.ts";
import type { TargetName } from "../../names.ts";
import type { Answer } from "../../pack.ts";

interface OrphanedRoot extends Twins<"root"> {
  readonly target: TargetName;
  /** Absolute paths of the files its manifest lists. */
  readonly files: readonly string[];
  /** Entries of a shared file that it lists, as `mcpServers.github`. */
  readonly entries?: readonly string[];
}

/** `data` of `orphans list` and `orphans remove`. */
export interface OrphansData {
  readonly applied: boolean;
  /** The id of the snapshot with which the removal can be undone. */
  readonly snapshot_id?: string;
  readonly orphans: readonly OrphanedRoot[];
}

/** Orphaned roots as the answer shows them. */
export function shown(orphans: readonly Orphan[]): OrphanedRoot[] {
  return orphans.map(({ manifest, files }) => ({
    target: manifest.target,
    ...withPosix("root", manifest.root),
    files: files.map((file) => file.absolute),
    ...(manifest.shared.length === 0 ? {} : {
      entries: manifest.shared.flatMap(({ path, name }) => {
        const shared = sharedFileAt(manifest.target, path);
        return shared === null ? [] : [keyOf(shared, name)];
      }),
    }),
  }));
}

/** The orphaned roots of this project and of the home directory. */
export async function listOrphans({ pack, selection }: Look): Promise<Answer<OrphansData>> {
  const session = await loadSession(pack, selection);
  return {
    data: { applied: false, orphans: shown(await findOrphans(session)) },
    warnings: session.warnings,
  };
}

/** The answer for a person. */
export function rendered(data: OrphansData): string {
  return data.orphans.length === 0 ? "Nothing was left behind" : lines(
    data.applied
      ? `Removed: snapshot ${data.snapshot_id}`
      : "Left behind by targets that are gone:",
    data.orphans.flatMap((orphan) => [
      `  ${orphan.target}  ${shownPath(orphan.root)}`,
      ...orphan.files.map((file) => `    - ${shownPath(file)}`),
      ...(orphan.entries ?? []).map((key) => `    - ${shownPath(key)}`),
    ]),
  );
}

/** `orphans list`. */
export const orphansList = declare({
  path: ["orphans", "list"],
  summary: "List deployed files in places that the configuration no longer has.",
  options: {},
  examples: ["orphans list"],
  look: listOrphans,
  answers: members<OrphansData>("applied", "orphans"),
  render: ({ data }) => rendered(data),
});
