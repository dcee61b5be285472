/**
 * Breaks of agentpack: what is written into files of others, all of it or nothing, and taken back.
 *
 * @module
 */

import type { Mutant } from "../mutant.ts";

const APPLY = ["tests/unit/apps/agentpack/engine/apply_test.ts"];
const KILL = ["tests/unit/apps/agentpack/engine/kill_test.ts"];
const ROLLBACK = ["tests/unit/apps/agentpack/engine/rollback_test.ts"];
const TOKENS = [
  "tests/property/confirm_tokens_test.ts",
  "tests/protocol/agentpack_consent_test.ts",
];

/** Breaks of `src/agentpack` and of what MCP does with it. */
export const AGENTPACK: readonly Mutant[] = [
  {
    id: "pack-plan-stale",
    file: "src/apps/agentpack/engine/transaction.ts",
    find:
      "if (write.expected !== undefined && disk.sha256 !== write.expected) throw stale(write.path);",
    replace: "",
    harm: "A file that somebody changed after the plan is written over.",
    tests: [...APPLY, ...ROLLBACK, "tests/property/agentpack_test.ts"],
  },
  {
    id: "pack-changed-between",
    file: "src/apps/agentpack/engine/transaction.ts",
    find: "if (now.kind !== disk.kind || now.sha256 !== disk.sha256 || now.link !== disk.link) {",
    replace: "if (now.kind !== disk.kind) {",
    harm: "A file that somebody changes during the deploy is written over.",
    tests: APPLY,
  },
  {
    id: "pack-way-out",
    file: "src/apps/agentpack/engine/transaction.ts",
    find: "  await refuseEscape(files, write.root, path);\n",
    replace: "",
    harm: "A directory that becomes a link meanwhile leads a write to another place.",
    tests: [...APPLY, "tests/unit/apps/agentpack/engine/managed_test.ts"],
  },
  {
    id: "pack-written-or-not",
    file: "src/apps/agentpack/engine/transaction.ts",
    find: 'if (!await withPath("read", path, () => holds(files, path, after.bytes))) {',
    replace: 'if (await withPath("read", path, () => Promise.resolve(false))) {',
    harm: "A file that does not hold what was written counts as deployed.",
    tests: [...APPLY, "tests/unit/apps/agentpack/engine/full_disk_test.ts"],
  },
  {
    id: "pack-not-taken-back",
    file: "src/apps/agentpack/engine/transaction.ts",
    find: "    await abandon(files, held.home, journal);\n",
    replace: "",
    harm: "A deploy that fails in its middle leaves half of it.",
    tests: [...APPLY, "tests/unit/apps/agentpack/engine/full_disk_test.ts"],
  },
  {
    id: "pack-journal-late",
    file: "src/apps/agentpack/engine/transaction.ts",
    find: "    await writeJournal(sure, home, journal);\n    applying = true;",
    replace: "    applying = true;",
    harm: "A deploy that is killed in its middle cannot be taken back.",
    tests: KILL,
  },
  {
    id: "pack-no-copies",
    file: "src/apps/agentpack/engine/transaction.ts",
    find: "    if (disk.bytes !== null) copies.set(backup, { target, path, bytes: disk.bytes });\n",
    replace: "",
    harm: "What was there before a deploy is not kept.",
    tests: [...ROLLBACK, ...APPLY],
  },
  {
    id: "pack-undo-in-order",
    file: "src/apps/agentpack/engine/journal.ts",
    find: 'if (!isAfter(now, step.after)) return "changed";',
    replace: "",
    harm: "Taking a deploy back writes over what somebody wrote since.",
    tests: [...KILL, ...APPLY],
  },
  {
    id: "pack-stands-or-not",
    file: "src/apps/agentpack/engine/journal.ts",
    find: 'typeof record !== "string" && record.status === "complete"',
    replace: 'typeof record !== "string" && record.status !== "complete"',
    harm: "A deploy that was decided is taken back, one that was not stands.",
    tests: KILL,
  },
  {
    id: "pack-copies-dropped",
    file: "src/apps/agentpack/engine/journal.ts",
    find: 'before.kind === "file" ? [before.backup] : []\n  );',
    replace: 'before.kind === "symlink" ? [before.link] : []\n  );',
    harm: "The only copy goes of a file that could not be given back.",
    tests: [...KILL, ...APPLY],
  },
  {
    id: "pack-rollback-over-foreign",
    file: "src/apps/agentpack/engine/rollback_plan.ts",
    find: "    if (isForeign(disk, after, managed.has(path))) {\n",
    replace: "    if (isForeign(disk, after, true)) {\n",
    harm: "A rollback writes over files that are not ours any more.",
    tests: ROLLBACK,
  },
  {
    id: "pack-rollback-edits-unsaid",
    file: "src/apps/agentpack/engine/rollback_plan.ts",
    find: "const edited = deployed.has(path) && deployed.get(path) !== disk.sha256 &&",
    replace: "const edited = deployed.has(path) && deployed.get(path) === disk.sha256 &&",
    harm: "A rollback discards edits without a word.",
    tests: ROLLBACK,
  },
  {
    id: "pack-rollback-deletes-uncovered",
    file: "src/apps/agentpack/engine/rollback_plan.ts",
    find: "  for (const change of covered ? changes : []) {\n",
    replace: "  for (const change of changes) {\n",
    harm: "A rollback to a run for other tools deletes files of this one.",
    tests: ROLLBACK,
  },
  {
    id: "pack-rivals",
    file: "src/apps/agentpack/engine/edited.ts",
    find: "if (others.every((other) => hashOf(other.bytes) === hashOf(first.bytes))) {",
    replace:
      "if (others.some((other) => hashOf(other.bytes) === hashOf(first.bytes)) || others.length >= 0) {",
    harm: "Of two different edits one is proposed and the other is lost.",
    tests: ["tests/unit/apps/agentpack/command/evolve_test.ts"],
  },
  {
    id: "pack-token-bound-to-nothing",
    file: "src/doors/agentpack/mcp/consent.ts",
    find: "    if (!isSame(issued.binding, binding)) {\n",
    replace: '    if (issued.binding === "") {\n',
    harm: "A token of one deploy stands for another.",
    tests: TOKENS,
  },
  {
    id: "pack-token-not-spent",
    file: "src/doors/agentpack/mcp/consent.ts",
    find: "  spend(token: string): void {\n    this.#issued.delete(sha256(token));",
    replace: "  spend(token: string): void {\n    this.#issued.get(sha256(token));",
    harm: "A token can be used twice.",
    tests: TOKENS,
  },
  {
    id: "pack-token-lives",
    file: "src/doors/agentpack/mcp/consent.ts",
    find: "    if (now >= issued.expiresAt) {\n",
    replace: "    if (now < issued.expiresAt - 60 * 60_000) {\n",
    harm: "A token can be used after its time.",
    tests: TOKENS,
  },
  {
    id: "pack-orphans-of-elsewhere",
    file: "src/apps/agentpack/engine/roots.ts",
    find: "if (!isTargetName(target) || elsewhere || current.has(fileKey(target, root))) continue;",
    replace: "if (!isTargetName(target) || current.has(fileKey(target, root))) continue;",
    harm: "Files that another project uses are offered for removal.",
    tests: [
      "tests/unit/apps/agentpack/engine/managed_test.ts",
      "tests/unit/apps/agentpack/command/doctor/doctor_test.ts",
      "tests/unit/apps/agentpack/command/status_test.ts",
    ],
  },
];
