/** `amof tasks`: the commands that the manifest of an ecosystem gives a name (EXEC-5). */

import { query } from "../contract/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { table } from "../base/text/table.ts";
import { count } from "../base/text/words.ts";
import { approvalName, hashOf, lineOf } from "../workspace/programs/mod.ts";
import { loadManifest } from "../workspace/manifest/mod.ts";
import { invocationOf } from "./exec/invocation/plan.ts";

interface TaskRow {
  readonly name: string;
  readonly description: string;
  /** Program and arguments; null where it is a shell line. */
  readonly argv: readonly string[] | null;
  readonly shell: string | null;
  readonly repos: readonly string[];
  readonly tags: readonly string[];
  readonly only: readonly string[];
  readonly env: readonly string[];
  readonly order: string;
  /** For each repository; null for as long as it likes. */
  readonly time_limit_s: number | null;
  /** What an approval is for. */
  readonly hash: string;
  /** Whether an AI host may run it as it is. */
  readonly approved: boolean;
}

interface TasksData {
  readonly tasks: readonly TaskRow[];
}

/** `amof tasks`. */
export const listTasks = query({
  name: "amof_list_tasks",
  path: ["tasks"],
  inTicket: "no workspace",
  toolset: "exec",
  mcp: "asked for",
  scope: "ecosystem",
  next: [],
  title: "List tasks",
  summary: "The commands that the manifest of an ecosystem gives a name.",
  examples: ["tasks", "tasks --json"],
  fields: ["tasks", "tasks.name", "tasks.description", "tasks.repos"],
  input: () => ({}),
  async run(ctx) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const { trust } = await ctx.store();
    const data: TasksData = {
      tasks: manifest.tasks.map((task) => {
        const invocation = invocationOf(task);
        const hash = hashOf(ctx.ecosystem, invocation);
        const key = approvalName(ctx.ecosystem, { task: task.name, line: "" });
        const { name, description, run, shell, repos, tags, only, env, order, timeLimit } = task;
        return {
          name,
          description,
          argv: run,
          shell,
          repos,
          tags,
          only,
          env,
          order,
          time_limit_s: timeLimit,
          hash,
          approved: trust.find(ctx.root, key, hash) !== null,
        };
      }),
    };
    return { data };
  },
  render: ({ tasks }: TasksData) => ({
    summary: tasks.length === 0 ? "Found no tasks." : `Found ${count(tasks.length, "task")}.`,
    details: tasks.length === 0
      ? "Name one in the manifest: tasks: {test: {run: [make, test]}}"
      : table(
        ["name", "runs", "where", "description"],
        tasks.map((row) => [
          row.name,
          cleanLine(
            row.shell ??
              lineOf({ ...row, task: row.name, more: [], selection: row, engine: null }),
          ),
          cleanLine([...row.repos, ...row.tags, ...row.only].join(", ")) || "all",
          cleanLine(row.description),
        ]),
      ),
  }),
});
