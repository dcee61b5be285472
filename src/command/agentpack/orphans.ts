/**
 * `orphans list` and `orphans remove` (PACK-37).
 *
 * @module
 */

import { listOrphans, type OrphansData, removeOrphans } from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { lines, shownPath } from "./show.ts";

function rendered(data: OrphansData): string {
  return data.orphans.length === 0 ? "Nothing was left behind" : lines(
    data.applied
      ? `Removed: snapshot ${data.snapshot_id}`
      : "Left behind by targets that are gone:",
    data.orphans.flatMap((orphan) => [
      `  ${orphan.target}  ${shownPath(orphan.root)}`,
      ...orphan.files.map((file) => `    - ${shownPath(file)}`),
    ]),
  );
}

/** `orphans list`. */
export const listed = declare({
  path: ["orphans", "list"],
  summary: "List deployed files in places that the configuration no longer has.",
  options: {},
  examples: ["orphans list"],
  run: ({ pack, selection }) => listOrphans(pack, selection),
  render: ({ data }) => rendered(data),
});

/** `orphans remove`. */
export const remove = declare({
  path: ["orphans", "remove"],
  summary: "Remove them; files that were edited since stay.",
  options: {},
  examples: ["orphans remove --dry-run", "orphans remove --yes"],
  changes: (_, dryRun) => dryRun ? null : { id: "orphans remove", asks: "late" },
  rehearses: true,
  run: ({ pack, selection, dryRun, approve }) =>
    dryRun ? listOrphans(pack, selection) : removeOrphans(pack, selection, { approve }),
  render: ({ data }) => rendered(data),
  isIdle: ({ data }) => data.orphans.length === 0,
});
