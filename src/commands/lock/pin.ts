/** Puts clones at the commits of a lock, as long as no commit is only there; adopted ones only forward (LOCK-2). */

import { sha, shortSha } from "../../base/ids.ts";
import { AmofError, type ErrorCode, toAmofError } from "../../base/error.ts";
import type { Repository } from "../../git/mod.ts";
import { logLines } from "../../git/changing.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { count, shellWord } from "../../base/text/words.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { operation } from "../../runs/steps/mod.ts";
import {
  bringSubmodules,
  cloneOutcome,
  repairSteps,
  Transfers,
  withSubmodules,
} from "../../workspace/clones/changing.ts";
import { loadManifest, type Repo } from "../../workspace/manifest/mod.ts";
import { inPoolOf, repoDirectory, whyOf } from "../../workspace/mod.ts";
import { moveTo } from "./move.ts";

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
  /** What leads on where it is not; null where that is not known. */
  readonly fix: string | null;
}

/** Fetches a commit that a clone lacks, by its branch or by its name; its remote need not have it. */
async function bring(
  ctx: ExecuteContext,
  repository: Repository,
  { repo, commit }: Pin,
  transfers: Transfers,
): Promise<void> {
  const onLine = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  await transfers.turn(ctx, repo, () => repository.remotes.fetch(repo.branch, onLine));
  if (await repository.refs.resolve(commit) !== null) return;
  const alone = await repository.history.isShallowHere();
  await transfers.turn(
    ctx,
    repo,
    () => repository.remotes.fetchCommit(sha(commit), { alone, onLine }),
  );
}

async function pinOne(
  ctx: ExecuteContext,
  workspace: string,
  pin: Pin,
  transfers: Transfers,
): Promise<Pinned> {
  const { repo, commit } = pin;
  const row = (
    result: Pinned["result"],
    detail = "",
    code: ErrorCode | null = null,
    fix: string | null = null,
  ): Pinned => ({ name: repo.name, result, commit, detail, code, fix });
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
    const directory = await repoDirectory(ctx.system, workspace, repo);
    const repository = ctx.git.at(directory, repo.name);
    const going = (change: () => Promise<void>) =>
      withSubmodules(ctx, { repo: repo.name, directory }, change);
    let way = await moveTo(ctx, workspace, pin);
    if (way.to === "fetch") {
      await bring(ctx, repository, pin, transfers);
      way = await moveTo(ctx, workspace, pin);
    }
    switch (way.to) {
      case "there":
        return row("there");
      case "stay":
        return row("skipped", way.detail, way.code, way.fix);
      case "fetch":
        return row(
          "failed",
          "its remote does not have the commit",
          "git_failed",
          `See what it has: git -C ${shellWord(directory)} log --oneline --remotes`,
        );
      case "forward":
        await going(() => repository.branches.fastForward(sha(commit)));
        await bringSubmodules(ctx, transfers, { repo, directory });
        return row("moved", "forward");
      case "put":
        await going(() => repository.branches.putAt(repo.branch, sha(commit), sha(way.head)));
        return row("moved", `to ${shortSha(commit)}`);
    }
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    return row("failed", whyOf(error), error.code, error.hint);
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
        `${one.name}: ${off ? one.detail : `at ${shortSha(one.commit)}`}`,
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
    ...await repairSteps(ctx, workspace, there, true),
    pinClones.step({
      workspace,
      pins: pins.map(({ repo, commit, fresh }) => ({ name: repo.name, commit, fresh })),
    }),
  ];
}
