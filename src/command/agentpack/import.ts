/**
 * `import` (PACK-56).
 *
 * @module
 */

import { importAssets } from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { flag, text } from "./option.ts";
import { lines, nextActions, shownPath } from "./show.ts";

/** `import`. */
export const importCommand = declare({
  path: ["import"],
  summary: "Find assets that coding tools have already, and make modules of them.",
  options: {
    apply: flag({ help: "Copy them into the config repo and add them to agentpack.yaml" }),
    home_root: text({ help: "Look in this home directory", value: "DIR" }),
  },
  examples: ["import", "import --apply"],
  id: ({ apply }, dryRun) => apply && !dryRun ? "import --apply" : "import",
  changes: ({ apply }, dryRun) => apply && !dryRun ? { id: "import --apply", asks: "first" } : null,
  rehearses: true,
  run: ({ pack, selection, dryRun }, { apply, home_root }) =>
    importAssets(pack, selection, { apply: apply && !dryRun, homeRoot: home_root }),
  render: ({ data }) =>
    lines(
      data.summary.create === 0
        ? "Nothing to import"
        : `${data.applied ? "Imported" : "Would import"} ${data.summary.create} modules`,
      data.plan.map((item) =>
        item.op === "create"
          ? `  + ${shownPath(item.module_id)}  ${shownPath(item.source_path)}`
          : `  skipped  ${shownPath(item.module_id)}  ${
            item.skip_reason === undefined ? "there is such a module" : shownPath(item.skip_reason)
          }`
      ),
      data.conflicts.map((conflict) => `  exists already: ${shownPath(conflict.path)}`),
      nextActions(data.next_actions),
    ),
  isIdle: ({ data }) => data.summary.create === 0,
});
