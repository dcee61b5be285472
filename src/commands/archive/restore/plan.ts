/** What restoring an archive would make again (WORKSPACE-19, AWAY-2). */

import type { CommandContext } from "../../../contract/mod.ts";
import type { LocalBranch } from "../../../git/mod.ts";
import { isInstalled } from "../../../workspace/mod.ts";
import type { InstallFacts } from "../../../workspace/changing.ts";
import { planInstall } from "../../install/plan.ts";
import { loadManifest, type Manifest, type Repo } from "../../../workspace/manifest/mod.ts";
import { ticketsAway } from "../../../workspace/tickets/changing.ts";
import { type ArchiveRecord, chooseArchive, readArchives } from "../record.ts";
import {
  type LeftOut,
  newestWith,
  nothingAway,
  type TicketBack,
  ticketsBack,
} from "../tickets/back.ts";

/** One repository of the restored workspace. */
interface RestoreRepo {
  readonly name: string;
  /** The branch that is checked out again; null for the base branch. */
  readonly current: string | null;
  readonly branches: readonly LocalBranch[];
}

/** What a confirmation of a restore is bound to. */
export interface RestoreFacts {
  readonly archive: string;
  readonly archived_at: string;
  /** Null where the workspace is there, and only tickets come back. */
  readonly install: InstallFacts | null;
  /** The commit at which a deleted workspace branch is made again, or null. */
  readonly workspace_commit: string | null;
  readonly tickets: readonly string[];
  readonly repos: readonly RestoreRepo[];
  /** Archived repositories that the manifest no longer has. */
  readonly dropped: readonly string[];
  /** What the record is damaged about, one phrase each. */
  readonly damaged: readonly string[];
  /** Workspaces of tickets that come back. */
  readonly back: readonly TicketBack[];
  /** Those of the record that do not. */
  readonly left_out: readonly LeftOut[];
  /** Tickets that stay put away, because they were not asked for. */
  readonly still_away: readonly string[];
}

/** What is restored of the base workspace: nothing where it is there. */
async function basePlan(
  ctx: CommandContext,
  manifest: Manifest,
  record: ArchiveRecord,
): Promise<Pick<RestoreFacts, "install" | "workspace_commit" | "tickets" | "repos" | "dropped">> {
  const { facts: install } = await planInstall(ctx, { push: false, repair: false });
  const usable = new Map<string, Repo>(
    manifest.repos.filter((repo) => repo.enabled).map((repo) => [repo.name, repo]),
  );
  // A workspace branch that still exists keeps its commit, because it may have new commits.
  const commit = install.action === "create" && record.workspace_commit !== null
    ? await ctx.git.at(ctx.root).refs.resolve(record.workspace_commit)
    : null;
  return {
    install: commit === null ? install : { ...install, action: "attach" },
    workspace_commit: commit,
    tickets: Object.keys(record.state?.tickets ?? {}),
    repos: record.repos.filter((repo) => usable.has(repo.name)).map((repo) => ({
      name: repo.name,
      current: repo.branch,
      branches: repo.branches,
    })),
    dropped: record.repos.map((repo) => repo.name).filter((entry) => !usable.has(entry)),
  };
}

/** Where the workspace is there, and only tickets come back. */
const BASE_STANDS = { install: null, workspace_commit: null, tickets: [], repos: [], dropped: [] };

/** What would be restored, and what it was computed from. Throws where there is nothing to restore. */
export async function planRestore(
  ctx: CommandContext,
  input: { readonly archive?: string | undefined; readonly tickets: boolean },
): Promise<{ facts: RestoreFacts; manifest: Manifest; record: ArchiveRecord }> {
  const archives = await readArchives(ctx.system, ctx.root, ctx.ecosystem);
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const away = await ticketsAway(ctx, manifest);
  const isAsked = input.tickets || archives.length === 0;
  const isThere = isAsked &&
    isInstalled(await ctx.git.at(ctx.root).worktrees.linked(), ctx.root, manifest);
  const stands = input.tickets && isThere;
  const name = input.archive ?? (stands ? newestWith(archives, away) : undefined);
  const chosen = chooseArchive(archives, ctx.ecosystem, name, isThere);
  const { record } = chosen;
  const named = record.ticket_workspaces ?? [];
  const { back, left_out } = input.tickets
    ? await ticketsBack(ctx, manifest, { named, away })
    : { back: [], left_out: [] };
  if (stands && back.length === 0) throw nothingAway(ctx, chosen.name, left_out);
  return {
    manifest,
    record,
    facts: {
      archive: chosen.name,
      archived_at: record.archived_at,
      ...(stands ? BASE_STANDS : await basePlan(ctx, manifest, record)),
      damaged: chosen.damaged,
      back,
      left_out,
      still_away: input.tickets
        ? []
        : named.filter((entry) =>
          away.some(({ name, id }) => name === entry.away && id === entry.ticket_id)
        ).map(({ ticket_id: id }) => id),
    },
  };
}
