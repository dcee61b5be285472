/**
 * `amof run`: runs a task of the manifest (EXEC-5).
 *
 * @module
 */

import { mutation } from "../contract/mod.ts";
import { SELECTION_FLAGS } from "../workspace/mod.ts";
import type { ExecFacts } from "./exec_facts.ts";
import {
  EXEC_INSTEAD,
  execInput,
  execLocks,
  executeExec,
  lasting,
  previewExec,
  renderAnswer,
  takesAll,
  undoable,
} from "./exec_action.ts";

/** `amof run`. */
export const runTask = mutation({
  name: "amof_run_task",
  path: ["run"],
  toolset: "exec",
  only: "cli",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  typed: true,
  asks: { deed: "run", will: "run a task in repositories" },
  runs: "exec",
  inline: "attended",
  exclusive: true,
  locks: execLocks,
  openWorld: true,
  inWorkspace: true,
  inTicket: true,
  next: ["get_ecosystem_status"],
  title: "Run task",
  summary: "Run a task of the manifest in its repositories, or in those of them that are selected.",
  description:
    "Tasks stand below tasks: in the manifest, each with run (a program and its arguments) or shell (a line for sh -c), and if wanted description, repos, tags, only, env, order and timeout. Everything else is as for amof exec.",
  positionals: ["task"],
  behind: "arguments",
  flags: SELECTION_FLAGS,
  instead: EXEC_INSTEAD,
  examples: ["run test", "run test --repo api -- --verbose", "run build --order layers --dry-run"],
  input: (z) =>
    z.strictObject({
      task: z.string().describe("A task; see amof tasks"),
      arguments: z.array(z.string()).optional().describe("More arguments for it"),
      ...execInput(z),
    }),
  meets: takesAll,
  preview: (ctx, input) =>
    previewExec(ctx, { kind: "task", task: input.task, more: input.arguments ?? [] }, input),
  changes: (facts: ExecFacts) => undoable(facts),
  lasts: (facts) => lasting(facts),
  execute: (ctx, input, facts) => executeExec(ctx, facts, input.output),
  render: (data, input) => renderAnswer(data, input.output),
});
