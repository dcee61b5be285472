/** `sync`: brings the branch of the config repo and that of its remote together (PACK-54). */

import { AmofError } from "../../../base/error.ts";
import { type EmptyRebase, reason } from "../../../git/mod.ts";
import { Joining } from "../../../git/write/mod.ts";
import { count, shellWord } from "../../../base/text/words.ts";
import { type Act, declare, flag, type Look, members, text } from "../declare/command.ts";
import { lines } from "../declare/show.ts";
import { AgentpackError } from "../error.ts";
import { type Twins, withPosix } from "../io.ts";
import { type Answer, type Pack, viaGit } from "../pack.ts";

/** `data` of `sync`. */
interface SyncData extends Twins<"repo"> {
  readonly remote: string;
  readonly branch: string;
  readonly rebase: boolean;
  /** What was run, in words of git. */
  readonly commands: readonly string[];
}

/** What the errors about the config repo say besides. */
function about(command: string, repo: string): Readonly<Record<string, string>> {
  return { command, ...withPosix("repo", repo) };
}

/** Refuses a config repo that is no git repository. Throws `E_GIT_REPO_REQUIRED`. */
export async function requireRepo(pack: Pack, command: string, repo: string): Promise<void> {
  if (await pack.git.at(repo).gitDirectory() !== null) return;
  throw new AgentpackError(
    "E_GIT_REPO_REQUIRED",
    `The config repo "${repo}" is not a git repository`,
    {
      ...about(command, repo),
      hint: "Run git init there, and commit",
    },
  );
}

/**
 * Refuses a config repo with unfinished work or uncommitted changes. Answers a rebase that was cut off and can be taken
 * back without losing anything, or null. Throws `E_GIT_WORKTREE_DIRTY`.
 */
async function requireClean(pack: Pack, repo: string): Promise<EmptyRebase | null> {
  const repository = pack.git.at(repo, "config repo");
  const unfinished = (await repository.activity())?.inProgress ?? null;
  const empty = unfinished === "rebase" ? await repository.part(Joining).emptyRebase() : null;
  if (empty !== null) return empty;
  if (unfinished !== null) {
    const inRepo = `git -C ${shellWord(repo)}`;
    throw new AgentpackError(
      "E_GIT_WORKTREE_DIRTY",
      `The config repo "${repo}" is in the middle of a ${unfinished}`,
      {
        ...about("sync", repo),
        in_progress: unfinished,
        hint: unfinished === "bisect"
          ? `End it first: ${inRepo} bisect reset`
          : `Finish it there, or take it back: ${inRepo} ${unfinished} --abort`,
      },
    );
  }
  const { changes } = await viaGit(repo, () => repository.status());
  if (changes.length > 0) {
    throw new AgentpackError(
      "E_GIT_WORKTREE_DIRTY",
      `The config repo "${repo}" has ${count(changes.length, "uncommitted change")}`,
      { ...about("sync", repo), hint: "Commit or stash them first" },
    );
  }
  return null;
}

interface SyncPlan {
  readonly data: SyncData;
  /** The commit of the branch at the remote; null where it has none. */
  readonly there: string | null;
  /** What takes back a rebase that was cut off; null where there is none. */
  readonly back: string | null;
  /** What pulls; null where the remote has no such branch. */
  readonly pull: string | null;
  readonly push: string;
}

interface SyncOptions {
  readonly rebase: boolean;
  readonly remote: string;
}

/** Looks what would be pulled and pushed, and refuses what cannot be. Throws `E_GIT_*`. */
async function planSync({ pack, home }: Look, { rebase, remote }: SyncOptions): Promise<SyncPlan> {
  const { repo } = home;
  await requireRepo(pack, "sync", repo);
  const cutOff = await requireClean(pack, repo);
  const repository = pack.git.at(repo);
  const branch = cutOff?.branch ?? await repository.branches.current();
  if (branch === null) {
    throw new AgentpackError("E_GIT_DETACHED_HEAD", `The config repo "${repo}" is on no branch`, {
      ...about("sync", repo),
      hint: "Check a branch out: git switch main",
    });
  }
  const url = await repository.remotes.url(remote);
  if (url === null) {
    throw new AgentpackError(
      "E_GIT_REMOTE_MISSING",
      `The config repo "${repo}" has no remote "${remote}"`,
      {
        ...about("sync", repo),
        remote,
        hint: `Set it: ${pack.prefix} remote set URL --name ${remote}`,
      },
    );
  }
  const there = await viaGit(
    repo,
    () => repository.remoteRefs.commitOf(url, branch, "the config repo"),
  );
  const head = cutOff?.before ?? await repository.refs.resolve("HEAD");
  const tracked = there === null || there === head
    ? null
    : await repository.refs.resolve(`refs/remotes/${remote}/${branch}`);
  // A commit that the remote has contained needs no push, whatever was pushed there since.
  const pushes = head !== null && head !== there &&
    (tracked === null || !await repository.history.isAncestor(head, tracked));
  const back = cutOff === null ? null : "git rebase --abort";
  const pull = there === null
    ? null
    : `git pull ${rebase ? "--rebase" : "--ff-only"} ${remote} ${branch}`;
  const push = `git push ${remote} ${branch}`;
  const commands = [back, pull, pushes ? push : null].filter((line) => line !== null);
  const data = { ...withPosix("repo", repo), remote, branch, rebase, commands };
  return { data, there, back, pull, push };
}

/**
 * Pulls the checked-out branch of the config repo from its remote, by fast-forward or with `rebase` below the
 * own commits, then pushes it. Throws `E_GIT_*`; what neither way can bring together is left as it was.
 */
async function bringTogether(call: Act, options: SyncOptions): Promise<Answer<SyncData>> {
  const { pack, home: { repo }, approve } = call;
  const { data, there, back, pull, push } = await planSync(call, options);
  const { branch, remote, rebase } = data;
  await approve(data);
  const repository = pack.git.at(repo);
  const commands: string[] = [];
  if (back !== null) {
    await viaGit(repo, () => repository.part(Joining).abort("rebase"));
    commands.push(back);
  }
  if (pull !== null) {
    await viaGit(repo, async () => {
      try {
        await repository.remotes.pull({ branch, remote, rebase });
      } catch (error) {
        throw inThisRepo(error, data, pack.prefix);
      }
    });
    commands.push(pull);
  }
  const head = await repository.refs.resolve("HEAD");
  if (head !== null && head !== there) {
    const outcome = await repository.remotes.push({ commit: head, branch, remote });
    if (!outcome.ok) {
      throw new AgentpackError(
        "E_UNEXPECTED",
        `Cannot push ${branch} to ${remote}: ${outcome.reason ?? reason(outcome.result)}`,
      );
    }
    commands.push(push);
  }
  return { data: { ...data, commands }, warnings: [] };
}

/** A failure of a pull with what to do about it here: git's own hints are about repositories of an ecosystem. */
function inThisRepo(error: unknown, { repo, remote, branch }: SyncData, prefix: string): unknown {
  if (!(error instanceof AmofError)) return error;
  const { kind } = error.details;
  const git = `git -C ${shellWord(repo)}`;
  const hint = kind === "non_fast_forward"
    ? `Put own commits on top of the remote's: ${prefix} sync --rebase`
    : kind === "conflict"
    ? `Bring both together by hand: ${git} pull --rebase ${remote} ${branch}
Edit the files and name them: ${git} add --update
Then go on: ${git} rebase --continue`
    : null;
  const { code, message, details } = error;
  return hint === null ? error : new AmofError(code, message, { hint, details, cause: error });
}

/** `sync`. */
export const sync = declare({
  path: ["sync"],
  summary: "Pull the config repo's branch, then push it.",
  options: {
    rebase: flag({ help: "Put own commits on top instead of fast-forwarding only" }),
    remote: text({ help: "The remote (origin)", value: "NAME" }),
  },
  examples: ["sync", "sync --dry-run", "sync --rebase --yes --json"],
  changes: { asks: "first" },
  async look(call, { rebase, remote }): Promise<Answer<SyncData>> {
    const { data } = await planSync(call, { rebase, remote: remote ?? "origin" });
    return { data, warnings: [] };
  },
  act: (call, { rebase, remote }) => bringTogether(call, { rebase, remote: remote ?? "origin" }),
  answers: members<SyncData>("repo", "repo_posix", "remote", "branch", "rebase", "commands"),
  render: ({ data }) =>
    data.commands.length === 0 ? `${data.branch} is in sync` : lines(data.commands),
});
