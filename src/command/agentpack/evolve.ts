/**
 * `evolve propose` and `evolve restore` (PACK-49, PACK-50).
 *
 * @module
 */

import { evolvePropose, evolveRestore, OVERLAY_SCOPES } from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { choice, text } from "./option.ts";
import { lines, shownPath } from "./show.ts";
import { DRY_RUN, EVERY_SELECTOR, MAY_SAY_YES } from "./tool_facts.ts";

/** `evolve propose`. */
export const propose = declare({
  path: ["evolve", "propose"],
  summary: "Turn edits of deployed files into a branch of the config repo.",
  description: "The branch is committed beside your checkout, which is never touched.",
  options: {
    module_id: text({
      help: "Only edits of this module",
      value: "ID",
      schema: { type: "string", description: "Only propose changes for a single module id." },
    }),
    scope: choice(OVERLAY_SCOPES, "global", {
      help: "The overlay to write into",
      schema: {
        type: "string",
        default: "global",
        enum: ["global", "machine", "project"],
        description: "Overlay scope to write into.",
      },
    }),
    branch: text({
      help: "The branch to make",
      value: "NAME",
      schema: {
        type: "string",
        description: "Branch name to create (default: evolve/propose-<timestamp>).",
      },
    }),
  },
  examples: ["evolve propose --dry-run", "evolve propose --module-id skill:tidy --scope machine"],
  changes: (_, dryRun) => dryRun ? null : { id: "evolve propose", asks: "late" },
  rehearses: true,
  run: ({ pack, selection, dryRun, approve }, { module_id, scope, branch }) =>
    evolvePropose(pack, selection, { moduleId: module_id, scope, branch, dryRun, approve }),
  render: ({ data }) => {
    if (data.created) {
      return lines(
        data.committed
          ? `Committed on the branch ${data.branch}:`
          : `The commit failed; the changes are on the branch ${data.branch}:`,
        data.files.map((file) => `  ${shownPath(file)}`),
        `\nLook at it, then merge it: git merge ${data.branch}`,
      );
    }
    return lines(
      data.reason === "no_drift"
        ? "Nothing was edited"
        : data.reason === "no_proposeable_drift"
        ? "Nothing can be proposed"
        : "Would propose:",
      "candidates" in data
        ? data.candidates.map((one) => `  ${one.module_id}  ${one.target}  ${shownPath(one.path)}`)
        : null,
      data.skipped.map((one) => `  skipped (${one.reason})  ${one.target}  ${shownPath(one.path)}`),
    );
  },
  isIdle: ({ data }) => !data.created && data.reason !== "dry_run",
  tools: [{
    name: "evolve_propose",
    title: "Propose edits as a branch",
    description:
      "Turns edits of deployed files into a branch of the config repo for review. Needs yes=true once the person has agreed; dry_run=true lists the candidates.",
    selecting: EVERY_SELECTOR,
    takes: ["module_id", "scope", "branch"],
    more: { dry_run: DRY_RUN, yes: MAY_SAY_YES },
    hints: { reads: false, destroys: true, idempotent: false, openWorld: true },
  }],
});

/** `evolve restore`. */
export const restore = declare({
  path: ["evolve", "restore"],
  summary: "Write deployed files again that are gone; touch nothing that exists.",
  options: {
    module_id: text({
      help: "Only files of this module",
      value: "ID",
      schema: {
        type: "string",
        description: "Only restore missing outputs attributable to a module id.",
      },
    }),
  },
  examples: ["evolve restore --dry-run", "evolve restore --yes"],
  changes: (_, dryRun) => dryRun ? null : { id: "evolve restore", asks: "late" },
  rehearses: true,
  run: ({ pack, selection, dryRun, approve }, { module_id }) =>
    evolveRestore(pack, selection, { moduleId: module_id, dryRun, approve }),
  render: ({ data }) =>
    lines(
      data.reason === "no_missing"
        ? "Nothing is missing"
        : data.reason === "dry_run"
        ? "Would restore:"
        : "Restored:",
      data.restored.map((file) => `  ${file.target}  ${shownPath(file.path)}`),
    ),
  isIdle: ({ data }) => data.reason === "no_missing",
  tools: [{
    name: "evolve_restore",
    title: "Restore missing files",
    description:
      "Writes deployed files again that are gone, and nothing else. Needs yes=true once the person has agreed; dry_run=true lists them.",
    selecting: EVERY_SELECTOR,
    takes: ["module_id"],
    more: { dry_run: DRY_RUN, yes: MAY_SAY_YES },
    hints: { reads: false, destroys: false, idempotent: true, openWorld: true },
  }],
});
