/** What brings the work that a removal would lose to safety: commands that can be pasted, for the clone it is in. */

import { join } from "@std/path";
import type { ErrorCode } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { landingOf, rewrittenOf } from "../../workspace/clones/mod.ts";
import { loadState, type Refusal, type WorkspaceState } from "../../workspace/mod.ts";
import {
  commitWithJj,
  finishThere,
  integrateThere,
  listConflicts,
  overtakenWords,
  pushWithJj,
} from "../advice/clone.ts";
import { broughtBack, joining } from "../advice/command_lines.ts";
import { ticketUpdating, type Updating } from "../../workspace/tickets/mod.ts";
import { isMinor, type Loss, lossText } from "./losses.ts";
import { CONTROL, type RepoStock } from "../../workspace/removal/mod.ts";
import { shortSha } from "../../base/ids.ts";

/** More files and refs than anybody pastes. */
const MOST_NAMES = 5;

/** How a clone stands in which something would be lost. */
export interface CloneAtRisk {
  readonly repo: Pick<
    RepoStock,
    | "name"
    | "readonly"
    | "branch"
    | "head"
    | "branches"
    | "inProgress"
    | "uncommitted"
    | "conflicted"
    | "hidden"
    | "refs"
  >;
  readonly directory: string;
  /** Its base branch, which a push leaves alone unless told to take it; undefined where nobody knows. */
  readonly base: string | undefined;
  /** Whether the remote branch has commits that are not here. */
  readonly isOvertaken: boolean;
  /** What helps where that is what the branch was before it was rewritten here; null or absent where it is not. */
  readonly rewritten?: string | null;
  /** Whether its work is in the base branch, which has more: a push takes nothing that follows. */
  readonly isLanded: boolean;
  /** Whether jj works there beside git, and has it on no branch. */
  readonly jj: boolean;
  /** The ticket whose update waits in it; null where none does. */
  readonly updating: Updating | null;
  /** The flag by which commands mean these clones, such as ` --ticket PROJ-1`, or nothing. */
  readonly scope: string;
  /** The state of its workspace; null where there is none. */
  readonly state: WorkspaceState | null;
  /** Whether tickets get workspaces of their own. */
  readonly perTicket: boolean;
  /** Whether changes of any clone are in the way of going to another ticket. */
  readonly isDirty: boolean;
}

/** How a clone stands whose work is to reach the remote. */
type Unsaved = Omit<CloneAtRisk, "repo" | "isDirty"> & {
  readonly repo: Pick<
    RepoStock,
    "name" | "readonly" | "branch" | "head" | "inProgress" | "uncommitted" | "conflicted"
  >;
};

/** What leads on or back what the clone is in the middle of. */
function finished(
  { repo: { name, inProgress, conflicted }, directory, updating }: Unsaved,
): string {
  return inProgress === null
    ? ""
    : finishThere({ name, directory, inProgress, updating, conflicted });
}

/** What takes uncommitted changes and commits to the remote, or what has to be done before a push would take them. */
export function pushed(standing: Unsaved): string {
  const { repo, directory, base, isOvertaken, rewritten, isLanded, jj, scope, state, perTicket } =
    standing;
  const there = `git -C ${shellWord(directory)}`;
  const { name, branch } = repo;
  const isDirty = repo.uncommitted.length > 0;
  if (repo.readonly) return `see what was changed, and put it elsewhere: ${there} status`;
  if (repo.inProgress !== null) return finished(standing);
  if (repo.conflicted) return `see what is to be resolved: ${listConflicts(directory)}`;
  if (jj) return isDirty ? commitWithJj(directory) : `push them from jj: ${pushWithJj(directory)}`;
  if (branch === null) return `give them a branch: ${there} switch --create saved`;
  if (isOvertaken) return rewritten ?? integrateThere(directory, branch);
  if (isLanded) {
    return `see what goes on top of ${
      cleanLine(base ?? "", 60)
    }: amof status${scope} --repo ${name}`;
  }
  const push = `amof push${scope} --repo ${name}${isDirty ? " --commit" : ""}`;
  if (branch !== base) return `${isDirty ? "commit and push them" : "push them"}: ${push}`;
  // What is not finished would be where everybody begins.
  const [first = `see where it belongs: amof status${scope} --repo ${name}`] = joining(
    { repo, git: repo, unpushed: 1 },
    state,
    { perTicket },
  );
  const all = `push ${cleanLine(branch, 60)} itself: ${push} --allow-base`;
  return repo.head === null ? all : `${first}\n${all}`;
}

/** What takes commits to the remote, which may be on a branch that is not checked out. */
function commitsSaved({ items }: Loss, standing: CloneAtRisk): string {
  const { repo, directory, base } = standing;
  const other = repo.branches.find(({ name }) =>
    name !== repo.branch && items[0] === `on ${cleanLine(name, 60)}`
  );
  if (other === undefined || repo.readonly) return pushed(standing);
  const push = (refs: string) => `git -C ${shellWord(directory)} push origin ${shellWord(refs)}`;
  return other.name === base
    ? `push them under another name: ${push(`${base}:saved/${base}`)}`
    : `push them: ${push(other.name)}`;
}

/** What sends a commit of a submodule to a branch there, which is no base branch; null for all that is no commit of one. */
function submoduleSaved({ repo, directory, base }: CloneAtRisk, item: string): string | null {
  const [, path = "", commit = ""] = /^(.+?): ([0-9a-f]{7,40}) /.exec(`${item} `) ?? [];
  if (commit === "") return null;
  const { branch } = repo;
  const name = branch === null || branch === base ? `kept-${commit}` : branch;
  return `push it from there: git -C ${shellWord(join(directory, path))} push origin ${
    shellWord(`${commit}:refs/heads/${name}`)
  }`;
}

const REFUSED: Readonly<
  Record<
    Loss["kind"],
    readonly [
      code: ErrorCode,
      fix: (there: string, standing: CloneAtRisk, loss: Loss) => string,
    ]
  >
> = {
  uncommitted: ["repo_dirty", (_, standing) => pushed(standing)],
  commits: ["would_lose_work", (_, standing, loss) => commitsSaved(loss, standing)],
  left: ["would_lose_work", (there, _, { items: [first = ""] }) => {
    const commit = shortSha(first);
    return `give it a branch: ${there} branch kept-${commit} ${commit}`;
  }],
  stash: [
    "would_lose_work",
    (there, { repo: { name, conflicted }, base = "", state, isDirty: aside }, { items }) => {
      const from = { state, repo: { name, branch: base }, aside };
      const [back] = items.flatMap((subject) => broughtBack(subject, from) ?? []);
      if (back !== undefined && !conflicted) return `bring it back: ${back}`;
      // It does not come back among files in conflict, nor belongs on whatever branch is checked out where it is a ticket's.
      const isLeft = conflicted || /: amof:\S+$/.test(items[0] ?? "");
      return `see what is put away: ${there} stash list${
        isLeft ? "" : `\nbring it back: ${there} stash pop`
      }`;
    },
  ],
  tagged: ["would_lose_work", (there) => `push the tags: ${there} push origin --tags`],
  tags: ["would_lose_work", (there) => `push the tags: ${there} push origin --tags`],
  annotated: ["would_lose_work", () => ""],
  lfs: ["would_lose_work", () => ""],
  refs: ["would_lose_work", (there, { repo }) => {
    const names = repo.refs.map(({ name }) => name).filter((name) =>
      !name.startsWith("refs/tags/")
    );
    return names.length === 0 || names.length > MOST_NAMES
      ? `see them: ${there} for-each-ref`
      : `push them: ${there} push origin ${names.map(shellWord).join(" ")}`;
  }],
  jj: ["would_lose_work", (_, { directory }) => `see them: jj -R ${shellWord(directory)} log`],
  hidden: [
    "repo_dirty",
    (there, { repo: { hidden } }) =>
      hidden.length > MOST_NAMES
        ? `see them: ${there} ls-files -v`
        : `let git see them: ${there} update-index --no-skip-worktree --no-assume-unchanged ${
          hidden.map(shellWord).join(" ")
        }`,
  ],
  in_progress: ["repo_in_progress", (_, standing) => finished(standing)],
  submodule: [
    "would_lose_work",
    (there, standing, { items }) =>
      items.flatMap((item) => submoduleSaved(standing, item) ?? [])[0] ??
        `push it from there, or drop it: ${there} submodule status`,
  ],
  repository: ["would_lose_work", () => "move it out of the workspace"],
  files: ["would_lose_work", () => "move them out of the workspace"],
  unreadable: ["git_failed", (_, { scope }) => `look at it: amof status${scope}`],
  ignored: ["would_lose_work", () => ""],
  reflog: ["would_lose_work", () => ""],
};

/** What a loss means for who does not give it up. */
export function refusalOf(loss: Loss, standing: CloneAtRisk): Refusal {
  const there = `git -C ${shellWord(standing.directory)}`;
  const [code, fix] = REFUSED[loss.kind];
  return {
    repo: loss.repo,
    code,
    problem: `has ${lossText(loss)}`,
    fix: loss.repo === CONTROL && loss.kind === "commits"
      ? `give them a branch: ${there} branch saved`
      : fix(there, standing, loss),
  };
}

/** Whether the remote branch of the one that is checked out has commits that are not here; at most two processes. */
async function overtaken(
  ctx: CommandContext,
  directory: string,
  { branch, head }: RepoStock,
): Promise<boolean> {
  if (branch === null || head === null) return false;
  const { refs, history } = ctx.git.at(directory);
  const there = await refs.resolve(`refs/remotes/origin/${branch}`);
  return there !== null && !await history.isAncestor(there, head);
}

/** What helps where the remote branch is at what the one that is checked out was before it was rewritten here; else null. */
async function rewritten(
  ctx: CommandContext,
  directory: string,
  { branch, head }: RepoStock,
  base: string | undefined,
): Promise<string | null> {
  if (branch === null || head === null) return null;
  const names = { branch, upstream: `origin/${branch}`, isBase: branch === base };
  const found = await rewrittenOf(ctx.git.at(directory), names);
  return found === null
    ? null
    : overtakenWords(found, { directory, branch, head, behind: null }).fix;
}

/** Whether work of the branch that is checked out is in its base branch, which has more. */
async function isIntegrated(
  ctx: CommandContext,
  directory: string,
  { branch, head, branches }: RepoStock,
  base: string | undefined,
): Promise<boolean> {
  if (branch === null || head === null || base === undefined || branch === base) return false;
  const repository = ctx.git.at(directory);
  const { refs } = repository;
  const tip = await refs.resolve((await refs.base(base)).ref);
  if (tip === null) return false;
  const own = await refs.resolve(`refs/remotes/origin/${branch}`) ?? undefined;
  const isGone = own === undefined &&
    branches.some(({ name, upstream }) => name === branch && upstream !== null);
  const found = await landingOf(
    repository,
    { branch, commit: head, base: tip, own },
    { lastPush: undefined, before: undefined, isGone },
  );
  return found.landed !== null;
}

/** What stands for a clone that nobody looked at: of its workspace, or unknown to the manifest. */
const NOTHING = {
  ...{ readonly: false, branch: null, head: null, inProgress: null },
  ...{ branches: [], uncommitted: [], conflicted: false, hidden: [], refs: [] },
};

/** The refusals of a removal that gives nothing up: each loss that is not minor, with what saves it. */
export async function refusalsOf(
  ctx: CommandContext,
  losses: readonly Loss[],
  { workspace, repos, bases, perTicket = false, ticket = null }: {
    /** The directory in which the clones lie. */
    readonly workspace: string;
    readonly repos: readonly RepoStock[];
    /** Their base branches, by name. */
    readonly bases: ReadonlyMap<string, string>;
    /** Whether tickets get workspaces of their own. */
    readonly perTicket?: boolean;
    /** The ticket whose own workspace it is; null or absent for the base workspace. */
    readonly ticket?: string | null;
  },
): Promise<Refusal[]> {
  if (losses.length === 0) return [];
  const state = await loadState(ctx.system, workspace).catch(() => null);
  const isDirty = repos.some((repo) => !repo.readonly && repo.uncommitted.length > 0);
  const standings = new Map<string, CloneAtRisk>();
  return await Array.fromAsync(losses.filter((loss) => !isMinor(loss)), async (loss) => {
    const repo = repos.find(({ name, known }) => known && name === loss.repo);
    const directory = join(workspace, repo?.path ?? "");
    const base = bases.get(loss.repo);
    const standing = standings.get(loss.repo) ?? {
      repo: repo ?? { ...NOTHING, name: loss.repo },
      directory,
      base,
      isOvertaken: repo !== undefined && await overtaken(ctx, directory, repo),
      rewritten: repo === undefined ? null : await rewritten(ctx, directory, repo, base),
      isLanded: repo !== undefined && await isIntegrated(ctx, directory, repo, base),
      updating: repo === undefined || repo.inProgress === null || base === undefined
        ? null
        : await ticketUpdating(ctx.git.at(directory, repo.name), state, {
          repo: { name: repo.name, branch: base },
          branch: repo.branch,
        }),
      jj: repo?.branch === null && await ctx.git.at(directory).hasJj(),
      scope: ticket === null ? "" : ` --ticket ${ticket}`,
      ...{ state, perTicket, isDirty },
    };
    standings.set(loss.repo, standing);
    return { ...refusalOf(loss, standing), ticket };
  });
}
