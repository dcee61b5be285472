/**
 * `doctor` (PACK-53).
 *
 * @module
 */

import { green, red } from "@std/fmt/colors";
import { doctor as doctorOf } from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { flag } from "./option.ts";
import { lines, nextActions, shownPath } from "./show.ts";
import { READS } from "./tool_facts.ts";

/** `doctor`. */
export const doctor = declare({
  path: ["doctor"],
  summary: "Look the setup over: roots, modules, overlays, git, lockfile, state.",
  options: {
    fix: flag({ help: "Make git ignore the manifests, and take back what was cut short" }),
  },
  examples: ["doctor", "doctor --fix --yes --json"],
  id: ({ fix }, dryRun) => fix && !dryRun ? "doctor --fix" : "doctor",
  changes: ({ fix }, dryRun) => fix && !dryRun ? { id: "doctor --fix", asks: "first" } : null,
  rehearses: true,
  run: ({ pack, selection, dryRun }, { fix }) => doctorOf(pack, selection, { fix: fix && !dryRun }),
  render: ({ data }) =>
    lines(
      `Machine: ${data.machine_id}`,
      data.roots.map((root) =>
        root.issues.length === 0
          ? `  ${green("ok")}  ${root.target}  ${shownPath(root.root)}`
          : `  ${red(root.issues.join(", "))}  ${root.target}  ${shownPath(root.root)}`
      ),
      data.findings.map((finding) => `  ${red(finding.kind)}  ${shownPath(finding.message)}`),
      data.gitignore_fixes.map((fix) =>
        `  ${fix.updated ? "updated" : "unchanged"}  ${shownPath(fix.gitignore_path)}`
      ),
      nextActions(data.next_actions),
    ),
  tools: [{
    name: "doctor",
    title: "Look a setup over",
    description: "Checks roots, modules, overlays, git, lockfile and state. Fixes nothing.",
    selecting: ["repo", "target"],
    takes: [],
    hints: READS,
  }],
});
