/** Puts clones at the commits of a lock, as long as no commit is only there; adopted ones only forward (LOCK-2). */

import { join } from "@std/path";
import { type Sha, sha } from "../../base/ids.ts";
import { AmofError, type ErrorCode, toAmofError } from "../../base/error.ts";
import type { PorcelainStatus, Repository } from "../../git/mod.ts";
import { logLines } from "../../git/changing.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { operation } from "../../runs/steps/mod.ts";
import { cloneOutcome } from "../clones/clone_all.ts";
import { loadManifest, type Repo } from "../manifest/manifest.ts";
import { tidySteps } from "../clones/tidy.ts";
import { Transfers } from "../clones/transfer.ts";
import { whyOf } from "../why.ts";
import { repoDirectory } from "../workspace.ts";
import { inPoolOf } from "../tally.ts";

/** A clone that is to be at a commit. */
export interface Pin {
  readonly repo: Repo;
  readonly commit: string;
  /** Whether it was cloned moments ago, so that nobody has worked in it. */
  readonly fresh: boolean;
}

/** What became of one clone. */
export interface Pinned {
  readonly name: string;
  /** `there` was at the commit already. */
  readonly result: "there" | "moved" | "skipped" | "failed";
  readonly commit: string;
  /** Why it is not at the commit, or how it came there. */
  readonly detail: string;
  readonly code: ErrorCode | null;
}

/** Brings a commit into a clone that lacks it; null where its remote does not have it, either. */
async function bring(
  ctx: ExecuteContext,
  repository: Repository,
  { repo, commit }: Pin,
  { transfers, alone }: { readonly transfers: Transfers; readonly alone: boolean },
): Promise<Sha | null> {
  const there = await repository.refs.resolve(commit);
  if (there !== null) return there;
  const onLine = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  await transfers.turn(ctx, repo, () => repository.remotes.fetch(repo.branch, onLine));
  const fetched = await repository.refs.resolve(commit);
  if (fetched !== null) return fetched;
  const named = sha(commit);
  const brought = await transfers.turn(
    ctx,
    repo,
    () => repository.remotes.fetchCommit(named, { alone, onLine }),
  );
  return brought ? await repository.refs.resolve(commit) : null;
}

/** Why a clone stays that would not move forward; `own` counts its commits, `behind` says that the lock has none more. */
function whyItStays(own: number, behind: boolean): string {
  if (own > 0) return `it has ${count(own, "commit")} that its remote is not known to have`;
  return `${
    behind
      ? "it has commits that the lock does not have"
      : "it and the lock have gone different ways"
  }, and an adopted clone only moves forward`;
}

/** Why a clone is left alone that cannot be moved, or null. */
function unmovable(
  repo: Repo,
  { branch, changes }: Pick<PorcelainStatus, "branch" | "changes">,
): { readonly detail: string; readonly code: ErrorCode | null } | null {
  if (branch !== repo.branch) {
    const on = branch === null ? "no branch" : cleanLine(branch, 60);
    return { detail: `it is on ${on}, not on ${repo.branch}`, code: null };
  }
  return changes.length === 0
    ? null
    : { detail: `${count(changes.length, "file")} not committed`, code: "repo_dirty" };
}

async function pinOne(
  ctx: ExecuteContext,
  workspace: string,
  pin: Pin,
  transfers: Transfers,
): Promise<Pinned> {
  const { repo, commit } = pin;
  const row = (result: Pinned["result"], detail = "", code: ErrorCode | null = null): Pinned => ({
    name: repo.name,
    result,
    commit,
    detail,
    code,
  });
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
    const directory = await repoDirectory(ctx.system, workspace, repo);
    const repository = ctx.git.at(directory, repo.name);
    const activity = await repository.activity();
    if (activity === null) return row("skipped", "it is not cloned", "repo_not_found");
    if (activity.inProgress !== null) {
      return row("skipped", `a ${activity.inProgress} is in progress`, "repo_in_progress");
    }
    const { head, branch, changes } = await repository.status();
    if (head === commit) return row("there");
    const why = unmovable(repo, { branch, changes });
    if (why !== null) return row("skipped", why.detail, why.code);
    const target = await bring(ctx, repository, pin, {
      transfers,
      alone: activity.isShallow,
    });
    if (target === null) return row("failed", "its remote does not have the commit", "git_failed");
    if (head === null || await repository.history.isAncestor(head, target)) {
      await repository.branches.fastForward(target);
      return row("moved", "forward");
    }
    const adopted = (await ctx.system.files.lstat(join(workspace, repo.path)))?.kind === "symlink";
    const own = await repository.history.madeHereCount();
    if (!adopted && own === 0) {
      await repository.branches.putAt(repo.branch, target, head);
      return row("moved", `to ${commit.slice(0, 7)}`);
    }
    const behind = await repository.history.isAncestor(target, head);
    return row("skipped", whyItStays(own, behind), behind ? null : "repo_diverged");
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    return row("failed", whyOf(error), error.code);
  }
}

/** What became of the clones of a run, for the command that carries the step out. */
const OUTCOMES = new WeakMap<ExecuteContext, readonly Pinned[]>();

/** What became of the clones that were put at their commits in a context. */
export function pinOutcome(ctx: ExecuteContext): readonly Pinned[] {
  return OUTCOMES.get(ctx) ?? [];
}

/** Puts clones at their commits; one that cannot go there stops no other, and none is taken back. */
export const pinClones = operation<
  {
    readonly workspace: string;
    readonly pins: readonly {
      readonly name: string;
      readonly commit: string;
      readonly fresh: boolean;
    }[];
  }
>({
  name: "pin_clones",
  touches: ({ workspace }) => [workspace],
  describe: ({ pins }) => `Put ${count(pins.length, "clone")} at the commits of the lock`,
  async act(ctx, { workspace, pins }) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const { failed, empty } = cloneOutcome(ctx);
    const without = new Set([...failed.map(({ name }) => name), ...empty]);
    const transfers = new Transfers(ctx.transfers);
    const wanted = pins.flatMap((pin) => {
      const repo = manifest.repos.find(({ name }) => name === pin.name);
      return repo === undefined || without.has(pin.name) ? [] : [{ ...pin, repo }];
    });
    const pinned = await inPoolOf(ctx, "moving", wanted, async (pin) => {
      const one = await pinOne(ctx, workspace, pin, transfers);
      const off = one.result === "failed" || one.result === "skipped";
      ctx.report.log(
        off ? "warn" : "info",
        `${one.name}: ${off ? one.detail : `at ${one.commit.slice(0, 7)}`}`,
        { type: "repo", payload: { repo: one.name, result: one.result } },
      );
      return one;
    });
    OUTCOMES.set(ctx, pinned);
  },
  // A branch that moved forward holds everything it held; a fresh clone goes with the step that made it.
  undo: () => Promise.resolve(),
});

/** The steps that put clones at their commits, and tidy up where that is cut off. */
export async function pinSteps(
  ctx: ExecuteContext,
  workspace: string,
  pins: readonly Pin[],
): Promise<JournalStep[]> {
  const there = pins.filter(({ fresh }) => !fresh).map(({ repo }) => repo);
  return [
    ...await tidySteps(ctx, workspace, there, true),
    pinClones.step({
      workspace,
      pins: pins.map(({ repo, commit, fresh }) => ({ name: repo.name, commit, fresh })),
    }),
  ];
}
