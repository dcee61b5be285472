/** What an archive would push, keep, delete and lose, and why it is refused (WORKSPACE-17). */

import { join } from "@std/path";
import { CONTROL, digestsOf, type Stock } from "../../workspace/removal/mod.ts";
import { refusalsOf } from "../removal/remedies.ts";
import type { GivenUp } from "../removal/leaving.ts";
import type { Loss } from "../removal/losses.ts";
import {
  type GuardInput,
  makeGuard,
  type Manifest,
  touchedBy,
  touchText,
} from "../../workspace/manifest/mod.ts";
import { touchFix } from "../advice/command_lines.ts";
import {
  type Refusal,
  refuseAll,
  refuseUsedElsewhere,
  type WorkspacePlace,
  type WorkspaceState,
} from "../../workspace/mod.ts";
import { inPool } from "../../base/async/pool.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { count } from "../../base/text/words.ts";
import { refusedIfStrayed } from "../outgoing/strayed.ts";
import { findings, type PushPlan } from "./findings.ts";
import type { ArchivedRepo } from "./record.ts";
import type { TicketFact } from "./tickets/back.ts";

const REMOTE = "origin";
/** What an archive is asked for. */
interface ArchiveInput extends GuardInput {
  readonly message?: string | undefined;
  readonly delete_workspace: boolean;
  readonly cleanup_features: boolean;
  readonly discard_local: boolean;
  readonly tickets: boolean;
}

/** What a confirmation of an archive is bound to. */
export interface ArchiveFacts {
  readonly workspace: string;
  readonly workspace_branch: string;
  readonly workspace_commit: string | null;
  readonly message: string | null;
  readonly tickets: readonly string[];
  /** As the record keeps them. */
  readonly repos: readonly ArchivedRepo[];
  /** Branches that are pushed first. */
  readonly push: readonly PushPlan[];
  /** Branches of remotes that are deleted, each at its commit. */
  readonly cleanup: readonly {
    readonly repo: string;
    readonly branch: string;
    readonly commit: string;
  }[];
  /** Whether the workspace branch goes, too. */
  readonly delete_workspace: boolean;
  /** What would be lost; without `discard_local` only ignored files. */
  readonly losses: readonly Loss[];
  readonly digests: Readonly<Record<string, string>>;
  /** Workspaces of tickets that are put away, too. */
  readonly ticket_workspaces: readonly TicketFact[];
}

/** The branches of remotes that go with `cleanup_features`, or why one may not. */
async function planCleanup(
  ctx: CommandContext,
  place: WorkspacePlace,
  { manifest, state, stock }: {
    readonly manifest: Manifest;
    readonly state: WorkspaceState | null;
    readonly stock: Stock;
  },
): Promise<(ArchiveFacts["cleanup"][number] | Refusal)[]> {
  const found: (ArchiveFacts["cleanup"][number] | Refusal)[] = [];
  for (const ticket of Object.values(state?.tickets ?? {})) {
    for (const [name, branch] of Object.entries(ticket.repos)) {
      const repo = manifest.repos.find((entry) => entry.name === name);
      const there = stock.repos.find((entry) => entry.name === name);
      if (repo === undefined || repo.readonly || there === undefined || there.problem !== null) {
        continue;
      }
      const repository = ctx.git.at(join(place.directory, repo.path), name);
      const remote = `refs/remotes/${REMOTE}/${branch}`;
      const { ref: base } = await repository.refs.base(repo.branch);
      const refs = await repository.refs.list([remote, base]);
      const local = there.branches.find((entry) => entry.name === branch)?.commit;
      const tips = [local, refs.get(remote)].filter((commit) => commit !== undefined);
      const keeper = refs.get(base);
      let unmerged = 0;
      for (const tip of new Set(tips)) {
        const keepers = keeper === undefined ? [] : [keeper];
        const own = await repository.history.countBeyond(tip, keepers);
        const landed = own > 0 && keeper !== undefined &&
          (await repository.integrated.find(tip, keeper)).how !== null;
        if (!landed) unmerged = Math.max(unmerged, own);
      }
      const commit = refs.get(remote);
      if (unmerged > 0) {
        found.push({
          repo: name,
          code: "would_lose_work",
          problem: `has ${
            count(unmerged, "commit")
          } on ${branch} that ${repo.branch} does not have`,
          fix: "merge them, or keep them: the same command without --cleanup-features",
        });
      } else if (commit !== undefined) found.push({ repo: name, branch, commit });
    }
  }
  return found;
}

/** What happens to the workspace branch: pushed, deleted or only kept; or why it may not be deleted. */
async function planWorkspaceBranch(
  ctx: CommandContext,
  branch: string,
  commit: string | null,
  deleted: boolean,
): Promise<{ push: PushPlan[]; refusals: Refusal[] }> {
  if (commit === null) return { push: [], refusals: [] };
  const control = ctx.git.at(ctx.root, CONTROL);
  if (deleted) {
    const own = await control.history.ownCount(branch, true);
    return {
      push: [],
      refusals: own === 0 ? [] : [{
        repo: CONTROL,
        code: "would_lose_work",
        problem: `has ${count(own, "commit")} on ${branch} that no other branch has`,
        fix: "merge them, or keep them: the same command without --delete-workspace",
      }],
    };
  }
  const commits = await control.history.unpushedCount(`refs/heads/${branch}`);
  const hasRemote = await control.remotes.pushUrl(REMOTE) !== null;
  return {
    push: commits > 0 && hasRemote ? [{ repo: CONTROL, branch, commit, commits, gone: null }] : [],
    refusals: [],
  };
}

/** What would be done, and what it was computed from. */
interface Plan {
  readonly facts: ArchiveFacts;
  readonly place: WorkspacePlace;
  readonly manifest: Manifest;
  readonly stock: Stock;
  readonly state: WorkspaceState | null;
  /** Repositories whose detached HEAD holds commits that are given up. */
  readonly lostHeads: ReadonlySet<string>;
  /** Repository to what only its tags and other refs hold, and that is given up. */
  readonly givenUp: ReadonlyMap<string, GivenUp>;
}

/** What of the pushes would carry files that are guarded. */
async function guarded(
  ctx: CommandContext,
  { place, manifest, stock }: Pick<Plan, "place" | "manifest" | "stock">,
  push: readonly PushPlan[],
  allowed: readonly string[] | undefined,
): Promise<Refusal[]> {
  const guard = await makeGuard(manifest.noTouchPaths);
  const found = await inPool(ctx.jobs, push, async ({ repo, commit }): Promise<Refusal[]> => {
    const path = stock.repos.find((entry) => entry.name === repo)?.path;
    const directory = path === undefined ? ctx.root : join(place.directory, path);
    const sent = { head: commit, without: { remote: REMOTE } };
    const touched = await touchedBy(ctx.git.at(directory, repo), guard, sent, allowed);
    return touched.length === 0 ? [] : [{
      repo,
      code: "push_refused",
      problem: `would push no-touch paths: ${touchText(touched)}`,
      fix: touchFix(touched, "archive"),
    }];
  });
  return found.flat();
}

/** The repositories of which something would be sent or deleted at the remote of another one. */
async function strayed(
  ctx: CommandContext,
  { place, manifest, state }: Pick<Plan, "place" | "manifest" | "state">,
  changed: readonly { readonly repo: string }[],
): Promise<Refusal[]> {
  const { repos } = manifest;
  const names = new Set(changed.map(({ repo }) => repo));
  const found = await inPool(
    ctx.jobs,
    repos.filter(({ name }) => names.has(name)),
    (repo) =>
      refusedIfStrayed(ctx, { repo, directory: join(place.directory, repo.path) }, {
        repos,
        state,
      }),
  );
  return found.filter((refusal) => refusal !== null);
}

/** Looks at everything and decides; throws one error for all that would be lost. */
export async function planArchive(ctx: CommandContext, input: ArchiveInput): Promise<Plan> {
  const what = `archive ${ctx.ecosystem}`;
  const found = await findings(ctx, what, input);
  const { place, manifest, stock, state, control, parts, givenUp, losses } = found;
  const name = control.branch ?? manifest.workspaceBranch;
  const commit = await ctx.git.at(ctx.root).refs.resolve(`refs/heads/${name}`);
  if (input.delete_workspace) {
    await refuseUsedElsewhere(ctx, ctx.root, place, { branch: name, what: `delete ${name}` });
  }
  const workspace = await planWorkspaceBranch(ctx, name, commit, input.delete_workspace);
  const cleanup = input.cleanup_features
    ? await planCleanup(ctx, place, { manifest, state, stock })
    : [];
  const push = [...workspace.push, ...found.push];
  refuseAll(what, [
    ...await strayed(ctx, found, [...push, ...cleanup]),
    ...await guarded(ctx, found, push, input.allow_no_touch),
    ...input.discard_local ? [] : await refusalsOf(ctx, losses, {
      workspace: place.directory,
      repos: stock.repos,
      bases: new Map(manifest.repos.map(({ name, branch }) => [name, branch])),
      perTicket: manifest.perTicket,
    }),
    ...workspace.refusals,
    ...cleanup.filter((entry): entry is Refusal => "problem" in entry),
  ]);
  return {
    place,
    manifest,
    stock,
    state,
    lostHeads: new Set([...parts].filter(([, part]) => part.head).map(([name]) => name)),
    givenUp,
    facts: {
      workspace: manifest.workspaceDir,
      workspace_branch: name,
      workspace_commit: commit,
      message: input.message ?? null,
      tickets: Object.keys(state?.tickets ?? {}),
      repos: stock.repos.filter((repo) => repo.known && repo.problem === null).map((repo) => ({
        name: repo.name,
        branch: repo.branch,
        commit: repo.head,
        readonly: repo.readonly,
        branches: repo.branches.filter((branch) =>
          parts.get(repo.name)?.branches.has(branch.name) !== true
        ),
      })),
      push,
      cleanup: cleanup.flatMap((entry) => "problem" in entry ? [] : [entry]),
      delete_workspace: input.delete_workspace,
      losses,
      digests: digestsOf(stock),
      ticket_workspaces: found.tickets,
    },
  };
}
