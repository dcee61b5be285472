/** What one repository needs that the others do not, with the command for just that. */

import type { Fields } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { MANY } from "../../base/text/table.ts";
import { byName, needLinesOf, type Selected } from "./need_lines.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import {
  otherAddressWords,
  type RepoSnapshot,
  retractedWords,
} from "../../workspace/clones/mod.ts";
import { type WorkspaceState } from "../../workspace/mod.ts";
import { isEdited, listConflicts, waysOn } from "./clone.ts";
import { newTicketOf } from "./command_lines.ts";
import {
  baseOfBranch,
  basesOfTickets,
  endedTickets,
  isOwnState,
  type StrayKept,
} from "../../workspace/tickets/mod.ts";
import { deletedEnd, headNeeds, inWorkspaceOf, mendAndSync, type Need, syncOf } from "./head.ts";
import { shortSha } from "../../base/ids.ts";
import { baseNeeds, boundNeeds, remoteNeeds } from "./news.ts";
import { astrayNeeds, keptNeeds, nestedNeeds, secretNeeds, submoduleNeeds } from "./inside.ts";

type Seen = Pick<
  RepoSnapshot,
  | "repo"
  | "directory"
  | "expectedBranch"
  | "expectedFrom"
  | "remoteBase"
  | "goesAlong"
  | "barred"
  | "ofStash"
  | "pushesTo"
  | "release"
  | "git"
  | "unpushed"
  | "loose"
  | "elsewhere"
  | "inProgress"
  | "updating"
  | "address"
  | "misnamed"
  | "missing"
  | "absent"
  | "unsent"
  | "nested"
  | "former"
  | "merged"
  | "landed"
  | "retracted"
  | "baseGone"
  | "baseNow"
  | "occupied"
  | "jj"
  | "parting"
  | "behindBase"
>;

/** The files that wait for somebody, and how to go on afterwards. */
function conflictNeeds(
  conflicts: number,
  { repo: { name }, directory, git, inProgress, updating, ofStash }: Seen,
): Need[] {
  if (conflicts === 0 && inProgress === null) return [];
  const problem = conflicts === 0
    ? `a ${inProgress} is not finished`
    : `${count(conflicts, "file")} in conflict: edit, and git add them`;
  if (inProgress === null) {
    const back = {
      problem: "or back to before its changes came; the newest stash has them",
      fix: `git -C ${shellWord(directory)} reset --merge`,
    };
    return [{ problem, fix: listConflicts(directory) }, ...(ofStash ? [back] : [])];
  }
  const { on, back, patch } = waysOn({ name, directory, inProgress, updating });
  if (on === null) return [{ problem, fix: back }];
  const goBack = { problem: `or back to before the ${inProgress}`, fix: back };
  // A rebase that somebody stopped to edit a commit takes what is staged into it, and goes past nothing else.
  if (conflicts === 0 && inProgress === "rebase" && isEdited(git?.changes ?? [])) {
    const stage = `git -C ${shellWord(directory)} add --update`;
    return [
      { problem: `${problem}: stage what was edited`, fix: `${stage}\n${on}` },
      { ...goBack, problem: `${goBack.problem}, without what was edited` },
    ];
  }
  const isStaged = git?.changes.some(({ code }) => !/^[.?]/.test(code));
  return patch === undefined || isStaged === true ? [{ problem, fix: on }, goBack] : [
    { problem: `${problem}: a patch was not applied`, fix: patch.see },
    goBack,
    { problem: "or on without that patch", fix: patch.skip },
  ];
}

/** How the repositories that are looked at can go to other branches: not at all, or once their changes are put away. */
type Leaving = "free" | "dirty" | "stuck";

/** How repositories can go to other branches. */
export function leavingOf(
  seen: readonly Pick<RepoSnapshot, "repo" | "git" | "inProgress" | "jj">[],
): Leaving {
  // All go or none does, and none goes beside one that is not there or cannot be read.
  if (seen.some(({ repo, git }) => git === null && !repo.readonly)) return "stuck";
  const own = seen.flatMap(({ repo, git, inProgress, jj }) =>
    repo.readonly || git === null ? [] : [{ git, inProgress, jj }]
  );
  const isStuck = own.some(({ git, inProgress, jj }) =>
    inProgress !== null || git.branch === null && !jj ||
    git.changes.some(({ conflicted }) => conflicted)
  );
  if (isStuck) return "stuck";
  return own.some(({ git }) => git.changes.length > 0) ? "dirty" : "free";
}

/** Branches that are not checked out for which there are commands of their own. */
const MOST_BRANCHES = 3;

/** Commits of branches that are not checked out: what goes to each of them, or takes it along. */
function elsewhereNeeds(
  seen: Seen,
  at: string,
  { state, leaving, switchable }: {
    readonly state: WorkspaceState | null;
    readonly leaving: Leaving;
    readonly switchable: WorkspaceState | null;
  },
): Need[] {
  const { repo, git, elsewhere, inProgress, address, remoteBase } = seen;
  // A rebase has its branch not checked out; and whatever is in progress comes first.
  if (git === null || inProgress !== null || elsewhere.length === 0) return [];
  const aside = leaving === "dirty" ? " --stash" : "";
  const [own, going, over]: [string[], string[], string[]] = [[], [], []];
  const fixesOf = ({ branch: name, lacks, shared, gone }: Seen["elsewhere"][number]): string[] => {
    const branch = shellWord(name);
    if (repo.readonly) return [`${at} log --oneline ${branch} --not --remotes`];
    const has = ([, ticket]: readonly [string, { readonly repos: Readonly<Fields> }]) =>
      Object.hasOwn(ticket.repos, repo.name) && ticket.repos[repo.name] === name;
    const open = Object.entries(state?.tickets ?? {}).find(has)?.[0];
    const ended = state === null ? undefined : [...endedTickets(state)].find(has)?.[0];
    const isIts = open !== undefined && open === state?.active_ticket;
    if (isIts || name === seen.expectedFrom?.renamed) {
      own.push(...headNeeds(seen, true, switchable).slice(0, 1).map(({ fix }) => fix));
      return [];
    }
    if (open !== undefined) {
      going.push(`amof ticket switch ${shellWord(open)}${aside}`);
      return [];
    }
    if (ended !== undefined) {
      // What it has elsewhere is of nobody's concern here.
      going.push(`amof ticket start ${shellWord(ended)} --repo ${repo.name}${aside}`);
      if (gone === true) over.push(`amof ticket end ${shellWord(ended)} --cleanup --force`);
      return [];
    }
    if (name === repo.branch) {
      if (git.branch === null) {
        own.push(...headNeeds(seen, true, switchable).slice(0, 1).map(({ fix }) => fix));
        return [];
      }
      // What was committed on the base branch by mistake belongs to the branch that is checked out, if it has no other.
      return [
        shared === true && remoteBase.endsWith(`/${name}`)
          ? `${at} branch --force ${branch} ${shellWord(remoteBase)}`
          : `${at} merge ${branch}`,
      ];
    }
    return [
      // Else git does not know afterwards that it is there. A remote that is only to be added lacks nothing then.
      ...(lacks === undefined || address === ""
        ? []
        : [`${at} config --add remote.origin.fetch ${shellWord(lacks)}`]),
      `${at} push --set-upstream origin ${branch}`,
    ];
  };
  const fixes = elsewhere.map(fixesOf).filter((lines) => lines.length > 0);
  // All repositories go to a ticket together, or none does; to one at a time, once nothing is to be done here.
  const next = own.length > 0 ? own : leaving === "stuck" ? [] : going;
  const ways = [...fixes, ...next.slice(0, 1).map((line) => [line])];
  const lines = ways.slice(0, MOST_BRANCHES).flat();
  if (ways.length === 0 || ways.length > MOST_BRANCHES) {
    lines.push(`amof branches --repo ${repo.name}`);
  }
  const said = elsewhere.map(({ branch, commits, gone }) =>
    `${cleanLine(branch)} (↑${commits}${gone === true ? ", upstream gone" : ""})`
  );
  return [{
    problem: `not pushed, and not checked out: ${few(said, 5)}`,
    fix: [...new Set(lines)].join("\n"),
  }, ...over.map((fix) => ({ problem: "or give up what was merged otherwise", fix }))];
}

/**
 * Commits of a read-only repository, which go nowhere: those on the base branch are kept on a branch, out of the way;
 * those on another one stay there.
 */
function readonlyNeeds(seen: Seen, at: string): Need[] {
  const { repo, git, unpushed, merged, inProgress, address, baseGone, remoteBase } = seen;
  if (
    !repo.readonly || git === null || git.branch === null || unpushed === 0 ||
    merged !== null || inProgress !== null || address !== null || baseGone
  ) return [];
  const problem = `read-only, so ${count(unpushed, "commit")} can never be pushed`;
  if (git.branch !== repo.branch) {
    return headNeeds(seen, true).slice(0, 1).map(({ fix }) => ({ problem, fix }));
  }
  const keep = `${at} branch kept-${shortSha(git.head)}`;
  return [{ problem, fix: `${keep}\n${at} reset --keep ${shellWord(remoteBase)}` }];
}

/** A release that is only here: what pushes it takes its tag along. */
export function releaseNeeds({ repo, release }: Pick<Seen, "repo" | "release">): Need[] {
  // A look that was kept before there were such does not tell.
  return !release ? [] : [{
    problem: `the release ${release} is only here, with its tag`,
    fix: `amof release train promote --repo ${repo.name}`,
  }];
}

/** Commits that no push of what is checked out takes along: of branches that are not, and of read-only repositories. */
export function unpushedNeeds(
  seen: Seen,
  { state, leaving }: { readonly state: WorkspaceState | null; readonly leaving: Leaving },
): Need[] {
  const at = `git -C ${shellWord(seen.directory)}`;
  const switchable = leaving === "stuck" || state === null || isOwnState(state) ? null : state;
  return [...readonlyNeeds(seen, at), ...elsewhereNeeds(seen, at, { state, leaving, switchable })];
}

/**
 * Work on top of what is in the base branch already; null where there is none. A push would add it to what
 * nobody looks at any more, or send that once more.
 *
 * Changes on a branch that is where it was last pushed from belong to another ticket. That holds where the base
 * branch has nothing more, or a remote still has the branch, which an update would rewrite. On a branch that
 * was moved on to its base the changes are on top of it.
 */
export function integratedNeed(
  { repo, git, merged, landed, retracted, directory, inProgress, remoteBase, unpushed }: Pick<
    Seen,
    | "repo"
    | "git"
    | "merged"
    | "landed"
    | "retracted"
    | "directory"
    | "inProgress"
    | "remoteBase"
    | "unpushed"
  >,
  state: WorkspaceState | null,
): Need | null {
  if (git === null || inProgress !== null) return null;
  const changed = git.changes.length;
  if (retracted !== null) {
    const words = { directory, upstream: remoteBase, changed: isEdited(git.changes) };
    const { note, fix } = retractedWords(retracted, words);
    return { problem: note, fix };
  }
  const into = baseOfBranch(state, repo, git.branch ?? "");
  const base = cleanLine(into, 60);
  const branch = cleanLine(git.branch ?? "HEAD", 60);
  // A new ticket takes along what is in the base workspace alone.
  const isOwn = state !== null && isOwnState(state);
  const another = {
    problem: `${branch} is in ${base} already; what is new belongs in a ticket of its own`,
    fix: newTicketOf(repo.name),
  };
  if (landed === null) {
    if (merged === null || changed === 0 || isOwn) return null;
    const pushed = state?.repos.find(({ name }) => name === repo.name)?.last_push?.commit_full;
    return pushed === git.head ? another : null;
  }
  if (landed === git.head && changed === 0) return null;
  const isThere = landed === git.head && unpushed === 0 && merged !== "commits";
  if (isThere && !isOwn) return another;
  const [id, ticket] = [state?.active_ticket ?? "", state?.tickets[state.active_ticket ?? ""]];
  const isTicket = ticket !== undefined && Object.hasOwn(ticket.repos, repo.name) &&
    ticket.repos[repo.name] === git.branch;
  const inTheWay = git.changes.some(({ code }) => code !== "??");
  const onto = `rebase${inTheWay ? " --autostash" : ""} --onto ${shellWord(remoteBase)} ${landed}`;
  return {
    problem: `${branch} is in ${base} already${
      landed === git.head ? "" : ` up to ${shortSha(landed)}`
    }; what is new belongs on top of ${base}`,
    fix: isTicket
      ? `amof ticket update ${shellWord(id)} --repo ${repo.name}${isThere ? " --rebase" : ""}${
        inTheWay ? " --stash" : ""
      }`
      : `git -C ${shellWord(directory)} ${onto}`,
  };
}

/** The end of the active ticket in a repository that is on its branch and clean; none in a workspace of its own, which goes. */
export function keepingEnd(
  { repo, git }: Pick<Seen, "repo" | "git">,
  state: WorkspaceState | null,
): string[] {
  const id = state?.active_ticket ?? null;
  return id === null || state === null || isOwnState(state) || git?.changes.length !== 0 ||
      state.tickets[id]?.repos[repo.name] !== git.branch
    ? []
    : [`amof ticket end ${shellWord(id)} --repo ${repo.name}`];
}

/**
 * What is said of a branch whose upstream is gone, with commits that are only here. Whether it was deleted at the remote or
 * its remote-tracking branch here, nobody can see without asking; git calls both so.
 */
export function deletedWords(branch: string, commits: number, base: string): string {
  const name = cleanLine(branch, 60);
  return `origin/${name} is gone, and ${count(commits, "commit")} of ${name} ${
    commits === 1 ? "is" : "are"
  } not in origin/${base}`;
}

/** A branch that somebody deleted at its remote although its work is nowhere else: a push makes it there again. */
function deletedNeeds(
  { repo, git, merged, landed, unpushed, baseGone, inProgress }: Seen,
  state: WorkspaceState | null,
): Need[] {
  if (
    git === null || git.branch === null || git.branch === repo.branch || baseGone ||
    git.upstream !== `origin/${git.branch}` || git.ahead !== null || unpushed === 0 ||
    merged !== null || landed !== null || inProgress !== null || repo.readonly
  ) return [];
  const base = cleanLine(baseOfBranch(state, repo, git.branch), 60);
  // One of no ticket may have been renamed there, which a push asks about apart.
  const isTicket = basesOfTickets(state, repo).has(git.branch);
  return [
    {
      problem: deletedWords(git.branch, unpushed, base),
      fix: `amof push --repo ${repo.name}${git.changes.length > 0 ? " --commit" : ""}${
        isTicket ? "" : " --allow-base"
      } --allow-merged${inWorkspaceOf(state)}`,
    },
    ...keepingEnd({ repo, git }, state).map((fix) => ({
      problem: "or end the ticket, which keeps the branch here",
      fix,
    })),
  ];
}

/** What is known of a repository whose needs are told. */
interface Needy {
  readonly name: string;
  readonly label: string;
  readonly needs: readonly Need[];
  /** The ticket whose own workspace it is in; absent for the base workspace. */
  readonly ticket?: string | undefined;
  readonly ahead?: number | null;
  readonly behind?: number | null;
  /** Whether it is at rest at the commit of the lock. */
  readonly pinned?: boolean | undefined;
  readonly dirty?: boolean;
}

/** How a command is told which of all repositories it is about, in few words where they are many. */
function selectedOf(rows: readonly Needy[]): Selected {
  const words: Readonly<Record<string, (row: Needy) => boolean>> = {
    diverged: ({ ahead, behind }) => (ahead ?? 0) > 0 && (behind ?? 0) > 0,
    behind: ({ behind }) => (behind ?? 0) > 0,
    dirty: ({ dirty }) => dirty === true,
  };
  return (names, command) => {
    if (names.length <= MANY) return byName(names);
    // It takes what there is, and leaves the others as they are.
    if (command === "amof sync" && !rows.some(({ pinned }) => pinned)) return "";
    // So does what goes on with an update, where it is all that waits for that.
    const goesOn = "amof ticket update --";
    const isElse = ({ name, needs }: Needy) =>
      !names.includes(name) && needs.some(({ fix }) => fix.startsWith(goesOn));
    if (command.startsWith(goesOn) && !rows.some(isElse)) return "";
    const word = Object.keys(words).find((word) => {
      const meant = rows.filter((row) => words[word]?.(row));
      return meant.length === names.length && meant.every(({ name }) => names.includes(name));
    });
    if (word !== undefined) return ` --only ${word}`;
    const others = rows.filter(({ name }) => !names.includes(name)).map(({ name }) => `!${name}`);
    if (others.length === 0) return "";
    return byName(others.length < names.length ? [shellWord(others.join(","))] : names);
  };
}

/** What people are told of the needs of repositories, by name: what one command mends is said once. */
export function needLines(
  rows: readonly Needy[],
  { most, isWhole = false }: {
    readonly most: number;
    /** Whether they are all repositories that there are, so that many need not be named. */
    readonly isWhole?: boolean;
  },
): string[] {
  const needs = rows.flatMap(({ needs, ...row }) => needs.map((need) => ({ ...row, ...need })));
  return needLinesOf(needs, { most, ...(isWhole ? { selected: selectedOf(rows) } : {}) });
}

/**
 * Everything that a repository needs, what is worst first; nothing where it cannot be read. `isAstray` says
 * that its branch is not the one it should be on.
 */
export function needsOf(
  seen: Seen,
  {
    isAstray = false,
    isPinned = false,
    state = null,
    leaving = "free",
    kept = null,
    astray = [],
    perTicket = false,
  }: {
    readonly isAstray?: boolean;
    /** Whether it is at the commit of the lock, so that what its remote has besides is nothing it needs. */
    readonly isPinned?: boolean;
    /** Whether new tickets get workspaces of their own. */
    readonly perTicket?: boolean;
    /** What changes of the active ticket are put away as; null for none. */
    readonly kept?: string | null;
    readonly astray?: readonly StrayKept[];
    readonly state?: WorkspaceState | null;
    readonly leaving?: Leaving;
  } = {},
): Need[] {
  const { repo, directory, git, address } = seen;
  // In a workspace of its own a ticket's clone is not had back from the remote alone.
  if (seen.missing && !(state !== null && isOwnState(state))) {
    return [{ problem: "not cloned", fix: syncOf([repo.name], state) }];
  }
  if (git === null) return [];
  const at = `git -C ${shellWord(directory)}`;
  const switchable = leaving === "stuck" || state === null || isOwnState(state) ? null : state;
  // What another address has is not to be brought in: it may be the history of something else.
  const isElsewhere = address !== null && address !== "";
  const landed = isElsewhere ? null : integratedNeed(seen, state);
  const conflicts = git.changes.filter(({ conflicted }) => conflicted).length;
  const [head, ended] = [headNeeds(seen, isAstray, switchable), deletedEnd(seen, state)];
  const [problem = "", fix = ""] = address === null
    ? []
    : otherAddressWords(repo, directory, address, seen.misnamed);
  return [
    ...conflictNeeds(conflicts, seen),
    ...(seen.expectedFrom?.deleted === 0 && ended.length > 0 ? ended : [...head, ...ended]),
    ...(problem === ""
      ? []
      : [{ problem, fix: mendAndSync(fix, address ?? "", syncOf([repo.name], state)) }]),
    ...(repo.readonly && git.changes.length > 0 && conflicts === 0
      ? [{
        problem: `read-only, so ${count(git.changes.length, "changed file")} can never be pushed`,
        fix: `${at} stash push --include-untracked`,
      }]
      : []),
    ...(isElsewhere ? [] : baseNeeds(seen, state)),
    ...(landed === null ? [] : [landed]),
    ...(isElsewhere ? [] : deletedNeeds(seen, state)),
    ...(isElsewhere || isPinned ? [] : remoteNeeds(seen, state)),
    ...(address === null ? boundNeeds(seen) : []),
    ...releaseNeeds(seen),
    ...keptNeeds(seen, state, kept),
    ...submoduleNeeds(seen, at, { state, perTicket }),
    ...nestedNeeds(seen),
    ...secretNeeds(seen, at),
    ...unpushedNeeds(seen, { state, leaving }),
    ...astrayNeeds(seen, astray),
  ];
}
