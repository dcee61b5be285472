/**
 * Breaks of change sets: what is merged, made or taken back at forges, which nobody can undo.
 *
 * @module
 */

import type { Mutant } from "../mutant.ts";

const DECIDE = ["tests/unit/commands/pr/land_decide_test.ts"];
const LAND = ["tests/scenario/pr_land_test.ts"];

/** Breaks of `src/commands/pr` and `src/forge`. */
export const CHANGE: readonly Mutant[] = [
  {
    id: "pr-land-moved-head",
    file: "src/commands/pr/land/plan.ts",
    find: "  if (change.head.sha !== fact.head) {\n",
    replace: '  if (change.head.sha === "") {\n',
    harm: "A commit that was pushed after the preview is merged with what was agreed to.",
    tests: DECIDE,
  },
  {
    id: "pr-land-other-base",
    file: "src/commands/pr/land/plan.ts",
    find: "change.number !== fact.number || change.base.branch !== fact.base",
    replace: "change.number !== fact.number",
    harm: "A pull request that was retargeted after the preview is merged into another branch.",
    tests: DECIDE,
  },
  {
    id: "pr-merge-any-head",
    file: "src/forge/gitlab.ts",
    find: 'body: { sha, squash: method === "squash", should_remove_source_branch: false },',
    replace: 'body: { squash: method === "squash", should_remove_source_branch: false },',
    harm: "GitLab merges whatever the branch is at, and not the commit that was previewed.",
    tests: LAND,
  },
  {
    id: "pr-open-twice",
    file: "src/commands/pr/ensure.ts",
    find: '  if (known?.state === "open") return { change: known, made: false };\n',
    replace: "",
    harm: "An opening that was cut off and is repeated makes a second pull request, or fails.",
    tests: ["tests/unit/commands/pr/ensure_test.ts"],
  },
  {
    id: "pr-body-of-others",
    file: "src/commands/pr/ensure.ts",
    find: "${before}${block}${rest.join(found)}",
    replace: "${block}",
    harm: "What people wrote into the text of a pull request is gone behind an update.",
    tests: ["tests/unit/commands/pr/block_test.ts"],
  },
  {
    id: "pr-rights-as-sign-in",
    file: "src/forge/programs.ts",
    find: "answer?.status === 401 && !aboutRights",
    replace: "answer?.status === 401",
    harm: "Who has no right to merge at GitLab is told to sign in.",
    tests: LAND,
  },
];
