/** The record that an archive leaves in the control repository, written (WORKSPACE-19). */

import { basename, dirname, join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";
import { makeDirectories, replaceFile } from "../../workspace/changing.ts";
import type { ArchiveFacts } from "./plan.ts";
import type { ArchiveRecord } from "./record_text.ts";

/** The workspace of a ticket, and where it is put away: absolute places. */
export interface Away {
  readonly ticket: string;
  readonly directory: string;
  readonly away: string;
}

/** The record of what is archived. */
export function recordOf(
  ctx: ExecuteContext,
  facts: ArchiveFacts,
  { state, now, away }: {
    readonly state: WorkspaceState | null;
    readonly now: number;
    readonly away: readonly Away[];
  },
): ArchiveRecord {
  return {
    version: 1,
    ecosystem: ctx.ecosystem,
    archived_at: timestamp(now),
    workspace_branch: facts.workspace_branch,
    workspace_commit: facts.workspace_commit,
    message: facts.message,
    tickets: facts.tickets,
    repos: facts.repos,
    state,
    ticket_workspaces: facts.ticket_workspaces.flatMap(({ ticket_id, repos }) =>
      away.filter(({ ticket }) => ticket === ticket_id)
        .map(({ away }) => ({ ticket_id, away: basename(away), repos }))
    ),
  };
}

/** The steps that write a record into the control repository. */
export async function recordSteps(
  ctx: ExecuteContext,
  file: string,
  record: object,
): Promise<JournalStep[]> {
  const path = join(ctx.root, file);
  const records = dirname(path);
  return [
    ...(await ctx.system.files.lstat(records) === null
      ? [makeDirectories.step({ paths: [records] })]
      : []),
    replaceFile.step({
      file: path,
      before: null,
      after: `${JSON.stringify(record, null, 2)}\n`,
      what: `Write ${file}`,
      keep: null,
    }),
  ];
}
