/** Mirrors of several repositories at once, for clones that are to borrow from them (TICKET-11). */

import { join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { Repo } from "../manifest/manifest.ts";
import { type Refusal, refuseAll } from "../refusal.ts";
import { inPoolOf } from "../tally.ts";
import { mirrorOf } from "./build.ts";
import { Transfers } from "../clones/transfer.ts";
import { whyOf } from "../why.ts";
import { type FreshMirror, freshMirror, noMirror } from "../mirrors/fresh.ts";
import { Mirrors as GitMirrors } from "../../git/write/mod.ts";

/** The mirrors of repositories, by name; null for those that have none. */
export type Mirrors = ReadonlyMap<string, FreshMirror | null>;

/** A mirror that was fetched no longer ago than this is not fetched again. */
const FRESH_SECONDS = 60;

interface Terms {
  /** What messages call the work: "start T-1". */
  readonly what: string;
  /** Whether mirrors are taken as they are, and only missing ones are made. */
  readonly offline: boolean;
  /** Gets what a person should know, one sentence each. */
  readonly notes: string[];
  /** Whether a damaged one is made anew although somebody borrows from it. */
  readonly repair?: boolean;
}

/** Throws where git-lfs is needed and does not work: files would be made of which only a few words are there. */
async function refuseWithoutLarge(
  ctx: ExecuteContext,
  repos: readonly Repo[],
  what: string,
): Promise<void> {
  const needing = repos.filter(({ lfs }) => lfs);
  if (needing.length === 0) return;
  const problem = await ctx.git.at(ctx.root).part(GitMirrors).largeProblem();
  if (problem === null) return;
  const fix = problem === "missing"
    ? "install git-lfs, then: git lfs install"
    : "switch it on: git lfs install";
  refuseAll(
    what,
    needing.map(({ name }) => ({
      repo: name,
      code: "git_failed" as const,
      problem: problem === "missing"
        ? "needs git-lfs, which is not installed"
        : "needs git-lfs, which git is not told to use",
      fix,
    })),
  );
}

/**
 * Brings the mirrors of repositories up to date, which stay, whatever becomes of the ticket; `base` is the directory of
 * the workspace whose clones a new one may take from, or null. At most one transfer for each. Throws one error for all
 * that cannot be had; one whose remote does not answer is as last fetched, and noted.
 */
export async function bringMirrors(
  ctx: ExecuteContext,
  base: string | null,
  repos: readonly Repo[],
  { what, offline, notes, repair = false }: Terms,
): Promise<Mirrors> {
  await refuseWithoutLarge(ctx, repos, what);
  const transfers = new Transfers(ctx.transfers);
  const refusals: Refusal[] = [];
  const found = await inPoolOf(ctx, "fetching", repos, async (repo) => {
    const from = base === null ? null : join(base, repo.path);
    const wish = { transfers, from, repair, fresh: offline ? Infinity : FRESH_SECONDS };
    try {
      const mirror = await freshMirror(ctx, repo, wish);
      if (mirror === null) {
        notes.push(`${repo.name}: a plain clone, because ${noMirror(ctx, repo)}`);
      }
      return [repo.name, mirror] as const;
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      // A mirror from an earlier fetch is as good as what an offline start begins at.
      const place = mirrorOf(ctx, repo);
      const stands = place !== null && await ctx.system.files.lstat(join(place, "HEAD")) !== null;
      if (stands && ["remote_unreachable", "timeout"].includes(error.code)) {
        notes.push(
          `${repo.name}: its remote could not be asked (${whyOf(error)}); it is as last fetched`,
        );
        return [repo.name, { directory: place, result: "fresh" as const }] as const;
      }
      refusals.push({
        repo: repo.name,
        code: error.code,
        problem: `cannot be fetched: ${whyOf(error)}`,
        fix: error.hint,
      });
      return [repo.name, null] as const;
    }
  });
  refuseAll(what, refusals, "nothing but mirrors was made");
  return new Map(found);
}
