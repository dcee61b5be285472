/** What helps with the work in a clone: commands that can be pasted. */

import type { AmofError } from "../../base/error.ts";
import { shortSha } from "../../base/ids.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, shellWord } from "../../base/text/words.ts";
import type { UnfinishedWork } from "../../contract/mod.ts";
import type { ChangedPath, InProgress } from "../../git/mod.ts";
import type { Parting } from "../../workspace/clones/mod.ts";
import { whyOf } from "../../workspace/mod.ts";
import type { Updating } from "../../workspace/tickets/mod.ts";

/** A clone that is in the middle of something. */
interface Unfinished {
  readonly name: string;
  readonly directory: string;
  readonly inProgress: InProgress;
  /** The ticket whose update that is; null where it is something else. */
  readonly updating: Updating | null;
}

/** The commands that lead on what a clone is in the middle of, and back. */
interface WaysOn {
  /** Null where there is only an end. */
  readonly on: string | null;
  readonly back: string;
  /** Of patches: the one that did not apply, which nothing goes on with before its changes are staged, and to go on without it. */
  readonly patch?: { readonly see: string; readonly skip: string };
}

/** The commands that lead on what a clone is in the middle of, and back. */
export function waysOn({ name, directory, inProgress, updating }: Unfinished): WaysOn {
  if (updating !== null) {
    // It also gives the changes back that stand aside.
    const update = (step: string) =>
      `amof ticket update --${step} --repo ${name}${
        updating.own ? ` --ticket ${shellWord(updating.ticket)}` : ""
      }`;
    return { on: update("continue"), back: update("abort") };
  }
  const there = `git -C ${shellWord(directory)} ${inProgress.replace(/^git /, "")}`;
  return inProgress === "bisect" ? { on: null, back: `${there} reset` } : {
    on: `${there} --continue`,
    back: `${there} --abort`,
    ...(inProgress === "git am"
      ? { patch: { see: `${there} --show-current-patch=diff`, skip: `${there} --skip` } }
      : {}),
  };
}

/**
 * What helps where a clone is in the middle of something: a line to go on, with conflicts behind one to see them, and one
 * to go back.
 */
export function finishThere(
  { conflicted, ...unfinished }: Unfinished & { readonly conflicted: boolean },
): string {
  const { on, back, patch } = waysOn(unfinished);
  if (on === null) return `end it: ${back}`;
  if (patch !== undefined && !conflicted) {
    return `see the patch: ${patch.see}\ngo on with what is staged: ${on}\ngo back: ${back}\nleave the patch out: ${patch.skip}`;
  }
  // To go on with an update tells the files, too.
  const next = conflicted && unfinished.updating === null
    ? `see what is to be resolved: ${
      listConflicts(unfinished.directory)
    }\ngo on once that is added: ${on}`
    : `go on: ${on}`;
  return `${next}\ngo back: ${back}`;
}

/** Whether a tracked file has changes that are not staged: a rebase goes past none, but for those of submodules. */
export function isEdited(changes: readonly Pick<ChangedPath, "code" | "raw">[]): boolean {
  return changes.some(({ code, raw }) => /^[^?][^.]/.test(code) && !/^\S+ \S+ S/.test(raw));
}

/** The command that lists the files with conflicts. */
export function listConflicts(directory: string): string {
  return `git -C ${shellWord(directory)} diff --name-only --diff-filter=U`;
}

/** What helps with changes where jj works beside git: it has them on no branch. */
export function commitWithJj(directory: string): string {
  return `commit it with jj: jj -R ${shellWord(directory)} commit`;
}

/** The command that takes commits to the remote where jj works beside git. */
export function pushWithJj(directory: string): string {
  return `jj -R ${shellWord(directory)} git push --change @-`;
}

/** The command that goes to the branch of a repository; it makes one that is not there, as in a clone that was made anew. */
export function switchThere(
  { repo, directory, git, expectedBranch: branch, expectedFrom: from }: {
    readonly repo: { readonly name: string; readonly branch: string };
    readonly directory: string;
    readonly git: { readonly head: string | null; readonly branch?: string | null } | null;
    readonly expectedBranch: string;
    /** What to make it of, empty where nothing was fetched, and whether git can follow that; null where it is there. */
    readonly expectedFrom:
      | { readonly ref: string; readonly tracks: boolean; readonly renamed?: string }
      | null;
  },
): string {
  const there = `git -C ${shellWord(directory)} switch`;
  if (from === null) return `${there} ${shellWord(branch)}`;
  if (from.renamed !== undefined) {
    const names = `${shellWord(from.renamed)} ${shellWord(branch)}`;
    const back = `git -C ${shellWord(directory)} branch -m ${names}`;
    return git?.branch === from.renamed ? back : `${back}\n${there} ${shellWord(branch)}`;
  }
  const isFetched = from.ref !== "";
  // Where nothing is committed the branch only gets another name.
  if (!isFetched && git !== null && git.head === null) {
    return `${there} --create ${shellWord(branch)}`;
  }
  const upstream = `origin/${branch}`;
  const make = (track: string) =>
    `${there} --create ${shellWord(branch)} ${track} ${shellWord(from.ref || upstream)}`;
  const fetch = isFetched ? "" : `amof sync --repo ${repo.name}`;
  if (from.tracks || !isFetched && branch !== repo.branch) return fetch || make("--track");
  if (isFetched && from.ref !== upstream) return make("--no-track");
  // Git follows only what it fetches; the star keeps a fetch going when the branch is gone there.
  const widen = `git -C ${shellWord(directory)} remote set-branches --add origin`;
  const lines = [fetch, `${widen} ${shellWord(`${branch}*`)}`, make("--track")];
  return lines.filter((line) => line !== "").join("\n");
}

/**
 * The command that brings a branch of a remote into the branch that is checked out, whatever is changed here.
 * With null it is the branch that the local one follows. By itself git goes by what a branch follows. Where it
 * follows nothing, git would put it on top of whatever was fetched.
 */
export function pullThere(
  directory: string,
  from: { readonly remote?: string; readonly branch: string } | null,
  how: "--rebase=merges" | "--ff-only" = "--rebase=merges",
): string {
  const names = from === null ? [] : [from.remote ?? "origin", from.branch].map(shellWord);
  return [`git -C ${shellWord(directory)} pull ${how} --autostash`, ...names].join(" ");
}

/** Names as git takes them for files and for nothing else. */
export function fileNames(paths: readonly string[]): string {
  return paths.map((path) => shellWord(/^[\w./-]+$/.test(path) ? path : `:(literal)${path}`))
    .join(" ");
}

/** The command that puts new files away that are in the way, with what is changed in them. */
export function putAway(directory: string, paths: readonly string[]): string {
  return `git -C ${shellWord(directory)} stash push --include-untracked -- ${fileNames(paths)}`;
}

/** The commands that commit files where nothing is committed, on a branch that is made for them unless that is null. */
export function keepOn(
  directory: string,
  branch: string | null,
  paths: readonly string[],
): string {
  const at = `git -C ${shellWord(directory)}`;
  return [
    ...(branch === null ? [] : [`${at} switch --create ${shellWord(branch)}`]),
    `${at} add -- ${fileNames(paths)}`,
    `${at} commit --message "Keep what was here" -- ${fileNames(paths)}`,
  ].join("\n");
}

/** A branch of a remote by its short name, as `origin/main`. */
export function atRemote(name: string): { readonly remote: string; readonly branch: string } {
  const [remote = "", ...rest] = name.split("/");
  return { remote, branch: rest.join("/") };
}

/**
 * What is said of a remote branch that has commits which are not here, and what helps. They are brought in,
 * whatever is changed here. Where the two have parted by no work, something else helps.
 */
export function overtakenWords(
  parting: Parting | null,
  { directory, branch, head, behind, changed = false }: {
    readonly directory: string;
    readonly branch: string;
    readonly head: string;
    /** By how many commits; null where nobody has counted them. */
    readonly behind: number | null;
    readonly changed?: boolean;
  },
): { readonly note: string; readonly fix: string } {
  if (parting === null) {
    return {
      note: behind === null
        ? "the remote branch has commits that are not here"
        : `the remote branch has ${count(behind, "commit")} more`,
      fix: integrateThere(directory, branch),
    };
  }
  const upstream = `origin/${branch}`;
  const { note, fix } = partingWords(parting, { directory, branch, head, upstream, changed });
  const isPush = typeof parting !== "string" && !parting.isBase;
  return { note, fix: isPush ? `push it by hand: ${fix}` : fix };
}

/** What helps where a remote branch has commits that are not here, whatever is changed here. */
export function integrateThere(directory: string, branch: string): string {
  return `integrate the remote's commits first: ${pullThere(directory, { branch })}`;
}

/** The command that gets what a history that is cut off lacks. */
export function getWhole(directory: string): string {
  return `git -C ${shellWord(directory)} fetch --unshallow origin`;
}

const REWRITTEN = "rewritten here, and its remote branch has what it was before";

/**
 * What is said of a branch that has parted from its upstream by no work of its own (`Parting`), and the commands that
 * bring it there. Where the remote was made anew, or a base branch was rewritten here, the old history stays on a
 * branch.
 */
export function partingWords(
  parting: Parting,
  { directory, branch, head, upstream, checkedOut = true, changed = false }: {
    readonly directory: string;
    readonly branch: string;
    readonly head: string;
    readonly upstream: string;
    readonly checkedOut?: boolean;
    readonly changed?: boolean;
  },
): { readonly note: string; readonly fix: string } {
  const at = `git -C ${shellWord(directory)}`;
  const [here, there] = [shellWord(branch), shellWord(upstream)];
  if (parting === "landed") {
    return {
      note: "what is only here is there in another form, as after a squash",
      fix: checkedOut
        // What is committed until then stays on top.
        ? `${at} rebase${changed ? " --autostash" : ""} --onto ${there} ${head}`
        : `${at} branch --force ${here} ${there}`,
    };
  }
  if (parting === "cut") {
    return {
      note: `its history here ends before ${cleanLine(branch)} and ${cleanLine(upstream)} meet`,
      fix: getWhole(directory),
    };
  }
  if (parting === "retracted") {
    return {
      note: "what is only here was there, and its remote was rewritten without it",
      fix: checkedOut
        ? pullThere(directory, atRemote(upstream))
        : `${at} branch --force ${here} ${there}`,
    };
  }
  if (parting !== "anew" && !parting.isBase) {
    const lease = shellWord(`--force-with-lease=${branch}:${parting.was}`);
    return { note: REWRITTEN, fix: `${at} push ${lease} origin ${here}` };
  }
  const take = checkedOut ? "switch --create" : "branch";
  return {
    note: parting === "anew" ? "no commit in common, as its history was made anew" : REWRITTEN,
    fix: [
      `${at} branch --move ${here} kept-${shortSha(head)}`,
      `${at} ${take} ${here} ${there}`,
    ].join("\n"),
  };
}

/** The line that tells a reader about interrupted work. */
export function unfinishedLine(journal: UnfinishedWork): string {
  return `⚠ ${unfinishedText(journal)}. Finish or undo it: amof doctor --repair`;
}

/**
 * What was interrupted and how far it was, for where the way out stands beside it. Work that was watched over has begun all
 * its steps at once, whatever came of it.
 */
export function unfinishedText({ action, steps_begun, steps }: UnfinishedWork): string {
  const far = steps_begun < steps ? ` after ${steps_begun} of ${count(steps, "step")}` : "";
  return `${action} was interrupted${far}`;
}

/** What is said of a repository that cannot be looked at, for a line that names it already. */
export function unreadText(error: AmofError | null): string {
  return error === null ? "cannot be read" : `cannot be read: ${whyOf(error)}`;
}
