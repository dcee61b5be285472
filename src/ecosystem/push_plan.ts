/**
 * Which repositories a push would send, and why the others are left out (WORKSPACE-16).
 *
 * @module
 */

import { type Sent } from "../git/mod.ts";
import type { CommandContext } from "../contract/mod.ts";
import { maskSecrets } from "../text/mask.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";
import {
  changesDigest,
  compareWithBase,
  type Guard,
  inspectSelected,
  makeGuard,
  type Manifest,
  type MergedAs,
  type RepoSnapshot,
  requireWorkspace,
  scopeManifest,
  type WorkspaceState,
} from "../workspace/mod.ts";
import { committable, type Contents, contentsOf, roomFor } from "./push_contents.ts";
import { mergedText, placed, pushAgain, type PushInput, REMOTE, skip } from "./push_skip.ts";
import { decideEach, hold, nested, type SkipFact, standing, unusable } from "./skip.ts";

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
  /** Files that would be committed first; 0 when nothing would. */
  readonly commit_files: number;
  /** Changes with the files, so that a confirmation covers exactly these contents. */
  readonly changes_digest: string | null;
  /** Whether git goes by no setting and no hook of its clone, which somebody would have to look at first (SEAL-9). */
  readonly confined: boolean;
}

/** What a confirmation of a push is bound to. */
export interface PushFacts {
  readonly repos_affected: readonly string[];
  readonly repos: readonly PushFact[];
  readonly skipped: readonly SkipFact[];
  /** The commit message, when something would be committed. */
  readonly message: string | null;
}

/** Commits that pushing this branch under its own name would send. At most two git processes. */
async function aheadOfRemote(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  branch: string,
): Promise<{ ahead: number; behind: number; fresh: boolean }> {
  const { git, repo, directory } = snapshot;
  // The upstream may be the base branch; what counts is the branch of the same name.
  if (git?.upstream === `${REMOTE}/${branch}` && git.ahead !== null) {
    return { ahead: git.ahead, behind: git.behind ?? 0, fresh: false };
  }
  const there = `refs/remotes/${REMOTE}/${branch}`;
  const repository = ctx.git.at(directory, repo.name);
  const ahead = await repository.history.countBetween(there, "HEAD");
  if (ahead === null) {
    return {
      ahead: await repository.history.unpushedCount(),
      behind: 0,
      fresh: true,
    };
  }
  return {
    ahead,
    behind: await repository.history.countBetween("HEAD", there) ?? 0,
    fresh: false,
  };
}

/** What the decisions about all repositories have in common. */
interface Terms {
  readonly input: PushInput;
  readonly state: WorkspaceState | null;
  readonly guard: Guard;
  /** Commits and files that are shown of one repository. */
  readonly room: number;
}

/** A repository that can be looked at: on a branch, with what is ahead of its remote. */
interface Candidate {
  readonly snapshot: RepoSnapshot;
  readonly git: NonNullable<RepoSnapshot["git"]>;
  readonly branch: string;
  readonly ahead: number;
  readonly behind: number;
  /** Whether the remote does not have the branch. */
  readonly fresh: boolean;
  /** What `--commit` would commit. */
  readonly changes: ReturnType<typeof committable>;
}

/** The repository as a candidate, or why nothing of it can be pushed whatever is asked for. */
async function candidate(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  commit: boolean,
): Promise<Candidate | SkipFact> {
  const { git } = snapshot;
  const left = unusable({ skip, done: "pushed" }, snapshot);
  if (left !== null) return left;
  if (git === null) return skip(snapshot, "unreadable", "cannot be read");
  const dirty = git.changes.length > 0;
  if (git.branch === null) {
    return dirty || snapshot.unpushed > 0
      ? skip(snapshot, "detached", "HEAD is detached")
      : skip(snapshot, "nothing_to_push", "HEAD is detached, nothing is ahead");
  }
  const { ahead, behind, fresh } = await aheadOfRemote(ctx, snapshot, git.branch);
  if (ahead === 0 && !dirty) return skip(snapshot, "nothing_to_push", "up to date");
  const changes = commit ? committable(git.changes) : [];
  return { snapshot, git, branch: git.branch, ahead, behind, fresh, changes };
}

/**
 * How the work of a branch that the remote does not have is in the base branch there; null where it is not, and where
 * nobody minds. At most twelve git processes.
 */
async function mergedAs(
  ctx: CommandContext,
  { snapshot, git, branch, fresh, changes }: Candidate,
  input: PushInput,
  state: WorkspaceState | null,
): Promise<MergedAs | null> {
  const { repo, directory } = snapshot;
  const isNew = changes.length > 0 || git.head === null;
  if (!fresh || isNew || branch === repo.branch || input.allow_merged === true) return null;
  const repository = ctx.git.at(directory, repo.name);
  const { remotes } = await repository.refs.peekBranches([repo.branch]);
  const base = remotes.get(repo.branch);
  if (base === undefined) return null;
  const lastPush = state?.repos.find(({ name }) => name === repo.name)?.last_push;
  const found = await compareWithBase(
    repository,
    { branch, commit: git.head, base, own: remotes.get(branch) },
    { lastPush },
  );
  return found === "contained" ? null : found;
}

/** Why a candidate is held back, or null. */
async function obstacle(
  ctx: CommandContext,
  found: Candidate,
  { input, state }: Terms,
): Promise<SkipFact | null> {
  const { snapshot, git, branch, ahead, behind, changes } = found;
  const { repo } = snapshot;
  const held = standing(skip, snapshot, branch, state);
  if (held !== null) return held;
  if (git.changes.length > 0 && !input.commit) {
    return skip(
      snapshot,
      "dirty",
      `${count(git.changes.length, "file")} not committed${
        ahead > 0 ? `, ${count(ahead, "commit")} ahead` : ""
      }`,
    );
  }
  const inside = await nested(ctx, skip, snapshot, changes);
  if (inside !== null) return inside;
  if (branch === repo.branch && !input.allow_base) {
    return skip(snapshot, "base_branch", `${cleanLine(branch, 60)} is the base branch`);
  }
  const merged = await mergedAs(ctx, found, input, state);
  if (merged !== null) {
    const again = pushAgain(repo.name, { ...input, allow_merged: true });
    const end = state?.active_ticket ?? null;
    return skip(
      snapshot,
      "merged",
      mergedText(merged, branch, repo.branch),
      `${
        end === null ? "" : `end the ticket: amof ticket end ${end} --cleanup; or `
      }make the branch again all the same: amof ${again}`,
    );
  }
  if (behind > 0) {
    return skip(snapshot, "diverged", `the remote branch has ${count(behind, "commit")} more`);
  }
  return null;
}

/** What would happen to one repository, and why not, if nothing. */
async function decide(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  terms: Terms,
): Promise<PushFact | SkipFact> {
  const found = await candidate(ctx, snapshot, terms.input.commit);
  if (!("changes" in found)) return found;
  const held = await obstacle(ctx, found, terms);
  if (held !== null) return held;
  const { git, branch, ahead, fresh, changes } = found;
  const { input, guard, room } = terms;
  const { repo, directory } = snapshot;
  const url = await ctx.git.at(directory).remotes.pushUrl(REMOTE);
  if (url === null) return skip(snapshot, "no_remote", `there is no remote "${REMOTE}"`);
  if (ahead === 0 && changes.length === 0) {
    return skip(snapshot, "nothing_to_push", "nothing but temporary files");
  }
  const there = { ref: `refs/remotes/${REMOTE}/${branch}` };
  const unsent = { remote: REMOTE };
  const load = (without: Sent["without"]): Sent | null =>
    git.head === null ? null : { head: git.head, without };
  const contents = await contentsOf(ctx, {
    repo: repo.name,
    directory,
    // On the base branch everything counts that is new there; elsewhere what no branch of the remote has.
    sent: load(branch === repo.branch && !fresh ? there : unsent),
    shown: ahead === 0 ? null : load(fresh ? unsent : there),
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
    commit_files: changes.length,
    changes_digest: changes.length > 0 ? await changesDigest(ctx, directory, changes) : null,
    confined: snapshot.confined,
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

/** Looks at the repositories and decides about each. */
export async function planPush(
  ctx: CommandContext,
  input: PushInput,
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
  const terms: Terms = { input, state: workspace.state, guard, room: roomFor(snapshots.length) };
  const { going, skipped } = await decideEach(
    ctx,
    skip,
    snapshots,
    (snapshot) => decide(ctx, snapshot, terms),
  );
  const { state } = workspace;
  const ticket = state?.tickets[state.active_ticket ?? ""];
  const looked = snapshots.map(({ repo }) => repo.name);
  return {
    manifest,
    facts: {
      repos_affected: going.map((fact) => fact.name),
      repos: going,
      skipped: placed(skipped, ticket === undefined ? null : Object.keys(ticket.repos), looked),
      message: going.some((fact) => fact.commit_files > 0)
        ? input.message ?? defaultMessage(workspace.state, going)
        : null,
    },
  };
}
