/** `amof archive list`: the archived workspaces of an ecosystem, newest first (WORKSPACE-19). */

import { query } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";
import { readArchives } from "./record.ts";

interface ArchiveRow {
  readonly name: string;
  /** Relative to the control repository. */
  readonly file: string;
  /** Null when the file cannot be read. */
  readonly archived_at: string | null;
  readonly workspace_branch: string | null;
  readonly tickets: readonly string[];
  /** Tickets whose workspaces were put away with it. */
  readonly ticket_workspaces: readonly string[];
  readonly repos: number;
  readonly message: string | null;
  /** Why it cannot be restored, or null. */
  readonly problem: string | null;
}

interface ArchiveListData {
  readonly archives: readonly ArchiveRow[];
}

/** `amof archive list`. */
export const listArchives = query({
  name: "amof_list_archives",
  path: ["archive", "list"],
  toolset: "ecosystem",
  mcp: "asked for",
  scope: "ecosystem",
  title: "List archives",
  summary: "The archived workspaces of an ecosystem, newest first.",
  examples: ["archive list", "archive list --json"],
  fields: [
    "archives",
    "archives.name",
    "archives.file",
    "archives.archived_at",
    "archives.workspace_branch",
    "archives.tickets",
    "archives.ticket_workspaces",
    "archives.repos",
    "archives.message",
  ],
  input: () => ({}),
  async run(ctx) {
    const archives = await readArchives(ctx.system, ctx.root, ctx.ecosystem);
    const data: ArchiveListData = {
      archives: archives.map(({ name, file, record, problem }) => ({
        name,
        file,
        archived_at: record?.archived_at ?? null,
        workspace_branch: record?.workspace_branch ?? null,
        tickets: record?.tickets ?? [],
        ticket_workspaces: record?.ticket_workspaces?.map(({ ticket_id: id }) => id) ?? [],
        repos: record?.repos.length ?? 0,
        message: record?.message ?? null,
        problem,
      })),
    };
    return { data };
  },
  render: (data: ArchiveListData, _input, say) => ({
    summary: data.archives.length === 0
      ? "Found no archives."
      : `Found ${count(data.archives.length, "archive")}.`,
    details: data.archives.length === 0 ? "Make one: amof archive" : table(
      ["archive", "when", "tickets", "repos", "message"],
      data.archives.map((row) => [
        row.name,
        cleanLine(say.time(row.archived_at), 30),
        cleanLine([...row.tickets, ...row.ticket_workspaces].join(", "), 60),
        row.repos,
        row.problem === null ? cleanLine(row.message ?? "", 60) : `✗ ${row.problem}`,
      ]),
    ),
  }),
});
