/** Whether a repository is pushed as it stands: by what was seen of it, with nothing looked up (WORKSPACE-16). */

import { join } from "@std/path";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import {
  type MergedAs,
  otherAddressWords,
  type RepoSnapshot,
  type Rewritten,
} from "../../workspace/clones/mod.ts";
import { type WorkspaceState } from "../../workspace/mod.ts";
import { overtakenWords } from "../advice/clone.ts";
import { giveBackCommand, joining, newTicketOf } from "../advice/command_lines.ts";
import { mergedText, pushAgain, type PushInput, REMOTE, skip } from "./skip.ts";
import { belonging, reasonToSkip, type SkipFact, unusable } from "../outgoing/skip.ts";
import { baseOfBranch, basesOfTickets, isOwnState } from "../../workspace/tickets/mod.ts";
import { checkoutHint, headNeeds } from "../advice/head.ts";
import { nestedNeeds, pushSubmodule } from "../advice/inside.ts";
import {
  deletedWords,
  integratedNeed,
  keepingEnd,
  releaseNeeds,
  unpushedNeeds,
} from "../advice/needs.ts";

const UP_TO_DATE = "up to date";

/** How a branch stands to the branch of its name on the remote. */
export interface Ahead {
  /** Commits that the remote does not have. */
  readonly ahead: number;
  readonly behind: number;
  /** Whether the remote does not have the branch. */
  readonly fresh: boolean;
  /** What it was before it was rewritten here, where that is what is more there; else null. */
  readonly rewritten: Rewritten | null;
}

interface OnBranch {
  readonly git: NonNullable<RepoSnapshot["git"]>;
  readonly branch: string;
}

/** The branch of a repository, or why nothing of it can be pushed whatever is ahead. */
export function onBranch(snapshot: RepoSnapshot): OnBranch | SkipFact {
  const { git } = snapshot;
  const left = unusable({ skip, done: "pushed" }, snapshot);
  if (left !== null) return left;
  if (git === null) return skip(snapshot, "unreadable", "cannot be read");
  if (git.branch !== null) return { git, branch: git.branch };
  const busy = reasonToSkip(skip, snapshot, "HEAD", null);
  if (snapshot.inProgress !== null && busy !== null) return busy;
  const [need] = headNeeds(snapshot, false);
  if (snapshot.jj && snapshot.unpushed > 0) {
    return skip(
      snapshot,
      "detached",
      "HEAD is detached, as jj has it",
      checkoutHint(need, "push it from jj"),
    );
  }
  return git.changes.length > 0 || snapshot.unpushed > 0
    ? skip(snapshot, "detached", "HEAD is detached", checkoutHint(need, "go to a branch there"))
    : skip(snapshot, "nothing_to_push", "HEAD is detached, nothing is ahead");
}

/** The push that takes what is there: what else would hold it back is said at once, and nobody sent from flag to flag. */
function taking({ repo, git }: RepoSnapshot, input: PushInput): string {
  return pushAgain(repo.name, {
    ...input,
    commit: input.commit || (git?.changes.length ?? 0) > 0,
    allow_base: input.allow_base || git?.branch === repo.branch,
  });
}

/** Leaves out a repository that has no remote to push to. */
export function withoutRemote(snapshot: RepoSnapshot): SkipFact {
  const [, add] = otherAddressWords(
    snapshot.repo,
    snapshot.directory,
    "",
    snapshot.misnamed,
  );
  return skip(
    snapshot,
    "no_remote",
    `there is no remote "${REMOTE}"`,
    `${snapshot.misnamed === null ? "add it" : "give it that name"}: ${add}`,
  );
}

/**
 * Holds work back that git by itself would push to another remote, such as a fork. Nobody is to see it at a
 * place that its owner did not mean. Null where it would go to `origin`, or nowhere else.
 */
function elsewhereBound(
  snapshot: RepoSnapshot,
  { git, branch }: OnBranch,
  to: string | null,
): SkipFact | null {
  if (to === null || to === REMOTE) return null;
  const changed = git.changes.length;
  const there = cleanLine(to, 60);
  if (snapshot.unpushed + changed === 0) {
    return skip(snapshot, "nothing_to_push", `up to date; it goes to ${there}`);
  }
  const at = `git -C ${shellWord(snapshot.directory)}`;
  const own = shellWord(`branch.${branch}.pushRemote`);
  return skip(
    snapshot,
    "other_remote",
    `git by itself pushes it to ${there}, not to ${REMOTE}`,
    [
      ...(changed === 0 ? [] : [`commit it: amof commit --repo ${snapshot.repo.name}`]),
      `push it there: ${at} push ${shellWord(to)} ${shellWord(branch)}`,
      `let it go to ${REMOTE}: ${at} config ${own} ${REMOTE}`,
    ].join("\n"),
  );
}

/** Holds a branch back whose remote branch has more, which comes first: no flag of a push helps. */
function overtaken(
  snapshot: RepoSnapshot,
  { git, branch }: OnBranch,
  { behind, rewritten }: Pick<Ahead, "behind" | "rewritten">,
): SkipFact | null {
  if (behind === 0) return null;
  const { repo, directory, address, parting } = snapshot;
  const changed = git.changes.length > 0;
  const words = { directory, branch, head: git.head ?? "", behind, changed };
  // Of what another address has it says nothing.
  const isSeen = address === null && [null, `${REMOTE}/${branch}`].includes(git.upstream);
  const seen = isSeen && parting !== "unfetched" ? parting : null;
  const { note: more, fix } = overtakenWords(seen ?? rewritten, words);
  if (address === null) return skip(snapshot, "diverged", more, fix);
  // What is at another address is not to be brought in: it may be the history of something else.
  const [said, mend] = otherAddressWords(repo, directory, address, snapshot.misnamed);
  return skip(snapshot, "diverged", `${more}; ${said}`, `mend its address: ${mend}`);
}

/**
 * Holds back what follows work that is in the base branch already. A push would add it to a branch that nobody
 * looks at any more, or push that work once more. Null where nothing follows.
 */
export function holdBeyondIntegrated(
  snapshot: RepoSnapshot,
  { input, state, fresh, isStray = false }: {
    readonly input: PushInput;
    readonly state: WorkspaceState | null;
    readonly fresh: boolean;
    /** Whether it is a branch of no ticket that its remote has no more, so that making it again takes both flags. */
    readonly isStray?: boolean;
  },
): SkipFact | null {
  const need = integratedNeed(snapshot, state);
  if (need === null || input.allow_merged === true) return null;
  if (snapshot.address !== null) {
    const { repo, directory, address, misnamed } = snapshot;
    const [said, mend] = otherAddressWords(repo, directory, address, misnamed);
    return skip(snapshot, "landed", `${need.problem}; ${said}`, `mend its address: ${mend}`);
  }
  const again = taking(snapshot, {
    ...input,
    allow_base: input.allow_base || isStray,
    allow_merged: true,
  });
  const another = newTicketOf(snapshot.repo.name);
  const goesAlong = snapshot.landed === snapshot.git?.head && need.fix !== another &&
    (state === null || !isOwnState(state));
  return skip(
    snapshot,
    "landed",
    need.problem,
    [
      `bring it there: ${need.fix}`,
      ...(goesAlong ? [`begin a ticket with it: ${another}`] : []),
      `${
        fresh && snapshot.retracted === null ? "make the branch again" : "push it"
      } all the same: amof ${again}`,
    ].join("\n"),
  );
}

/** Why a branch stays here before anybody looks into the files, or null. */
export function unfinished(
  snapshot: RepoSnapshot,
  { git, branch }: OnBranch,
  { ahead, fresh, ...there }: Ahead,
  { input, state, to, isStray = false, perTicket = false }: {
    readonly input: PushInput;
    readonly state: WorkspaceState | null;
    /** As in `joining`. */
    readonly perTicket?: boolean;
    /** As in `holdBeyondIntegrated`. */
    readonly isStray?: boolean;
    /** The remote that git by itself pushes the branch to, where the clone says so. */
    readonly to: string | null;
  },
): SkipFact | null {
  const changed = git.changes.length;
  if (ahead === 0 && changed === 0 && snapshot.inProgress === null) {
    return skip(snapshot, "nothing_to_push", UP_TO_DATE);
  }
  if (snapshot.address === "") return withoutRemote(snapshot);
  const held = reasonToSkip(skip, snapshot, branch, state) ??
    elsewhereBound(snapshot, { git, branch }, to) ?? overtaken(snapshot, { git, branch }, there);
  if (held !== null || changed === 0) return held;
  const landed = holdBeyondIntegrated(snapshot, { input, state, fresh, isStray });
  if (landed !== null || input.commit) return landed;
  const also = ahead > 0 ? `, ${count(ahead, "commit")} ahead` : "";
  return skip(
    snapshot,
    "dirty",
    `${count(changed, "file")} not committed${also}`,
    [
      ...(branch === snapshot.repo.branch ? belonging(snapshot, state, perTicket) : []),
      ...(snapshot.nested.length > 0
        ? nestedNeeds(snapshot).map(({ fix }) => `keep what is no submodule out: ${fix}`)
        : [`let the push commit the changes: amof ${taking(snapshot, input)}`]),
    ].join("\n"),
  );
}

/** Why a branch is not sent where it would go, or null. */
export function misdirected(
  snapshot: RepoSnapshot,
  branch: string,
  { input, state, perTicket = false }: {
    readonly input: PushInput;
    readonly state: WorkspaceState | null;
    /** As in `joining`. */
    readonly perTicket?: boolean;
  },
): SkipFact | null {
  if (branch !== snapshot.repo.branch) return null;
  const [release] = releaseNeeds(snapshot);
  if (release !== undefined) {
    const { directory } = snapshot;
    const words = [directory, REMOTE, branch].map(shellWord);
    return skip(
      snapshot,
      "release",
      release.problem,
      [
        `push both: ${release.fix}`,
        `push it without its tag: git -C ${words[0]} push ${words[1]} ${words[2]}`,
      ].join("\n"),
    );
  }
  if (input.allow_base) return null;
  return skip(
    snapshot,
    "base_branch",
    `${cleanLine(branch, 60)} is the base branch`,
    [
      ...belonging(snapshot, state, perTicket),
      `push it all the same: amof ${taking(snapshot, input)}`,
    ].join("\n"),
  );
}

/** Whether a branch is named as those of tickets are, or is one of theirs. */
export function isFeatureBranch(
  branch: string,
  { state, repo, prefix }: {
    readonly state: WorkspaceState | null;
    readonly repo: RepoSnapshot["repo"];
    /** What the names of feature branches begin with. */
    readonly prefix: string;
  },
): boolean {
  return branch.startsWith(`${prefix}/`) || basesOfTickets(state, repo).has(branch);
}

/**
 * Holds a branch back that its remote had and has no more. Somebody deleted it there, or, for a branch of no
 * ticket, may have renamed it, as base branches are. Null where it was agreed to that it is made again. What is
 * known to be merged is not asked about here.
 */
export function vanished(
  snapshot: RepoSnapshot,
  branch: string,
  { input, state, isFeature, hasBase, isExplained = false }: {
    readonly input: PushInput;
    readonly state: WorkspaceState | null;
    /** Whether it is a feature branch. */
    readonly isFeature: boolean;
    /** Whether the remote has the base branch that it belongs to. */
    readonly hasBase: boolean;
    /** Whether what was pushed from it last is merged, which is why it is gone there. */
    readonly isExplained?: boolean;
  },
): SkipFact | null {
  const { repo } = snapshot;
  if (isFeature ? isExplained || input.allow_merged === true : input.allow_base) return null;
  const again = taking(snapshot, {
    ...input,
    ...(isFeature ? { allow_merged: true } : { allow_base: true }),
  });
  const name = cleanLine(branch, 60);
  const base = cleanLine(baseOfBranch(state, repo, branch), 60);
  return skip(
    snapshot,
    "branch_gone",
    isFeature && hasBase && snapshot.unpushed > 0
      ? deletedWords(branch, snapshot.unpushed, base)
      : `${REMOTE}/${name} is gone, ${
        !isFeature
          ? "and may have been renamed"
          : hasBase
          ? `and its work is not in ${base}`
          : `which has no ${base} to tell whether it was merged`
      }`,
    [
      ...(isFeature ? [] : joining(snapshot, state, { begins: false })),
      `make the branch again all the same: amof ${again}`,
      ...keepingEnd(snapshot, state).map((line) => `end the ticket, which keeps it here: ${line}`),
    ].join("\n"),
  );
}

/** Leaves a branch out whose work is in the base branch of its remote, which has it no more. */
export function merged(
  snapshot: RepoSnapshot,
  branch: string,
  as: MergedAs,
  { input, state, kept, isStray = false }: {
    readonly input: PushInput;
    readonly state: WorkspaceState | null;
    /** As in `holdBeyondIntegrated`. */
    readonly isStray?: boolean;
    /** What changes of the ticket are put away as there, with which it does not end; null for none. */
    readonly kept: string | null;
  },
): SkipFact {
  const { repo } = snapshot;
  const again = `make the branch again all the same: amof ${
    pushAgain(repo.name, {
      ...input,
      allow_base: input.allow_base || isStray,
      allow_merged: true,
    })
  }`;
  const id = state?.active_ticket ?? "";
  const isTicket = state?.tickets[id]?.repos[repo.name] === branch;
  // A workspace of the ticket's own goes as a whole, and not while somebody is in it: the status knows from where.
  const isOwn = state !== null && isOwnState(state);
  const way = isTicket && kept !== null
    ? `give the changes back that are put away as ${kept}: ${giveBackCommand(repo.name, state)}`
    : isOwn
    ? "see what comes next: amof status"
    : isTicket
    ? `end what is merged of the ticket: amof ticket end ${id} --cleanup --only merged`
    : checkoutHint(
      headNeeds(snapshot, true, state)[0],
      `go to ${cleanLine(snapshot.expectedBranch, 60)}`,
    );
  return skip(
    snapshot,
    "merged",
    mergedText(as, branch, baseOfBranch(state, repo, branch)),
    `${way}\n${again}`,
  );
}

/** The commands that send what some submodules have before what names it, each to a branch of the same name. */
export function submodulesFirst(
  directory: string,
  at: Parameters<typeof pushSubmodule>[1],
  state: WorkspaceState | null,
  paths: readonly string[],
): string {
  return paths.map((path) => {
    const command = pushSubmodule(join(directory, path), at, state);
    return command.startsWith("git ")
      ? `push the submodule first: ${command}`
      : `take it to a ticket, and push the submodule there: ${command}`;
  }).join("\n");
}

/** Holds back what names commits of submodules that none of their remotes has: git refuses to send it. */
export function beforeSubmodules(
  snapshot: RepoSnapshot,
  { git, branch }: OnBranch,
  { state, perTicket }: { readonly state: WorkspaceState | null; readonly perTicket: boolean },
  paths: readonly string[],
): SkipFact {
  const { repo, directory } = snapshot;
  return skip(
    snapshot,
    "submodule_unpushed",
    `commits of submodules are on none of their remotes: ${
      few(paths.map((path) => cleanLine(path, 80)), 3)
    }`,
    submodulesFirst(directory, { repo, branch, head: git.head, perTicket }, state, paths),
  );
}

/** Tells of a repository of which nothing goes that it has commits all the same, which this push cannot take along. */
export function withUnpushed(
  fact: SkipFact,
  snapshot: RepoSnapshot,
  at: Parameters<typeof unpushedNeeds>[1],
): SkipFact {
  const needs = fact.blocked ? [] : unpushedNeeds(snapshot, at);
  if (needs.length === 0) return fact;
  const said = needs.map(({ problem }) => problem);
  const isIdle = fact.reason === "readonly" || fact.detail === UP_TO_DATE;
  return {
    ...fact,
    detail: [...(isIdle ? [] : [fact.detail]), ...said].join("; "),
    fix: needs.map(({ fix }) => fix).join("\n"),
    unpushed: true,
  };
}
