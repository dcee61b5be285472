/** `amof exec trust --list`: what AI hosts may run in repositories of this machine (EXEC-7). */

import { query } from "../../../contract/mod.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import { approvalsPrefix, hashOf } from "../../../workspace/programs/mod.ts";
import { loadManifest } from "../../../workspace/manifest/mod.ts";
import { invocationOf } from "../invocation/plan.ts";

interface TrustedRow {
  readonly kind: "task" | "line";
  /** The task, or the line. */
  readonly name: string;
  readonly hash: string;
  readonly approved_at: string;
  readonly approved_by: string;
  /** Of a task: whether the manifest still says what was approved. Null for a line. */
  readonly current: boolean | null;
}

interface TrustedData {
  readonly approvals: readonly TrustedRow[];
}

/** The command. */
export const listTrusted = query({
  name: "amof_list_exec_approvals",
  path: ["exec", "trust", "--list"],
  toolset: "exec",
  scope: "ecosystem",
  mcp: "never",
  next: [],
  title: "List approved commands",
  summary: "What AI hosts may run in the repositories of an ecosystem, as it was approved here.",
  examples: ["exec trust --list", "exec trust --list --json"],
  input: () => ({}),
  async run(ctx) {
    const { trust } = await ctx.store();
    const { tasks } = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const hashes = new Set(tasks.map((task) => hashOf(ctx.ecosystem, invocationOf(task))));
    const prefix = approvalsPrefix(ctx.ecosystem);
    const data: TrustedData = {
      approvals: trust.list(ctx.root, prefix).map(({ name: key, hash, approvedAt, approvedBy }) => {
        const [kind = "", ...rest] = key.slice(prefix.length).split("/");
        const isTask = kind === "task";
        return {
          kind: isTask ? "task" : "line",
          name: rest.join("/"),
          hash,
          approved_at: timestamp(approvedAt),
          approved_by: approvedBy,
          current: isTask ? hashes.has(hash) : null,
        };
      }),
    };
    return { data };
  },
  render: ({ approvals }: TrustedData, _input, say) => ({
    summary: approvals.length === 0
      ? "Found no approved commands."
      : `Found ${count(approvals.length, "approved command")}.`,
    details: approvals.length === 0 ? "Approve one: amof exec trust TASK" : table(
      ["kind", "name", "state", "approved", "hash"],
      approvals.map((row) => [
        row.kind,
        cleanLine(row.name),
        row.current === false ? "changed since" : "approved",
        cleanLine(say.time(row.approved_at), 30),
        row.hash.slice(0, 16),
      ]),
    ),
  }),
});
