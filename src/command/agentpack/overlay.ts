/**
 * `overlay edit`, `overlay path` and `overlay rebase` (PACK-55).
 *
 * @module
 */

import {
  OVERLAY_KINDS,
  OVERLAY_SCOPES,
  overlayEdit,
  overlayPath,
  overlayRebase,
} from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { argument, choice, flag, optionalChoice } from "./option.ts";
import { lines, shownPath } from "./show.ts";

const MODULE = argument({ help: "The module", value: "ID" });
const SCOPE = choice(OVERLAY_SCOPES, "global", { help: "Whose overlay" });

/** `overlay edit`. */
export const edit = declare({
  path: ["overlay", "edit"],
  summary: "Make an overlay ready to be edited, and open it in $EDITOR.",
  description:
    "An overlay changes files of a module for everybody, one machine or one project, and leaves upstream alone. Without --sparse or --kind patch a new overlay begins as a copy of upstream.",
  options: {
    module_id: MODULE,
    scope: SCOPE,
    kind: optionalChoice(OVERLAY_KINDS, { help: "Whole files, or patches" }),
    sparse: flag({ help: "Begin empty instead of as a copy" }),
    materialize: flag({ help: "Copy the upstream files that the overlay lacks" }),
  },
  examples: [
    "overlay edit skill:tidy --sparse",
    "overlay edit skill:tidy --scope project --kind patch",
  ],
  changes: () => ({ id: "overlay edit", asks: "first" }),
  async run({ pack, selection, edit: open }, { module_id, ...input }) {
    const answer = await overlayEdit(pack, selection, { moduleId: module_id, ...input });
    const warning = await open?.(answer.data.overlay_dir) ?? null;
    return warning === null ? answer : { ...answer, warnings: [...answer.warnings, warning] };
  },
  render: ({ data }) =>
    lines(
      `${data.created ? "Made" : "Found"} the ${data.scope} overlay of ${data.module_id}:`,
      `  ${shownPath(data.patches_dir ?? data.overlay_dir)}`,
    ),
});

/** `overlay path`. */
export const path = declare({
  path: ["overlay", "path"],
  summary: "Print where the overlay of a module is or would be.",
  options: { module_id: MODULE, scope: SCOPE },
  examples: ["overlay path skill:tidy --scope machine"],
  run: ({ pack, selection }, { module_id, scope }) =>
    overlayPath(pack, selection, { moduleId: module_id, scope }),
  render: ({ data }) => shownPath(data.overlay_dir),
});

/** `overlay rebase`. */
export const rebase = declare({
  path: ["overlay", "rebase"],
  summary: "Bring an overlay up to its upstream of today by a three-way merge.",
  options: {
    module_id: MODULE,
    scope: SCOPE,
    sparsify: flag({ help: "Drop files that say the same as upstream" }),
  },
  examples: ["overlay rebase skill:tidy", "overlay rebase skill:tidy --dry-run --json"],
  changes: (_, dryRun) => dryRun ? null : { id: "overlay rebase", asks: "first" },
  rehearses: true,
  run: ({ pack, selection, dryRun }, { module_id, scope, sparsify }) =>
    overlayRebase(pack, selection, { moduleId: module_id, scope, sparsify, dryRun }),
  render: ({ data: { report, dry_run } }) => {
    const { summary } = report;
    return lines(
      `${dry_run ? "Would process" : "Processed"} ${summary.processed_files} files: ` +
        `${summary.updated_files} updated, ${summary.deleted_files} deleted, ${summary.skipped_files} skipped`,
      report.updated.map((file) => `  ~ ${shownPath(file)}`),
      report.deleted.map((file) => `  - ${shownPath(file)}`),
    );
  },
});
