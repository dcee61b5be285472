/** How a clone comes to the commit of a lock, which the preview says and the run does (LOCK-2). */

import { join } from "@std/path";
import type { ErrorCode } from "../../base/error.ts";
import type { InProgress } from "../../git/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, remediesByRepo, shellWord } from "../../base/text/words.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import { readState, repoDirectory, stateFile } from "../../workspace/mod.ts";

/** How a clone stands to the commit that it is to be at. */
export interface CloneState {
  readonly directory: string;
  /** What is in progress; null for nothing, undefined where nothing is cloned. */
  readonly inProgress: InProgress | null | undefined;
  readonly branch: string | null;
  readonly head: string | null;
  /** Files that are not committed. */
  readonly changed: number;
  /** Whether some of them are in conflict, which git puts away nowhere. */
  readonly isConflicted: boolean;
  /** Where the commit is: not in the clone so far, ahead of what is checked out, behind it, or on another way. */
  readonly commit: "unknown" | "ahead" | "behind" | "apart";
  /** Commits that its remote is not known to have. */
  readonly own: number;
  readonly isAdopted: boolean;
  /** Whether a ticket is active in the workspace, whose branch may be checked out. */
  readonly inTicket: boolean;
}

/** A type alias, so that it counts as plain JSON. */
export type LockMove =
  | { readonly to: "there" | "forward" | "fetch" }
  | { readonly to: "put"; readonly head: string }
  | {
    readonly to: "stay";
    readonly detail: string;
    readonly code: ErrorCode | null;
    /** What leads on. */
    readonly fix: string;
  };

const SEE = "See how it stands: amof status";
/** What puts changes away. */
const AWAY = " stash push ";

/** Decides how a clone comes to a commit. Whoever has adopted a clone never moves it back: that is its owner's. */
export function decideMove(
  { branch: base }: { readonly branch: string },
  commit: string,
  found: CloneState,
): LockMove {
  const stay = (detail: string, code: ErrorCode | null, fix = SEE): LockMove => ({
    to: "stay",
    detail,
    code,
    fix,
  });
  const { inProgress, branch, head, changed, own } = found;
  const at = `git -C ${shellWord(found.directory)}`;
  if (inProgress === undefined) return stay("it is not cloned", "repo_not_found");
  if (inProgress !== null) return stay(`a ${inProgress} is in progress`, "repo_in_progress");
  if (head === commit) return { to: "there" };
  if (branch !== base) {
    const on = branch === null ? "no branch" : cleanLine(branch, 60);
    const fix = found.inTicket ? "amof ticket switch main" : `${at} switch ${shellWord(base)}`;
    return stay(`it is on ${on}, not on ${base}`, null, fix);
  }
  if (changed > 0) {
    const fix = found.isConflicted ? SEE : `${at}${AWAY}--include-untracked`;
    return stay(`${count(changed, "file")} not committed`, "repo_dirty", fix);
  }
  if (found.commit === "unknown") return { to: "fetch" };
  if (head === null || found.commit === "ahead") return { to: "forward" };
  const code = found.commit === "behind" ? null : "repo_diverged";
  if (own > 0) {
    return stay(`it has ${count(own, "commit")} that its remote is not known to have`, code);
  }
  if (!found.isAdopted) return { to: "put", head };
  const why = found.commit === "behind"
    ? "it has commits that the lock does not have"
    : "it and the lock have gone different ways";
  return stay(
    `${why}, and an adopted clone only moves forward`,
    code,
    `Put it back: ${at} reset --keep ${commit}`,
  );
}

/** How a lock is made where none can be read: what stands in its place, and is none, is put aside and not written over. */
export function lockAnew(
  path: string,
  { other, isInTheWay }: { readonly other: string | null; readonly isInTheWay: boolean },
): string[] {
  const make = `amof lock${other === null ? "" : ` --out ${shellWord(other)}`}`;
  return isInTheWay
    ? [
      `Put aside what is there: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`,
      `Then lock what is here: ${make}`,
    ]
    : [`Lock what is here: ${make}`];
}

/** Whether a clone that stays has nothing that its remote has not. */
function isLockable({ fix }: { readonly fix: string | null }): boolean {
  return fix !== null && fix !== SEE && !fix.includes(AWAY);
}

/**
 * What helps where clones stay, by what each waits for. Another lock is one way, unless a clone has what its
 * remote has not, or one is not there. `file` is another lock than the usual one.
 */
export function movesFrom(
  staying: readonly { readonly name: string; readonly fix: string | null }[],
  file: string | null = null,
  isComplete = true,
): string[] {
  const lock = `Lock what is here: amof lock${file === null ? "" : ` --out ${shellWord(file)}`}`;
  return [
    ...remediesByRepo(staying),
    ...(isComplete && staying.every(isLockable) ? [lock] : []),
  ];
}

/** Whether a ticket is active in a workspace; not where its state cannot be read. */
async function isInTicket({ system }: CommandContext, workspace: string): Promise<boolean> {
  const state = readState(await system.files.readText(stateFile(workspace)) ?? "");
  return typeof state !== "string" && state.active_ticket !== null;
}

/** Looks how a clone comes to a commit. At most five git processes, none over the network. */
export async function moveTo(
  ctx: CommandContext,
  workspace: string,
  { repo, commit }: { readonly repo: Repo; readonly commit: string },
): Promise<LockMove> {
  const directory = await repoDirectory(ctx.system, workspace, repo);
  const repository = ctx.git.at(directory, repo.name);
  const activity = await repository.activity();
  const nothing = {
    directory,
    inProgress: activity === null ? undefined : activity.inProgress,
    branch: null,
    head: null,
    changed: 0,
    isConflicted: false,
    commit: "unknown",
    own: 0,
    isAdopted: false,
    inTicket: false,
  } as const;
  if (nothing.inProgress !== null) return decideMove(repo, commit, nothing);
  const { head, branch, changes } = await repository.status();
  const found = {
    ...nothing,
    head,
    branch,
    changed: changes.length,
    isConflicted: changes.some(({ conflicted }) => conflicted),
    inTicket: branch !== repo.branch && await isInTicket(ctx, workspace),
  };
  const early = decideMove(repo, commit, found);
  const target = early.to === "fetch" ? await repository.refs.resolve(commit) : null;
  if (target === null) return early;
  if (head === null || await repository.history.isAncestor(head, target)) {
    return decideMove(repo, commit, { ...found, commit: "ahead" });
  }
  return decideMove(repo, commit, {
    ...found,
    commit: await repository.history.isAncestor(target, head) ? "behind" : "apart",
    own: await repository.history.unpushedCount(),
    isAdopted: (await ctx.system.files.lstat(join(workspace, repo.path)))?.kind === "symlink",
  });
}
