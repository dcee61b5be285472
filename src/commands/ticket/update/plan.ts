/** What an update of a ticket would do in each of its repositories, and why not (TICKET-7). */

import type { ErrorCode } from "../../../base/error.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import type { PorcelainStatus } from "../../../git/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, shellWord } from "../../../base/text/words.ts";
import {
  landingOf,
  otherAddressWords,
  type RepoSnapshot,
  retractedIn,
  retractedWords,
  tipsOf,
} from "../../../workspace/clones/mod.ts";
import { ownNewsOf } from "../../advice/own_remote.ts";
import { type WorkspaceState } from "../../../workspace/mod.ts";
import { finishThere, getWhole, isEdited, listConflicts, unreadText } from "../../advice/clone.ts";
import { newTicketOf } from "../../advice/command_lines.ts";
import { hasChosenBase, isBaseBranch, isOwnState } from "../../../workspace/tickets/mod.ts";
import { checkoutHint, headNeeds } from "../../advice/head.ts";
import type { TicketPlace } from "../preflight.ts";

/** How a base branch is brought in. */
export type How = "merge" | "rebase";

/** A repository that would be updated. */
export interface UpdateFact {
  readonly name: string;
  readonly branch: string;
  /** The base branch. */
  readonly base: string;
  /** The same at its remote (WORKSPACE-35), such as `origin/main`. */
  readonly remote_base: string;
  readonly head: string;
  /** Commits of the base branch that are missing, as last fetched; null where it was never fetched. */
  readonly behind: number | null;
  /** Commits of the branch that the base branch does not have. */
  readonly own: number;
  /** How many of those a remote has. */
  readonly published: number;
  readonly how: How;
  /** Why it is not as the manifest says, or null. */
  readonly why: string | null;
  /**
   * Its commit up to which its work is in the base branch in another form: only what follows goes on top, or meets the
   * base branch. Null where it goes as a whole.
   */
  readonly landed: string | null;
  /** Files whose changes stand aside meanwhile. */
  readonly aside: number;
  /** Whether its branch is not checked out, and is brought forward without any files. */
  readonly apart: boolean;
}

/** A repository that is left out. */
export interface HeldFact {
  readonly name: string;
  readonly branch: string;
  readonly detail: string;
  /** Null where nothing is held back. */
  readonly code: ErrorCode | null;
  /** What would let it take part, or null. */
  readonly fix: string | null;
  /** Whether there is nothing to bring in. */
  readonly up_to_date: boolean;
}

/** Whether a repository is left out. */
export function isHeld(fact: object): fact is HeldFact {
  return "code" in fact;
}

/** Leaves a repository out. */
export function held(
  { repo, git }: Pick<RepoSnapshot, "repo" | "git">,
  detail: string,
  code: ErrorCode | null = null,
  fix: string | null = null,
): HeldFact {
  return { name: repo.name, branch: git?.branch ?? "-", detail, code, fix, up_to_date: false };
}

/** The changes that a merge or rebase could get into the way of: those of files that git tracks. */
export function trackedChanges(git: PorcelainStatus | null): number {
  return git?.changes.filter(({ code }) => code !== "??").length ?? 0;
}

/** Why nothing can be updated in a repository, whatever is checked out there, or null. */
export function unreachable(snapshot: RepoSnapshot): HeldFact | null {
  const { repo, git, directory, address } = snapshot;
  if (snapshot.missing) {
    return held(snapshot, "not cloned", "workspace_not_installed", "clone it: amof sync");
  }
  if (git === null) {
    const { error } = snapshot;
    return held(
      snapshot,
      unreadText(error),
      error?.code ?? "git_failed",
      error?.hint ?? "look at it: amof status",
    );
  }
  if (repo.readonly) return held(snapshot, "read-only");
  if (address === null) return null;
  // What another address has is not to be brought in: it may be the history of something else.
  const [said, mend] = otherAddressWords(repo, directory, address, snapshot.misnamed);
  return held(snapshot, said, "git_failed", `mend its address: ${mend}`);
}

/** Why a repository cannot be updated as it stands, or null. */
export function unready(snapshot: RepoSnapshot, expected: string): HeldFact | null {
  const { repo: { name }, directory, git, inProgress, updating } = snapshot;
  const not = unreachable(snapshot);
  if (not !== null || git === null) return not;
  if (inProgress !== null) {
    const conflicted = git.changes.some((change) => change.conflicted);
    const fix = finishThere({ name, directory, inProgress, updating, conflicted });
    return held(snapshot, `a ${inProgress} is in progress`, "repo_in_progress", fix);
  }
  if (git.changes.some(({ conflicted }) => conflicted)) {
    const fix = `see what is to be resolved: ${listConflicts(directory)}`;
    return held(snapshot, "files have conflicts", "repo_in_progress", fix);
  }
  if (git.branch !== expected) {
    const known = expected === snapshot.expectedBranch;
    const [expectedFrom, goesAlong] = known
      ? [snapshot.expectedFrom, snapshot.goesAlong]
      : [null, null];
    const aim = { ...snapshot, expectedBranch: expected, expectedFrom, goesAlong };
    const [need] = headNeeds(aim, true);
    return held(
      snapshot,
      `on ${cleanLine(git.branch ?? "no branch", 60)} instead of ${expected}`,
      "repo_diverged",
      checkoutHint(need, "go to its branch"),
    );
  }
  if (git.head === null) return held(snapshot, "it has no commit");
  return null;
}

/** Refuses to work over uncommitted changes. */
export function dirty(
  snapshot: Pick<RepoSnapshot, "repo" | "git">,
  files: number,
  behind: number,
): HeldFact {
  return held(
    snapshot,
    `${count(files, "file")} not committed, ${count(behind, "commit")} behind`,
    "repo_dirty",
    `commit the changes: amof commit --repo ${snapshot.repo.name} -m TEXT\nlet them stand aside: the same command with --stash`,
  );
}

/**
 * Holds an update back while the checked-out branch lacks something of its own remote branch: colleagues may
 * have brought the base branch in there already. Null where it lacks nothing that is to be brought in.
 */
export async function behindOwn(
  ctx: CommandContext,
  { snapshot, state }: { readonly snapshot: RepoSnapshot; readonly state: WorkspaceState | null },
): Promise<HeldFact | null> {
  const { repo, git, directory } = snapshot;
  const branch = git?.branch ?? null;
  if (branch === null || git?.behind === 0) return null;
  const news = await ownNewsOf(ctx.git.at(directory, repo.name), {
    directory,
    branch,
    url: repo.url,
    isBase: isBaseBranch(state, repo, branch),
    isExpected: true,
  });
  if (news === null || news.reason === "rewritten") return null;
  const code = news.reason === "dirty" ? "repo_dirty" : "repo_diverged";
  const fix = `take in first what its remote branch has: ${
    news.fix ?? `amof sync --repo ${repo.name}`
  }`;
  return held(snapshot, news.note, code, fix);
}

/**
 * Leaves a clone alone whose history ends before its branch and the base branch have parted: git would take them for
 * strangers. One process where the history is cut off.
 */
export async function skipShallow(
  ctx: CommandContext,
  snapshot: Pick<RepoSnapshot, "repo" | "git" | "directory">,
  { base, remote_base, head, behind }: UpdateFact,
): Promise<HeldFact | null> {
  const { repo, directory } = snapshot;
  if (behind === null || behind === 0) return null;
  const { history } = ctx.git.at(directory, repo.name);
  if (!await history.isShallowHere() || await history.meet(head, `refs/remotes/${remote_base}`)) {
    return null;
  }
  return held(
    snapshot,
    `its history here ends before it parted from ${cleanLine(base, 60)}`,
    "git_failed",
    `get all of it: ${getWhole(directory)}`,
  );
}

/** Leaves a branch alone with commits that its base branch was rewritten without: a merge would bring them back. */
export async function retracted(
  ctx: CommandContext,
  snapshot: Pick<RepoSnapshot, "repo" | "git" | "directory">,
  { branch, head, remote_base, apart }: UpdateFact,
  ticket: string,
): Promise<HeldFact | null> {
  const { repo, git, directory } = snapshot;
  const at = { branch, commit: head, ref: `refs/remotes/${remote_base}` };
  const until = await retractedIn(ctx.git.at(directory, repo.name), at);
  if (until === null) return null;
  const changed = !apart && isEdited(git?.changes ?? []);
  const { note, fix } = retractedWords(until, { directory, upstream: remote_base, changed });
  const go = apart ? `go to it first: amof ticket switch ${shellWord(ticket)}\n` : "";
  return held(snapshot, note, "repo_diverged", `${go}leave them out: ${fix}`);
}

/** Refuses to keep changes where earlier ones are kept. */
export function refuseKeptTwice(
  snapshot: Pick<RepoSnapshot, "repo" | "git" | "directory">,
  name: string,
): HeldFact {
  return held(
    snapshot,
    `it has changes, and earlier ones that are kept as ${name}`,
    "repo_dirty",
    `commit the changes: amof commit --repo ${snapshot.repo.name} -m TEXT\nthen give the earlier ones back: amof ticket update --continue`,
  );
}

/**
 * Leaves a branch alone that a remote has and whose whole work is in the base branch. An update would merge
 * nothing there, and only make a commit to push. Null where something is left to bring together.
 */
export function skipIntegrated(
  on: Pick<RepoSnapshot, "repo" | "git">,
  { base, head, how, landed }: Pick<UpdateFact, "base" | "head" | "how" | "landed">,
  { ticket, state }: {
    readonly ticket: string;
    /** That of the workspace in which it is checked out; null where it is not, so that nothing is changed on it. */
    readonly state: WorkspaceState | null;
  },
): HeldFact | null {
  if (how !== "merge" || landed === null || landed !== head) return null;
  const changed = state !== null && (on.git?.changes.length ?? 0) > 0;
  const { name } = on.repo;
  const aside = trackedChanges(on.git) > 0 ? " --stash" : "";
  return held(
    on,
    `its work is in ${cleanLine(base, 60)}`,
    changed ? "repo_dirty" : null,
    !changed
      ? `end the ticket: amof ticket end ${shellWord(ticket)}`
      : isOwnState(state)
      ? `take the changes on top of it: amof ticket update ${
        shellWord(ticket)
      } --repo ${name} --rebase${aside}`
      : `take the changes into a ticket of their own: ${newTicketOf(name)}`,
  );
}

/** How a repository is updated: as it was asked for, else as the manifest says, but no published commit is rewritten. */
function howFor(
  place: TicketPlace,
  asked: How | undefined,
  { published, landed }: Pick<UpdateFact, "published" | "landed">,
): Pick<UpdateFact, "how" | "why" | "landed"> {
  if (asked !== "merge" && landed !== null && published === 0) {
    return { how: "rebase", why: null, landed };
  }
  return { ...mannerFor(place, asked, published), landed };
}

/** The same where nothing of it is in the base branch, or a remote has what is. */
function mannerFor(
  place: TicketPlace,
  asked: How | undefined,
  published: number,
): Pick<UpdateFact, "how" | "why"> {
  if (asked !== undefined) return { how: asked, why: null };
  const { ticketUpdate } = place.manifest;
  return ticketUpdate === "rebase" && published > 0
    ? {
      how: "merge",
      why: `${count(published, "commit")} of it would be rewritten that a remote has`,
    }
    : { how: ticketUpdate, why: null };
}

/** Up to which commit a branch that a remote has is in its base branch, as git finds it. At most fifteen processes. */
async function integratedUpTo(
  ctx: CommandContext,
  { state }: TicketPlace,
  { snapshot: { repo, directory }, branch, base }: {
    readonly snapshot: Pick<RepoSnapshot, "repo" | "directory">;
    readonly branch: string;
    readonly base: string;
  },
): Promise<string | null> {
  const repository = ctx.git.at(directory, repo.name);
  const tips = tipsOf(await repository.refs.peekBranches([base]), branch, base);
  if (tips?.base === undefined) return null;
  const lastPush = state.repos.find(({ name }) => name === repo.name)?.last_push;
  // Commits of another ticket may have landed, whose branch nobody here has to have.
  const evidence = { lastPush, before: undefined, isGone: hasChosenBase(state, repo.name, branch) };
  return (await landingOf(repository, { ...tips, base: tips.base }, evidence)).landed;
}

/**
 * Looks at the branch and its base as last fetched: the one that is checked out, or another one `apart`. One git process,
 * a second where the branch has an upstream or is another one; where a remote has a part of it, those of `integratedUpTo`.
 */
export async function compareWithBase(
  ctx: CommandContext,
  place: TicketPlace,
  { snapshot, base, asked, apart: other }: {
    readonly snapshot: RepoSnapshot;
    readonly base: string;
    readonly asked: How | undefined;
    readonly apart?: { readonly branch: string; readonly head: string };
  },
): Promise<UpdateFact> {
  const { repo, git, directory } = snapshot;
  const { history, refs } = ctx.git.at(directory, repo.name);
  const there = await refs.base(base);
  const ref = other === undefined ? "HEAD" : `refs/heads/${other.branch}`;
  const apart = await history.apart(ref, there.ref);
  const [behind, own] = apart === null ? [null, 0] : [apart.other, apart.one];
  // A branch may be ahead of an upstream that is another branch; without an upstream, all remotes were asked.
  const isAsked = own > 0 && (other !== undefined || typeof git?.ahead === "number");
  const unpushed = isAsked
    ? await history.unpushedCount(ref)
    : other === undefined
    ? snapshot.unpushed
    : 0;
  const published = Math.max(0, own - unpushed);
  const seen = other === undefined && base === repo.branch ? snapshot.landed : null;
  const isAskable = seen === null && published > 0 && behind !== null && behind > 0;
  const known = isAskable
    ? await integratedUpTo(ctx, place, {
      snapshot,
      branch: other?.branch ?? git?.branch ?? "",
      base,
    })
    : seen;
  // What is there as its very commits needs no leaving out.
  const isLeft = known !== null && !await history.isAncestor(known, there.ref);
  const landed = isLeft ? known : null;
  return {
    name: repo.name,
    branch: other?.branch ?? git?.branch ?? "",
    base,
    remote_base: there.name,
    head: other?.head ?? git?.head ?? "",
    behind,
    own,
    published,
    aside: 0,
    apart: other !== undefined,
    ...howFor(place, asked, { published, landed }),
  };
}
