/**
 * `amof archive restore`: makes an archived workspace again, with its branches and tickets (WORKSPACE-19).
 *
 * All or nothing like install, except that a branch whose commits its remote no longer has is reported as lost.
 */

import {
  findWorkspace,
  freshState,
  loadState,
  repoDirectory,
  stateText,
  type WorkspaceState,
} from "../../../workspace/mod.ts";
import { workspaceSteps } from "../../../workspace/changing.ts";
import type { Manifest } from "../../../workspace/manifest/mod.ts";
import { type ExecuteContext, mutation } from "../../../contract/mod.ts";
import type { JournalStep } from "../../../state/store/mod.ts";
import { plainTime } from "../../../base/text/moment.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, list } from "../../../base/text/words.ts";
import { restoreBranches, restoreRef } from "../operations.ts";
import type { ArchiveRecord } from "../record_text.ts";
import { planRestore, type RestoreFacts } from "./plan.ts";
import { failureOf, outcome, renderRestore, type RestoreData } from "./answer.ts";
import { mirrorsBack, ticketRows, ticketSteps } from "../tickets/back.ts";
import { backEffects } from "../tickets/words.ts";

/** The archived state without what the manifest no longer knows. */
function stateFor(
  ctx: ExecuteContext,
  manifest: Manifest,
  record: ArchiveRecord,
): WorkspaceState {
  const fresh = freshState(ctx.system, manifest.name, manifest.workspaceBranch);
  if (record.state === null) return fresh;
  const known = new Set<string>(manifest.repos.map((repo) => repo.name));
  return {
    ...record.state,
    ecosystem: manifest.name,
    workspace_branch: manifest.workspaceBranch,
    repos: record.state.repos.filter((repo) => known.has(repo.name)),
  };
}

async function baseSteps(
  ctx: ExecuteContext,
  { manifest, directory, state }: {
    readonly manifest: Manifest;
    /** Absolute. */
    readonly directory: string;
    readonly state: WorkspaceState | null;
  },
  { install, workspace_commit, repos }: RestoreFacts,
): Promise<JournalStep[]> {
  if (install === null || state === null) return [];
  const branches = await Promise.all(repos.map(async (entry) => {
    const repo = manifest.repos.find((candidate) => candidate.name === entry.name);
    if (repo === undefined) throw new TypeError(`"${entry.name}" is no longer in the manifest`);
    return restoreBranches.step({
      repo: entry.name,
      directory: await repoDirectory(ctx.system, directory, repo),
      branches: entry.branches,
      current: entry.current,
    });
  }));
  return [
    ...(workspace_commit === null ? [] : [restoreRef.step({
      root: ctx.root,
      branch: install.branch,
      commit: workspace_commit,
    })]),
    ...await workspaceSteps(ctx, manifest, install, {
      directory,
      contents: { state: stateText(ctx.system, state), afterClone: branches },
    }),
  ];
}

/** `amof archive restore`. */
export const restoreArchive = mutation({
  name: "amof_restore_archive",
  path: ["archive", "restore"],
  toolset: "ecosystem",
  extra: true,
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "restore", will: "create the archived workspace again" },
  runs: "archive_restore",
  exclusive: true,
  openWorld: true,
  title: "Restore archive",
  summary: "Make an archived workspace again, with its branches and tickets.",
  description:
    "All or nothing: where one repository cannot be cloned, nothing is left behind. With --tickets the workspaces of tickets come back, too, exactly as they were put away.",
  positionals: ["archive"],
  examples: [
    "archive restore",
    "archive restore demo-20260102T030405000Z --yes",
    "archive restore --tickets",
  ],
  input: (z) =>
    z.strictObject({
      archive: z.string().optional().describe("Name of the archive; the newest by default"),
      tickets: z.boolean().default(false).describe(
        "Bring tickets back that archive --tickets has put away; only them where the workspace is there",
      ),
    }),
  async preview(ctx, input) {
    const { facts } = await planRestore(ctx, input);
    const { install, back } = facts;
    const tickets = count(back.length, "ticket");
    return {
      facts,
      summary: install === null
        ? `Would bring ${tickets} of ${ctx.ecosystem} back.`
        : `Would restore ${ctx.ecosystem} with ${count(install.repos.length, "clone")}${
          back.length === 0 ? "" : ` and ${tickets}`
        }.`,
      ...(install === null ? { will: `bring ${tickets} back` } : {}),
      effects: [
        ...(install === null ? [] : [
          `Make ${install.workspace} on branch ${install.branch}`,
          ...install.repos.map((repo) => `Clone ${repo.name} (${repo.mode}) from ${repo.url}`),
        ]),
        ...facts.repos.filter((repo) => repo.branches.length > 0).map((repo) =>
          `Restore ${count(repo.branches.length, "branch", "branches")} of ${repo.name}${
            repo.current === null ? "" : `, on ${cleanLine(repo.current, 60)}`
          }`
        ),
        ...(facts.tickets.length === 0
          ? []
          : [`Restore ${count(facts.tickets.length, "ticket")}: ${list(facts.tickets)}`]),
        ...facts.dropped.map((name) =>
          `Leave out ${cleanLine(name, 60)}: the manifest no longer has it`
        ),
        ...facts.damaged.map((what) => `Leave out what is damaged in the record: ${what}`),
        ...backEffects(facts),
      ],
      current: `Archived on ${plainTime(Date.parse(facts.archived_at))} as ${facts.archive}`,
      alternatives: ["Begin anew instead: amof install", "See all archives: amof archive list"],
    };
  },
  irreversible: "this; put the workspace away again: amof archive",
  async execute(ctx, input, facts) {
    const { manifest, record } = await planRestore(ctx, input);
    const { directory } = await findWorkspace(ctx, ctx.root, manifest);
    const { install, back } = facts;
    const state = install === null
      ? await loadState(ctx.system, directory)
      : stateFor(ctx, manifest, record);
    const notes: string[] = [];
    const base = install === null ? directory : null;
    const mirrors = await mirrorsBack(ctx, manifest, { base, back, notes });
    await ctx.perform([
      ...(install === null ? [] : await baseSteps(ctx, { manifest, directory, state }, facts)),
      ...await ticketSteps(ctx, manifest, back),
    ]);
    const data: RestoreData = {
      archive: facts.archive,
      workspace: manifest.workspaceDir,
      only_tickets: install === null,
      active_ticket: state?.active_ticket ?? null,
      tickets: facts.tickets,
      repos: install === null ? [] : await outcome(ctx, directory, manifest, facts),
      dropped: facts.dropped,
      damaged: facts.damaged,
      ticket_workspaces: await ticketRows(ctx, { back, mirrors }),
      left_out: facts.left_out,
      still_away: facts.still_away,
      notes,
    };
    return { data, ...failureOf(data) };
  },
  render: renderRestore,
});
