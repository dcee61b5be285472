/**
 * `snapshots list` and `snapshots prune` (PACK-59).
 *
 * @module
 */

import { AgentpackError, listSnapshots, pruneSnapshots } from "../../agentpack/mod.ts";
import { table } from "../../text/table.ts";
import { count } from "../../text/words.ts";
import { declare } from "./command.ts";
import { requiredText } from "./option.ts";
import { shownPath } from "./show.ts";

/** `snapshots list`. */
export const listed = declare({
  path: ["snapshots", "list"],
  summary: "List the snapshots that rollback can bring back, newest first.",
  options: {},
  examples: ["snapshots list", "snapshots list --json"],
  run: ({ pack, selection }) => listSnapshots(pack, selection),
  render: ({ data }) =>
    data.snapshots.length === 0 ? "There are no snapshots" : table(
      ["id", "kind", "created", "status", "targets", "changes", "project"],
      data.snapshots.map((one) => [
        one.id,
        one.kind,
        one.created_at.slice(0, 19),
        one.status,
        one.targets.join(","),
        String(one.changes),
        shownPath(one.project_root ?? ""),
      ]),
    ),
});

/** `snapshots prune`. */
export const prune = declare({
  path: ["snapshots", "prune"],
  summary: "Remove all but the newest snapshots.",
  description: "The last snapshot that knows a place is never removed.",
  options: { keep: requiredText({ help: "How many to keep", value: "N" }) },
  examples: ["snapshots prune --keep 20"],
  changes: () => ({ id: "snapshots prune", asks: "first" }),
  run({ pack, selection }, { keep }) {
    if (!/^\d{1,6}$/.test(keep)) {
      throw new AgentpackError("E_USAGE", `--keep takes a number, not "${shownPath(keep)}"`);
    }
    return pruneSnapshots(pack, selection, { keep: Number(keep) });
  },
  render: ({ data }) => `Removed ${count(data.removed.length, "snapshot")}, ${data.kept} are kept`,
});
