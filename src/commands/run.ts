/** `amof run`: runs a task of the manifest (EXEC-5). */

import { mutation } from "../contract/mod.ts";
import { EXEC, execInput, previewExec } from "./exec/action.ts";

/** `amof run`. */
export const runTask = mutation({
  ...EXEC,
  name: "amof_run_task",
  path: ["run"],
  mcp: "never",
  asks: { deed: "run", will: "start a task in repositories" },
  title: "Run task",
  summary: "Run a task of the manifest in its repositories, or in those of them that are selected.",
  description:
    "Tasks stand below tasks: in the manifest, each with run (a program and its arguments) or shell (a line for sh -c), and if wanted description, repos, tags, only, env, order and timeout. Everything else is as for amof exec.",
  positionals: ["task"],
  behind: "arguments",
  examples: ["run test", "run test --repo api -- --verbose", "run build --order layers --dry-run"],
  input: (z) => ({
    task: z.string().describe("A task, one of amof tasks"),
    arguments: z.array(z.string()).optional().describe("More arguments for it"),
    ...execInput(z),
  }),
  preview: (ctx, input) =>
    previewExec(ctx, { kind: "task", task: input.task, more: input.arguments ?? [] }, input),
});
