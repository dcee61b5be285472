/**
 * `amof archive`: puts a workspace away (amof.md §2.6).
 *
 * Nothing is deleted unless everything is on a remote: feature branches are pushed, then the remotes themselves are
 * asked, and only then the workspace goes. A record of branches and tickets stays for `archive restore`.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { dirname, join } from "@std/path";
import { AmofError, type ErrorCode } from "../error.ts";
import {
  CONTROL,
  deleteRemoteBranch,
  digestsOf,
  environmentLines,
  loadState,
  type Loss,
  lossesOf,
  lossLines,
  lossText,
  makeDirectories,
  type Manifest,
  type Refusal,
  refuseAll,
  refuseObstacles,
  removablePlace,
  removalSteps,
  replaceFile,
  type RepoStock,
  type Stock,
  takeStock,
  undeletable,
  type WorkspacePlace,
  type WorkspaceState,
} from "../ecosystem/mod.ts";
import { inPool, type LocalBranch } from "../git/mod.ts";
import { type CommandContext, type ExecuteContext, mutation } from "../spec/mod.ts";
import { timestamp } from "../system/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count } from "../text/words.ts";
import { type ArchiveRecord, newFile } from "./record.ts";
import { pushAll, type PushPlan, verifyRemotes } from "./remote.ts";

const REMOTE = "origin";
const NO_BRANCH = "on no branch";

interface ArchiveInput {
  readonly message?: string | undefined;
  readonly delete_workspace: boolean;
  readonly cleanup_features: boolean;
  readonly discard_local: boolean;
}

/** One repository of the archive. */
interface RepoFact {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly readonly: boolean;
  /** The local branches that the record keeps. */
  readonly branches: readonly LocalBranch[];
}

interface ArchiveFacts {
  readonly [field: string]: unknown;
  readonly workspace: string;
  readonly workspace_branch: string;
  readonly workspace_commit: string | null;
  readonly message: string | null;
  readonly tickets: readonly string[];
  readonly repos: readonly RepoFact[];
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
}

interface ArchiveData {
  readonly [field: string]: unknown;
  readonly workspace: string;
  /** The record, relative to the control repository. */
  readonly file: string;
  readonly tickets: readonly string[];
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string | null;
    readonly pushed: readonly string[];
  }[];
  readonly losses: readonly Loss[];
  readonly workspace_branch_kept: boolean;
  /** What could not be deleted, or null. */
  readonly left: string | null;
}

const REFUSED: Readonly<Record<Loss["kind"], readonly [code: ErrorCode, fix: string]>> = {
  uncommitted: ["repo_dirty", "commit and push them: amof push --commit"],
  commits: ["would_lose_work", "push them: amof push --allow-base"],
  stash: ["would_lose_work", "apply or drop it: git stash"],
  tagged: ["would_lose_work", "push the tags: git push origin --tags"],
  repository: ["would_lose_work", "move it out of the workspace"],
  files: ["would_lose_work", "move them out of the workspace"],
  unreadable: ["git_failed", "look at it: amof status"],
  ignored: ["would_lose_work", ""],
};

/** Commits of one repository that pushing its feature branches saves, and those that it does not. */
async function split(
  ctx: CommandContext,
  directory: string,
  repo: RepoStock,
  base: string | undefined,
): Promise<{ push: PushPlan[]; stuck: Loss[] }> {
  if (repo.unpushed.length === 0) return { push: [], stuck: [] };
  const push: PushPlan[] = [];
  const stuck: Loss[] = [];
  const hasRemote = await ctx.git.pushUrl(directory, REMOTE) !== null;
  for (const { name: branch, commit } of repo.branches) {
    const commits = await ctx.git.unpushedCount(directory, repo.name, `refs/heads/${branch}`);
    if (commits === 0) continue;
    if (repo.known && !repo.readonly && hasRemote && branch !== base) {
      push.push({ repo: repo.name, branch, commit, commits });
    } else {
      stuck.push({
        repo: repo.name,
        kind: "commits",
        count: commits,
        items: [`on ${cleanLine(branch, 60)}`],
      });
    }
  }
  if (repo.branch === null && repo.head !== null) {
    const commits = await ctx.git.unpushedCount(directory, repo.name, "HEAD");
    if (commits > 0) {
      stuck.push({
        repo: repo.name,
        kind: "commits",
        count: commits,
        items: [NO_BRANCH],
      });
    }
  }
  return { push, stuck };
}

/** The branches of remotes that go with `cleanup_features`, or why one may not. */
async function planCleanup(
  ctx: CommandContext,
  place: WorkspacePlace,
  manifest: Manifest,
  state: WorkspaceState | null,
  stock: Stock,
): Promise<(ArchiveFacts["cleanup"][number] | Refusal)[]> {
  const found: (ArchiveFacts["cleanup"][number] | Refusal)[] = [];
  for (const ticket of Object.values(state?.tickets ?? {})) {
    for (const [name, branch] of Object.entries(ticket.repos)) {
      const repo = manifest.repos.find((entry) => entry.name === name);
      const there = stock.repos.find((entry) => entry.name === name);
      if (repo === undefined || repo.readonly || there === undefined || there.problem !== null) {
        continue;
      }
      const directory = join(place.directory, repo.path);
      const remote = `refs/remotes/${REMOTE}/${branch}`;
      const base = `refs/remotes/${REMOTE}/${repo.branch}`;
      const refs = await ctx.git.refs(directory, [remote, base], name);
      const local = there.branches.find((entry) => entry.name === branch)?.commit;
      const tips = [local, refs.get(remote)].filter((commit) => commit !== undefined);
      const keeper = refs.get(base);
      let unmerged = 0;
      for (const tip of tips) {
        unmerged = Math.max(
          unmerged,
          await ctx.git.countBeyond(directory, tip, keeper === undefined ? [] : [keeper], name),
        );
      }
      const commit = refs.get(remote);
      if (unmerged > 0) {
        found.push({
          repo: name,
          code: "would_lose_work",
          problem: `has ${
            count(unmerged, "commit")
          } on ${branch} that ${repo.branch} does not have`,
          fix: "merge them, or archive without --cleanup-features",
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
  if (deleted) {
    const own = await ctx.git.ownCount(ctx.root, branch, true);
    return {
      push: [],
      refusals: own === 0 ? [] : [{
        repo: CONTROL,
        code: "would_lose_work",
        problem: `has ${count(own, "commit")} on ${branch} that no other branch has`,
        fix: "merge them, or archive without --delete-workspace",
      }],
    };
  }
  const commits = await ctx.git.unpushedCount(ctx.root, CONTROL, `refs/heads/${branch}`);
  const hasRemote = await ctx.git.pushUrl(ctx.root, REMOTE) !== null;
  return {
    push: commits > 0 && hasRemote ? [{ repo: CONTROL, branch, commit, commits }] : [],
    refusals: [],
  };
}

interface Plan {
  readonly facts: ArchiveFacts;
  readonly place: WorkspacePlace;
  readonly manifest: Manifest;
  readonly stock: Stock;
  readonly state: WorkspaceState | null;
}

async function plan(ctx: CommandContext, input: ArchiveInput): Promise<Plan> {
  const what = `archive ${ctx.ecosystem}`;
  const { place, manifest } = await removablePlace(ctx, "archive");
  const stock = await takeStock(ctx, place, manifest);
  if (stock.control === null) {
    throw new AmofError(
      "workspace_not_installed",
      `Cannot ${what}: the directory of its workspace is gone`,
      { hint: "Make it anew: amof install --repair; or forget it: amof discard" },
    );
  }
  refuseObstacles(what, stock.obstacles);
  const state = await loadState(ctx.system, place.directory);
  const base = (name: string) => manifest.repos.find((repo) => repo.name === name)?.branch;
  const parts = await inPool(
    ctx.jobs,
    stock.repos,
    (repo) =>
      repo.problem === null
        ? split(ctx, join(place.directory, repo.path), repo, base(repo.name))
        : Promise.resolve({ push: [], stuck: [] }),
  );
  const losses = [
    ...lossesOf(stock).filter((loss) => loss.kind !== "commits" && loss.kind !== "tagged"),
    ...parts.flatMap((part) => part.stuck),
  ];
  const name = stock.control.branch ?? manifest.workspaceBranch;
  const commit = await ctx.git.resolveRef(ctx.root, `refs/heads/${name}`);
  const workspace = await planWorkspaceBranch(ctx, name, commit, input.delete_workspace);
  const cleanup = input.cleanup_features
    ? await planCleanup(ctx, place, manifest, state, stock)
    : [];
  refuseAll(what, [
    ...(input.discard_local ? [] : losses.filter((loss) => loss.kind !== "ignored"))
      .map((loss): Refusal => {
        const [code, fix] = REFUSED[loss.kind];
        return { repo: loss.repo, code, problem: `has ${lossText(loss)}`, fix };
      }),
    ...workspace.refusals,
    ...cleanup.filter((entry): entry is Refusal => "problem" in entry),
  ]);
  const stuck = new Set(
    losses.filter((loss) => loss.kind === "commits")
      .map((loss) => `${loss.repo} ${loss.items[0] ?? ""}`),
  );
  return {
    place,
    manifest,
    stock,
    state,
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
          !stuck.has(`${repo.name} on ${cleanLine(branch.name, 60)}`)
        ),
      })),
      push: [...workspace.push, ...parts.flatMap((part) => part.push)],
      cleanup: cleanup.flatMap((entry) => "problem" in entry ? [] : [entry]),
      delete_workspace: input.delete_workspace,
      losses,
      digests: digestsOf(stock),
    },
  };
}

/** Whether the commits of a repository's detached HEAD are among what is given up. */
function isLost(losses: readonly Loss[], repo: string): boolean {
  return losses.some((loss) => loss.repo === repo && loss.items.includes(NO_BRANCH));
}

function recordOf(
  ctx: ExecuteContext,
  facts: ArchiveFacts,
  state: WorkspaceState | null,
  now: number,
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
  };
}

/** `amof archive`. */
export const archive = mutation({
  name: "amof_archive_ecosystem",
  path: ["archive"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  runs: "archive",
  exclusive: true,
  openWorld: true,
  title: "Archive ecosystem",
  summary: "Push all work, verify it on the remotes, then put the workspace away with a record.",
  description:
    "Refuses while anything would be lost: uncommitted files, stashes, commits on base branches. Feature branches are pushed, never with force, and the remotes are asked before anything is deleted. archive restore brings the workspace back.",
  short: { message: "m" },
  examples: ["archive --dry-run", 'archive -m "Done for now" --yes'],
  input: (z) =>
    z.strictObject({
      message: z.string().min(1).max(1000).optional().describe("A note for the record"),
      delete_workspace: z.boolean().default(false).describe("Delete the workspace branch, too"),
      cleanup_features: z.boolean().default(false).describe(
        "Delete the merged feature branches of tickets on the remotes",
      ),
      discard_local: z.boolean().default(false).describe(
        "Lose what is only here instead of refusing; must be confirmed by typing",
      ),
    }),
  raised: (input) => input.discard_local ? { confirm: "type" } : null,
  async preview(ctx, input) {
    const { facts } = await plan(ctx, input);
    const lost = facts.losses.filter((loss) => loss.kind !== "ignored");
    return {
      facts,
      summary: `Would archive ${ctx.ecosystem} with ${count(facts.repos.length, "repo")}.`,
      effects: [
        ...facts.push.map((entry) =>
          `Push ${entry.repo} ${cleanLine(entry.branch, 60)} (${count(entry.commits, "commit")})`
        ),
        "Ask every remote whether it has every local branch; stop if not",
        ...facts.cleanup.map((entry) => `Delete ${entry.branch} on the remote of ${entry.repo}`),
        "Write a record into the control repository",
        ...lossLines(facts.losses).map((line) => `Lose ${line}`),
        `Delete ${facts.workspace} with its clones`,
        ...(facts.delete_workspace ? [`Delete the branch ${facts.workspace_branch}`] : []),
        ...await environmentLines(ctx),
      ],
      ...(lost.length === 0
        ? {}
        : { irreversible: `${count(lost.length, "loss", "losses")} cannot be brought back.` }),
      current: `${count(facts.tickets.length, "ticket")}, ${
        count(facts.push.length, "branch", "branches")
      } to push`,
      alternatives: ["Only push: amof push", "Look at the state: amof status"],
    };
  },
  async execute(ctx, input, facts) {
    const { place, stock, state } = await plan(ctx, input);
    const directories = new Map([
      [CONTROL, place.directory],
      ...stock.repos.map((repo) => [repo.name, join(place.directory, repo.path)] as const),
    ]);
    await pushAll(ctx, facts.push, directories);
    await verifyRemotes(
      ctx,
      facts.repos.map((repo) => ({
        name: repo.name,
        directory: directories.get(repo.name) ?? "",
        branches: repo.branches,
        detached: repo.branch === null && !isLost(facts.losses, repo.name) ? repo.commit : null,
      })),
    );
    const now = ctx.system.clock.now();
    const file = newFile(ctx.ecosystem, now);
    const records = dirname(join(ctx.root, file));
    const record = recordOf(ctx, facts, state, now);
    const { undoable, final, aside } = removalSteps(ctx, {
      root: ctx.root,
      directory: place.directory,
      stock,
      digests: facts.digests,
      branch: facts.delete_workspace && facts.workspace_commit !== null
        ? { name: facts.workspace_branch, commit: facts.workspace_commit }
        : null,
    });
    const before = [
      ...facts.cleanup.map(({ repo, branch, commit }) =>
        deleteRemoteBranch.step({
          repo,
          directory: directories.get(repo) ?? "",
          branch,
          commit,
        })
      ),
      ...(await ctx.system.files.lstat(records) === null
        ? [makeDirectories.step({ paths: [records] })]
        : []),
      replaceFile.step({
        file: join(ctx.root, file),
        before: null,
        after: `${JSON.stringify(record, null, 2)}\n`,
        what: `Write ${file}`,
        keep: null,
      }),
      ...undoable,
    ];
    await ctx.perform([...before, ...final], before.length);
    const left = await ctx.system.files.lstat(aside) === null ? null : aside;
    const data: ArchiveData = {
      workspace: facts.workspace,
      file,
      tickets: facts.tickets,
      repos: facts.repos.map(({ name, branch }) => ({
        name,
        branch,
        pushed: facts.push.filter((entry) => entry.repo === name).map((entry) => entry.branch),
      })),
      losses: facts.losses,
      workspace_branch_kept: !facts.delete_workspace,
      left,
    };
    return left === null ? { data } : { data, failure: undeletable(left) };
  },
  render: (data: ArchiveData) => ({
    summary: data.left === null
      ? `Archived ${data.workspace} with ${count(data.repos.length, "repo")}.`
      : `Archived ${data.workspace}; some files could not be deleted.`,
    details: [
      `Record: ${data.file} (not committed)`,
      ...(data.repos.length === 0 ? [] : [
        "",
        table(
          ["repo", "branch", "pushed"],
          data.repos.map((repo) => [
            repo.name,
            cleanLine(repo.branch ?? "(detached)", 60),
            cleanLine(repo.pushed.join(", "), 80) || "nothing new",
          ]),
        ),
      ]),
      ...lossLines(data.losses).map((line) => `Lost ${line}`),
      ...(data.left === null ? [] : [`⚠ Delete by hand: ${data.left}`]),
    ].join("\n"),
  }),
});
