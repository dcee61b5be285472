/** Which repositories a push would send, and why the others are left out (WORKSPACE-16). */

import { cleanMessage } from "../commit/plan.ts";
import { followsAnew, type PorcelainStatus, type Sent, type Unknown } from "../../git/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { inPool } from "../../base/async/pool.ts";
import {
  branchesOf,
  changesDigest,
  type Landing,
  landingOf,
  otherAddressWords,
  type RepoSnapshot,
  rewrittenOf,
  unsentSubmodules,
} from "../../workspace/clones/mod.ts";
import { type Guard, makeGuard, type Manifest, type Repo } from "../../workspace/manifest/mod.ts";
import { inspectSelected } from "../selection/mod.ts";
import { requireWorkspace, type WorkspaceState } from "../../workspace/mod.ts";
import {
  baseOfBranch,
  isBaseBranch,
  keptForActive,
  scopeManifest,
} from "../../workspace/tickets/mod.ts";
import { committable, type Contents, contentsOf, roomFor } from "../outgoing/contents.ts";
import {
  type Ahead,
  beforeSubmodules,
  holdBeyondIntegrated,
  isFeatureBranch,
  merged,
  misdirected,
  onBranch,
  unfinished,
  vanished,
  withoutRemote,
  withUnpushed,
} from "./decide.ts";
import { noPart, pushAgain, type PushInput, REMOTE, skip, strayed, ticketsOwn } from "./skip.ts";
import { leavingOf } from "../advice/needs.ts";
import { decideEach, hold, nested, placed, type SkipFact } from "../outgoing/skip.ts";

/** A repository that would be pushed. */
export interface PushFact extends Contents {
  readonly name: string;
  readonly branch: string;
  readonly remote: string;
  /** Where it goes, without credentials. */
  readonly url: string;
  /** Commits the remote branch does not have. */
  readonly ahead: number;
  readonly head: string | null;
  readonly new_branch: boolean;
  /** Whether somebody deleted the branch at the remote, so that the push makes it again. */
  readonly gone: boolean;
  /** Whether the branch goes on following what it follows. */
  readonly follows: boolean;
  /** Files that would be committed first; 0 when nothing would. */
  readonly commit_files: number;
  /** Changes with the files, so that a confirmation covers exactly these contents. */
  readonly changes_digest: string | null;
  /** What git was not told of whoever commits, without which nothing is committed; null where nothing would be, too. */
  readonly unknown: Unknown | null;
  /** Whether git goes by no setting and no hook of its clone, which somebody would have to look at first (SEAL-9). */
  readonly confined: boolean;
  /** What is said of an address that is not the manifest's, and the command that mends it; null where it is. */
  readonly other_address: readonly [detail: string, fix: string] | null;
}

/** What a confirmation of a push is bound to. */
export interface PushFacts {
  readonly repos_affected: readonly string[];
  readonly repos: readonly PushFact[];
  readonly skipped: readonly SkipFact[];
  /** The commit message, when something would be committed. */
  readonly message: string | null;
}

/** Commits that pushing this branch under its own name would send. At most one git process, none where nothing would go. */
async function aheadOfRemote(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  branch: string,
): Promise<Omit<Ahead, "rewritten">> {
  const { git, repo, directory } = snapshot;
  if (git?.ahead !== null && snapshot.unpushed === 0 && git?.changes.length === 0) {
    return { ahead: 0, behind: git.behind ?? 0, fresh: false };
  }
  // The upstream may be the base branch; what counts is the branch of the same name.
  if (git?.upstream === `${REMOTE}/${branch}` && git.ahead !== null) {
    return { ahead: git.ahead, behind: git.behind ?? 0, fresh: false };
  }
  const there = `refs/remotes/${REMOTE}/${branch}`;
  const { refs, history } = ctx.git.at(directory, repo.name);
  const tip = (await refs.peek([there])).get(there);
  const head = git?.head ?? null;
  if (tip !== undefined && head !== null) {
    const apart = await history.apart(head, tip);
    if (apart !== null) return { ahead: apart.one, behind: apart.other, fresh: false };
  }
  // Without an upstream the look has counted already what no remote has.
  const unpushed = git?.ahead === null ? snapshot.unpushed : await history.unpushedCount();
  return { ahead: unpushed, behind: 0, fresh: true };
}

/** What the decisions about all repositories have in common. */
interface Terms {
  readonly input: PushInput;
  readonly state: WorkspaceState | null;
  /** The repositories of the ticket, where the push is that of the ticket alone. */
  readonly own: ReadonlySet<string> | null;
  /** All repositories, of which one has no business at the address of another. */
  readonly repos: readonly Repo[];
  readonly guard: Guard;
  /** What the names of feature branches begin with. */
  readonly prefix: string;
  /** Whether new tickets get workspaces of their own. */
  readonly perTicket: boolean;
  /** What was agreed to, where this is the look again before it is done. */
  readonly agreed: PushFacts | undefined;
  /** Commits and files that are shown of one repository. */
  readonly room: number;
}

/** Whether a branch follows one that the remote has no more. */
function isGone({ upstream, ahead }: Pick<PorcelainStatus, "upstream" | "ahead">): boolean {
  return upstream !== null && ahead === null;
}

/** Whether the work of a branch that the remote does not have is in the base branch there; null where nobody minds. */
async function landing(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  branch: string,
  { input, state }: Pick<Terms, "input" | "state">,
): Promise<Landing | null> {
  const { repo, directory, git } = snapshot;
  if (git === null || git.head === null || branch === repo.branch || input.allow_merged === true) {
    return null;
  }
  const repository = ctx.git.at(directory, repo.name);
  const into = baseOfBranch(state, repo, branch);
  const found = await repository.refs.peekBranches([into]);
  const base = found.base(into).commit;
  if (base === undefined) return null;
  const lastPush = state?.repos.find(({ name }) => name === repo.name)?.last_push;
  const evidence = { lastPush, before: undefined, isGone: isGone(git) };
  const tips = { branch, commit: git.head, base, own: found.remotes.get(branch) };
  return snapshot.landed === null
    ? await landingOf(repository, tips, evidence)
    : { merged: snapshot.merged, landed: snapshot.landed };
}

/** Whether the remote has the base branch of the branch that is checked out, as last fetched. */
async function hasBase(
  ctx: CommandContext,
  { repo, directory, git }: RepoSnapshot,
  state: WorkspaceState | null,
): Promise<boolean> {
  const base = baseOfBranch(state, repo, git?.branch ?? "");
  const found = await ctx.git.at(directory, repo.name).refs.peekBranches([base]);
  return found.base(base).commit !== undefined;
}

/** Whether what was pushed from the branch last is in its base branch, so that nobody wonders why its remote has it no more. */
async function wasMerged(
  ctx: CommandContext,
  { repo, directory, git }: RepoSnapshot,
  state: WorkspaceState | null,
): Promise<boolean> {
  const branch = git?.branch ?? "";
  const pushed = state?.repos.find(({ name }) => name === repo.name)?.last_push;
  const commit = pushed?.branch === branch ? pushed.commit_full : undefined;
  const into = baseOfBranch(state, repo, branch);
  const { refs, history, integrated } = ctx.git.at(directory, repo.name);
  const base = (await refs.peekBranches([into])).base(into).commit;
  if (typeof commit !== "string" || base === undefined) return false;
  return await history.isAncestor(commit, base) ||
    (await integrated.find(commit, base)).how !== null;
}

/** The submodules without whose commits git would refuse what goes. Processes only where one is checked out. */
async function waitedFor(
  ctx: CommandContext,
  { repo, directory, untrusted }: RepoSnapshot,
  { sent, changes }: Pick<Parameters<typeof contentsOf>[1], "sent" | "changes">,
): Promise<string[]> {
  const unsent = untrusted.length > 0 ? [] : await unsentSubmodules(ctx, directory);
  if (unsent.length === 0) return [];
  const { sending } = ctx.git.at(directory, repo.name);
  const named = sent === null ? [] : await sending.touched(sent, (path) => unsent.includes(path));
  const going = new Set([...named, ...changes].map(({ path }) => path));
  return unsent.filter((path) => going.has(path));
}

/** What would happen to one repository, and why not, if nothing. */
async function decide(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  terms: Terms,
): Promise<PushFact | SkipFact> {
  const { input, state, own, guard, prefix, perTicket, agreed, room } = terms;
  const { repo, directory } = snapshot;
  const found = onBranch(snapshot);
  if (!("git" in found)) return found;
  const { git, branch } = found;
  const apart = await aheadOfRemote(ctx, snapshot, branch);
  const { ahead, behind, fresh } = apart;
  const rewritten = behind === 0 ? null : await rewrittenOf(ctx.git.at(directory, repo.name), {
    branch,
    upstream: `${REMOTE}/${branch}`,
    isBase: isBaseBranch(state, repo, branch),
  });
  const changes = input.commit ? committable(git.changes) : [];
  const to = await ctx.git.at(directory, repo.name).remotes.pushRemote(branch);
  const isDeleted = fresh && isGone(git) && git.upstream === `${REMOTE}/${branch}`;
  const isFeature = isFeatureBranch(branch, { state, repo, prefix });
  const isStray = isDeleted && !isFeature;
  const held = unfinished(snapshot, found, { ...apart, rewritten }, {
    input,
    state,
    to,
    isStray,
    perTicket,
  }) ??
    strayed(snapshot, terms) ??
    await nested(ctx, skip, snapshot, changes) ??
    misdirected(snapshot, branch, { input, state, perTicket });
  if (held !== null) return held;
  const before = agreed?.repos.find(({ name }) => name === repo.name);
  const isSame = before?.head === git.head && before?.ahead === ahead &&
    before.new_branch === fresh;
  // What is in the base branch already is not sent again where its branch is gone there.
  const known = fresh && !isSame && (changes.length === 0 || isGone(git))
    ? await landing(ctx, snapshot, branch, terms)
    : null;
  const beyond = holdBeyondIntegrated({ ...snapshot, ...known }, { input, state, fresh, isStray });
  if (beyond !== null) return beyond;
  if (changes.length === 0 && known !== null && known.merged !== null) {
    const kept = await keptForActive(ctx.git, snapshot, state);
    return merged(snapshot, branch, known.merged, { input, state, kept, isStray });
  }
  const gone = isDeleted
    ? vanished(snapshot, branch, {
      input,
      state,
      isFeature,
      hasBase: await hasBase(ctx, snapshot, state),
      isExplained: await wasMerged(ctx, snapshot, state),
    })
    : null;
  if (gone !== null) return gone;
  const url = await ctx.git.at(directory).remotes.pushUrl(REMOTE);
  if (url === null) return withoutRemote(snapshot);
  if (ahead === 0 && changes.length === 0) {
    return skip(snapshot, "nothing_to_push", "nothing but temporary files");
  }
  if (own !== null && !own.has(repo.name)) return noPart(snapshot, branch, { input, state });
  const there = { ref: `refs/remotes/${REMOTE}/${branch}` };
  // What the base branch has at another remote is not what somebody does here, though a fork lacks it.
  const unsent = snapshot.remoteBase.startsWith(`${REMOTE}/`)
    ? { remote: REMOTE }
    : { remote: REMOTE, ref: `refs/remotes/${snapshot.remoteBase}` };
  const load = (without: Sent["without"]): Sent | null =>
    git.head === null ? null : { head: git.head, without };
  // On the base branch everything counts that is new there; elsewhere what no branch of the remote has.
  const sent = load(branch === repo.branch && !fresh ? there : unsent);
  const waiting = await waitedFor(ctx, snapshot, { sent, changes });
  if (waiting.length > 0) return beforeSubmodules(snapshot, found, { state, perTicket }, waiting);
  const contents = await contentsOf(ctx, {
    repo: repo.name,
    directory,
    sent,
    shown: ahead === 0 ? null : isSame ? before.commit_subjects : load(fresh ? unsent : there),
    changes,
    guard,
    allowedTouches: input.allow_no_touch ?? [],
    allowedSecrets: input.allow_secrets ?? [],
    room,
  });
  if ("reason" in contents) {
    return hold({ skip, done: "pushed", again: pushAgain(repo.name, input) }, snapshot, contents);
  }
  return {
    ...contents,
    name: repo.name,
    branch,
    remote: REMOTE,
    url: maskSecrets(url),
    ahead,
    head: git.head,
    new_branch: fresh,
    gone: isDeleted,
    follows: !followsAnew(git.upstream, {
      remote: REMOTE,
      branch,
      isBase: branch === repo.branch,
    }),
    commit_files: changes.length,
    changes_digest: changes.length > 0 ? await changesDigest(ctx, directory, changes) : null,
    // A commit fails by itself where git has forgotten it since the first look.
    unknown: changes.length === 0 || before?.unknown === null && before.commit_files > 0
      ? null
      : await ctx.git.at(directory, repo.name).commits.unknown(),
    confined: snapshot.confined,
    other_address: snapshot.address === null
      ? null
      : otherAddressWords(repo, directory, snapshot.address),
  };
}

/** The default message of a commit made on the way (WORKSPACE-16). */
function defaultMessage(state: WorkspaceState | null, facts: readonly PushFact[]): string {
  const branch = facts.find((fact) => fact.commit_files > 0)?.branch ?? "";
  const ticket = state?.active_ticket ??
    (branch.includes("/") ? branch.split("/").pop() : undefined);
  return ticket === undefined
    ? "Commit uncommitted changes"
    : `${ticket} Commit uncommitted changes`;
}

/**
 * What is left out, with what stays only here. At most one git process for each repository that has branches of which no
 * remote is known to have all.
 */
async function tellUnpushed(
  ctx: CommandContext,
  skipped: readonly SkipFact[],
  snapshots: readonly RepoSnapshot[],
  { state }: { readonly state: WorkspaceState | null },
): Promise<SkipFact[]> {
  const by = new Map(snapshots.map((snapshot) => [snapshot.repo.name as string, snapshot]));
  const leaving = leavingOf(snapshots);
  return await inPool(ctx.jobs, skipped, async (fact) => {
    const snapshot = by.get(fact.name);
    if (snapshot === undefined || snapshot.git === null || fact.blocked) return fact;
    const { repo, directory, git } = snapshot;
    const look = { repo, state, others: true };
    const { elsewhere } = await branchesOf(ctx.git.at(directory, repo.name), git, look);
    return withUnpushed(fact, { ...snapshot, elsewhere }, { state, leaving });
  });
}

/** Looks at the repositories and decides about each; `agreed` is what an earlier look found. */
export async function planPush(
  ctx: CommandContext,
  input: PushInput,
  agreed?: PushFacts,
): Promise<{ facts: PushFacts; manifest: Manifest }> {
  const manifest = await scopeManifest(ctx);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const snapshots = await inspectSelected(
    ctx,
    {
      manifest,
      workspace: workspace.directory,
      state: workspace.state,
      action: "push",
    },
    input,
    { untracked: input.commit ? "all" : "normal" },
  );
  const guard = await makeGuard(manifest.noTouchPaths);
  const room = roomFor(snapshots.length);
  const { featurePrefix: prefix, perTicket } = manifest;
  const { state } = workspace;
  const own = ticketsOwn(input, state, snapshots);
  const { repos } = manifest;
  const terms: Terms = { input, state, own, repos, guard, prefix, perTicket, agreed, room };
  const { going, skipped } = await decideEach(
    ctx,
    skip,
    snapshots,
    (snapshot) => decide(ctx, snapshot, terms),
  );
  const told = await tellUnpushed(ctx, skipped, snapshots, workspace);
  return {
    manifest,
    facts: {
      repos_affected: going.map((fact) => fact.name),
      repos: going,
      skipped: placed(told, workspace.state, snapshots),
      message: going.some((fact) => fact.commit_files > 0)
        ? cleanMessage(input.message ?? defaultMessage(workspace.state, going))
        : null,
    },
  };
}
