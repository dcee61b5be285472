/**
 * Breaks of what is known of a workspace, and of taking it away.
 *
 * @module
 */

import type { Mutant } from "../mutant.ts";

const REMOVAL = ["tests/scenario/discard_test.ts", "tests/scenario/archive_test.ts"];
const LOSSES = ["tests/unit/commands/removal/losses_test.ts"];
const GUARD = ["tests/unit/workspace/manifest/guard_test.ts"];

/** Breaks of `src/workspace`. */
export const WORKSPACE: readonly Mutant[] = [
  {
    id: "loss-uncommitted",
    file: "src/commands/removal/losses.ts",
    find: '    ...loss(name, "uncommitted", stock.uncommitted),\n',
    replace: "",
    harm: "A workspace with uncommitted files counts as one that may go.",
    tests: LOSSES,
  },
  {
    id: "loss-commits",
    file: "src/commands/removal/losses.ts",
    find: '    ...loss(name, "commits", stock.unpushed.map(commitText)),\n',
    replace: "",
    harm: "A workspace with unpushed commits counts as one that may go.",
    tests: LOSSES,
  },
  {
    id: "loss-stashes",
    file: "src/commands/removal/losses.ts",
    find: '    ...loss(name, "stash", stock.stashes.map(({ subject }) => subject)),\n',
    replace: "",
    harm: "A workspace with stashes counts as one that may go.",
    tests: LOSSES,
  },
  {
    id: "loss-hidden",
    file: "src/commands/removal/losses.ts",
    find: '    ...loss(name, "hidden", stock.hidden),\n',
    replace: "",
    harm: "Changes that git was told to overlook go unsaid.",
    tests: LOSSES,
  },
  {
    id: "loss-in-progress",
    file: "src/commands/removal/losses.ts",
    find: "stock.inProgress === null ? [] : [stock.inProgress]",
    replace: "stock.inProgress === null ? [] : []",
    harm: "A clone in the middle of a rebase counts as one that may go.",
    tests: LOSSES,
  },
  {
    id: "loss-submodules",
    file: "src/commands/removal/losses.ts",
    find: '    ...loss(name, "submodule", stock.submodules),\n',
    replace: "",
    harm: "Work in submodules goes unsaid.",
    tests: LOSSES,
  },
  {
    id: "loss-nested",
    file: "src/commands/removal/losses.ts",
    find: '    ...loss(name, "repository", stock.nested),\n',
    replace: "",
    harm: "A repository inside a clone goes unsaid.",
    tests: LOSSES,
  },
  {
    id: "loss-unreadable",
    file: "src/commands/removal/losses.ts",
    find: "...(stock.problem === null ? [] : [stock.problem]),",
    replace: "",
    harm: "A clone that cannot be read counts as one without work.",
    tests: LOSSES,
  },
  {
    id: "loss-stray-files",
    file: "src/commands/removal/losses.ts",
    find: '    ...loss(CONTROL, "files", stock.stray),\n',
    replace: "",
    harm: "Files among the clones go unsaid.",
    tests: LOSSES,
  },
  {
    id: "loss-stash-minor",
    file: "src/commands/removal/losses.ts",
    find: 'new Set(["ignored", "reflog", "annotated", "lfs"])',
    replace: 'new Set(["ignored", "reflog", "annotated", "lfs", "stash"])',
    harm: "Stashes stop nothing.",
    tests: LOSSES,
  },
  {
    id: "loss-tags",
    file: "src/commands/removal/losses.ts",
    find: '...loss(name, "tagged", commits.filter(({ ref }) => isTag(ref)).map(text)),',
    replace: "",
    harm: "Commits that only a tag holds go unsaid.",
    tests: LOSSES,
  },
  {
    id: "stock-without-lock",
    file: "src/workspace/removal/stock.ts",
    find: "    obstacles: [...locked, ...obstacles.flat()],",
    replace: "    obstacles: obstacles.flat(),",
    harm: "A working copy that somebody has locked against removal goes.",
    tests: [
      "tests/scenario/discard_test.ts",
      "tests/scenario/archive_test.ts",
      "tests/scenario/working_copies_test.ts",
    ],
  },
  {
    id: "stock-follows-links",
    file: "src/workspace/removal/stock.ts",
    find: "if (await system.files.readLink(at) === place) links.push",
    replace: "if (await system.files.readLink(at) !== place) links.push",
    harm:
      "Adopted clones are taken for the workspace's own, and what they hold for a loss, or worse.",
    tests: ["tests/scenario/install_adopt_test.ts"],
  },
  {
    id: "obstacle-linked-worktree",
    file: "src/workspace/removal/stock.ts",
    find: 'if (dotGit !== "" && await files.lstat(dotGit) !== null) living.push',
    replace: 'if (dotGit !== "" && await files.lstat(dotGit) === null) living.push',
    harm: "A clone goes that another working copy lives by.",
    tests: ["tests/scenario/working_copies_test.ts", ...REMOVAL],
  },
  {
    id: "obstacle-symlink",
    file: "src/workspace/removal/stock.ts",
    find: 'if ((await files.lstat(directory))?.kind === "symlink") {',
    replace: 'if ((await files.lstat(directory))?.kind === "other") {',
    harm: "A clone that is a link is deleted, or what it leads to.",
    tests: ["tests/unit/workspace/removal/obstacles_test.ts"],
  },
  {
    id: "aside-not-checked",
    file: "src/commands/removal/removal.ts",
    find: "      if (isSame(now, digest)) continue;\n",
    replace: "      if (isSame(now, now)) continue;\n",
    harm: "What was written while the workspace was being taken away goes with it.",
    tests: [
      "tests/unit/commands/removal/removal_test.ts",
      "tests/scenario/undo_added_test.ts",
    ],
  },
  {
    id: "aside-among-not-checked",
    file: "src/commands/removal/removal.ts",
    find: "!isSame(await amongDigest(ctx.system, aside, among.paths), among.digest)",
    replace: 'isSame(among.digest, "") && await amongDigest(ctx.system, aside, among.paths) !== ""',
    harm: "Files that came among the clones of a ticket meanwhile go with it.",
    tests: [
      "tests/unit/commands/removal/removal_test.ts",
      "tests/scenario/ticket_end_workspace_test.ts",
      "tests/faults/writes_meanwhile_test.ts",
      "tests/faults/own_tickets_test.ts",
    ],
  },
  {
    id: "remains-of-whole-tickets",
    file: "src/commands/removal/removal.ts",
    find: "if (whole) aside.push({ place, from });",
    replace: "if (!whole) aside.push({ place, from });",
    harm: "A ticket that was set aside when the program was killed is deleted as rubbish.",
    tests: ["tests/scenario/doctor_tickets_test.ts", "tests/faults/own_tickets_test.ts"],
  },
  {
    id: "drop-branch-in-use",
    file: "src/commands/removal/removal.ts",
    find: "if (!await repository.refs.deleteUnused(ref, commit)) {",
    replace:
      "if (!await repository.refs.delete(ref, await repository.refs.resolve(ref) ?? commit)) {",
    harm: "A workspace branch that got a commit meanwhile is deleted with it.",
    tests: ["tests/unit/commands/removal/removal_test.ts"],
  },
  {
    id: "guard-case",
    file: "src/workspace/manifest/guard.ts",
    find: 'return text.normalize("NFC").toLowerCase();',
    replace: 'return text.normalize("NFC");',
    harm: "A guarded file is written under another spelling, which some systems take for the same.",
    tests: GUARD,
  },
  {
    id: "guard-only-at-top",
    file: "src/workspace/manifest/guard.ts",
    find: 'bare.includes("/") ? bare : `**/${bare}`',
    replace: "bare",
    harm: "A guard such as *.pem does not count below the top.",
    tests: GUARD,
  },
  {
    id: "guard-not-below",
    file: "src/workspace/manifest/guard.ts",
    find: "new Set([anywhere, `${anywhere}/**`, itself])",
    replace: "new Set([anywhere, itself])",
    harm: "What lies in a guarded directory is not guarded.",
    tests: GUARD,
  },
  {
    id: "guard-nothing",
    file: "src/workspace/manifest/guard.ts",
    find: "  if (guard.isEmpty) return [];\n",
    replace: "  if (!guard.isEmpty) return [];\n",
    harm: "Guarded files in commits are not looked for.",
    tests: ["tests/scenario/no_touch_test.ts"],
  },
];
