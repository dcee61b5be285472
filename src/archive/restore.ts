/**
 * `amof archive restore`: makes an archived workspace again, with its branches and tickets (WORKSPACE-19).
 *
 * All or nothing like install, except that a branch whose commits its remote no longer has is reported as lost.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import {
  findWorkspace,
  freshState,
  type InstallFacts,
  type Manifest,
  type Repo,
  repoDirectory,
  stateText,
  surveyInstall,
  type WorkspaceState,
  workspaceSteps,
} from "../workspace/mod.ts";
import type { LocalBranch } from "../git/mod.ts";
import { type CommandContext, type ExecuteContext, mutation } from "../contract/mod.ts";
import { plainTime } from "../text/moment.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count, list } from "../text/words.ts";
import { restoreBranches, restoreRef } from "./operations.ts";
import { type ArchiveRecord, chooseArchive, readArchives } from "./record.ts";

/** One repository of the restored workspace. */
interface RestoreRepo {
  readonly name: string;
  /** The branch that is checked out again; null for the base branch. */
  readonly current: string | null;
  readonly branches: readonly LocalBranch[];
}

interface RestoreFacts {
  readonly archive: string;
  readonly archived_at: string;
  readonly install: InstallFacts;
  /** The commit at which a deleted workspace branch is made again, or null. */
  readonly workspace_commit: string | null;
  readonly tickets: readonly string[];
  readonly repos: readonly RestoreRepo[];
  /** Archived repositories that the manifest no longer has. */
  readonly dropped: readonly string[];
  /** What the record is damaged about, one phrase each. */
  readonly damaged: readonly string[];
}

interface RestoreData {
  readonly archive: string;
  readonly workspace: string;
  readonly active_ticket: string | null;
  readonly tickets: readonly string[];
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly branches: number;
    /** Branches that could not be made again. */
    readonly lost: readonly string[];
  }[];
  readonly dropped: readonly string[];
  /** What the record is damaged about, one phrase each. */
  readonly damaged: readonly string[];
}

async function plan(
  ctx: CommandContext,
  name: string | undefined,
): Promise<{ facts: RestoreFacts; manifest: Manifest; record: ArchiveRecord }> {
  const archives = await readArchives(ctx.system, ctx.root, ctx.ecosystem);
  const chosen = chooseArchive(archives, ctx.ecosystem, name);
  const { record } = chosen;
  const { facts: install, manifest } = await surveyInstall(ctx, { push: false, repair: false });
  const usable = new Map<string, Repo>(
    manifest.repos.filter((repo) => repo.enabled).map((repo) => [repo.name, repo]),
  );
  // A workspace branch that still exists keeps its commit, because it may have new commits.
  const commit = install.action === "create" && record.workspace_commit !== null
    ? await ctx.git.at(ctx.root).refs.resolve(record.workspace_commit)
    : null;
  return {
    manifest,
    record,
    facts: {
      archive: chosen.name,
      archived_at: record.archived_at,
      install: commit === null ? install : { ...install, action: "attach" },
      workspace_commit: commit,
      tickets: Object.keys(record.state?.tickets ?? {}),
      repos: record.repos.filter((repo) => usable.has(repo.name)).map((repo) => ({
        name: repo.name,
        current: repo.branch,
        branches: repo.branches,
      })),
      dropped: record.repos.map((repo) => repo.name).filter((entry) => !usable.has(entry)),
      damaged: chosen.damaged,
    },
  };
}

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

/** What came of each repository, looked at afterwards. */
async function outcome(
  ctx: ExecuteContext,
  directory: string,
  manifest: Manifest,
  facts: RestoreFacts,
): Promise<RestoreData["repos"]> {
  const rows: RestoreData["repos"][number][] = [];
  for (const repo of manifest.repos.filter((entry) => entry.enabled)) {
    const clone = await repoDirectory(ctx.system, directory, repo);
    const there = await ctx.git.at(clone, repo.name).branches.list();
    const wanted = facts.repos.find((entry) => entry.name === repo.name)?.branches ?? [];
    rows.push({
      name: repo.name,
      branch: await ctx.git.at(clone).branches.current() ?? "HEAD",
      branches: there.length,
      lost: wanted.map((branch) => branch.name)
        .filter((name) => !there.some((branch) => branch.name === name)),
    });
  }
  return rows;
}

/** The failure of a restore that could not read everything; nothing when it could. */
function damageOf({ archive, damaged }: RestoreFacts): { readonly failure?: AmofError } {
  if (damaged.length === 0) return {};
  return {
    failure: new AmofError(
      "partial_failure",
      `Restored the workspace, but the record is damaged; left out: ${
        damaged.slice(0, 5).join("; ")
      }`,
      {
        hint:
          `Compare ${archive}.json with an older version of the file, and make by hand what is missing`,
        details: { damaged },
      },
    ),
  };
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
  description: "All or nothing: where one repository cannot be cloned, nothing is left behind.",
  positionals: ["archive"],
  examples: ["archive restore", "archive restore demo-20260102T030405000Z --yes"],
  input: (z) =>
    z.strictObject({
      archive: z.string().optional().describe("Name of the archive; the newest by default"),
    }),
  async preview(ctx, input) {
    const { facts } = await plan(ctx, input.archive);
    const { install } = facts;
    return {
      facts,
      summary: `Would restore ${ctx.ecosystem} with ${count(install.repos.length, "clone")}.`,
      effects: [
        `Make ${install.workspace} on branch ${install.branch}`,
        ...install.repos.map((repo) => `Clone ${repo.name} (${repo.mode}) from ${repo.url}`),
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
      ],
      current: `Archived on ${plainTime(Date.parse(facts.archived_at))} as ${facts.archive}`,
      alternatives: ["Begin anew instead: amof install", "See all archives: amof archive list"],
    };
  },
  lasts: "this; put the workspace away again: amof archive",
  async execute(ctx, input, facts) {
    const { manifest, record } = await plan(ctx, input.archive);
    const { directory } = await findWorkspace(ctx, ctx.root, manifest);
    const state = stateFor(ctx, manifest, record);
    const branches = await Promise.all(facts.repos.map(async (entry) => {
      const repo = manifest.repos.find((candidate) => candidate.name === entry.name);
      if (repo === undefined) throw new TypeError(`"${entry.name}" is no longer in the manifest`);
      return restoreBranches.step({
        repo: entry.name,
        directory: await repoDirectory(ctx.system, directory, repo),
        branches: entry.branches,
        current: entry.current,
      });
    }));
    await ctx.perform([
      ...(facts.workspace_commit === null ? [] : [restoreRef.step({
        root: ctx.root,
        branch: facts.install.branch,
        commit: facts.workspace_commit,
      })]),
      ...await workspaceSteps(ctx, manifest, facts.install, {
        directory,
        contents: {
          state: stateText(ctx.system, state),
          afterClone: branches,
        },
      }),
    ]);
    const repos = await outcome(ctx, directory, manifest, facts);
    const data: RestoreData = {
      archive: facts.archive,
      workspace: facts.install.workspace,
      active_ticket: state.active_ticket,
      tickets: facts.tickets,
      repos,
      dropped: facts.dropped,
      damaged: facts.damaged,
    };
    const lossy = repos.filter((repo) => repo.lost.length > 0);
    const [first] = lossy;
    if (first === undefined) return { data, ...damageOf(facts) };
    return {
      data,
      failure: new AmofError(
        "partial_failure",
        `Restored the workspace, but ${count(lossy.length, "repository", "repositories")} ${
          lossy.length === 1 ? "has" : "have"
        } lost branches: "${first.name}" ${
          first.lost.map((name) => cleanLine(name, 60)).join(", ")
        }`,
        {
          hint: "Their remote no longer has the commits; end the tickets that used them",
          details: {
            repos: lossy.map(({ name, lost }) => ({ name, lost })),
            damaged: facts.damaged,
          },
        },
      ),
    };
  },
  render: (data: RestoreData) => ({
    summary: `Restored ${data.workspace} with ${count(data.repos.length, "repo")}.`,
    details: [
      `From ${data.archive} · ${
        data.active_ticket === null ? "no active ticket" : `ticket ${data.active_ticket}`
      } · ${count(data.tickets.length, "ticket")}`,
      ...(data.repos.length === 0 ? [] : [
        "",
        table(
          ["repo", "branch", "branches", "lost"],
          data.repos.map((repo) => [
            repo.name,
            cleanLine(repo.branch),
            repo.branches,
            repo.lost.map((name) => cleanLine(name, 60)).join(", "),
          ]),
        ),
      ]),
      ...data.dropped.map((name) => `– ${cleanLine(name, 60)}: no longer in the manifest`),
      ...data.damaged.map((what) => `⚠ Damaged in the record, left out: ${cleanLine(what, 200)}`),
    ],
  }),
});
