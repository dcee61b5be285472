/**
 * `bootstrap` (PACK-57).
 *
 * @module
 */

import { bootstrap as bootstrapOf, SCOPES } from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { choice, flag } from "./option.ts";
import { changeCounts, changeLine, isUnchanged, lines } from "./show.ts";

/** `bootstrap`. */
export const bootstrap = declare({
  path: ["bootstrap"],
  summary: "Install the files that teach agents to use agentpack.",
  options: {
    scope: choice(SCOPES, "both", { help: "Where to install them" }),
    adopt: flag({ help: "Overwrite existing files that are not managed" }),
  },
  examples: ["bootstrap --dry-run", "bootstrap --scope user --yes"],
  changes: (_, dryRun) => dryRun ? null : { id: "bootstrap", asks: "late" },
  rehearses: true,
  run: ({ pack, selection, dryRun, approve }, { scope, adopt }) =>
    bootstrapOf(pack, selection, { scope, dryRun, adopt, approve }),
  render: ({ data }) =>
    data.reason === "no_changes" ? "The operator files are up to date" : lines(
      data.applied ? `Installed: snapshot ${data.snapshot_id}` : changeCounts(data.summary),
      data.changes.map(changeLine),
    ),
  isIdle: ({ data }) => data.reason === "no_changes" && isUnchanged(data.summary),
});
