/**
 * Merges the pull requests of a ticket one after the other, and stops at the first that is other than previewed. A merge
 * cannot be taken back, so nothing here goes on by itself: what is left is a new call with a new consent (CHANGE-8).
 */

import { AmofError, type ErrorCode, toAmofError } from "../../../base/error.ts";
import { sha, shortSha } from "../../../base/ids.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { type Forge, pageLine, type PullRequest } from "../../../forge/mod.ts";
import { compareWithBase } from "../../../workspace/clones/mod.ts";
import { rememberMerged } from "../../../workspace/clones/changing.ts";
import { repoDirectory } from "../../../workspace/mod.ts";
import { type ChangeSet, inPrivate, type Member, remoteTip } from "../set.ts";
import { afterRefusal, type LandFact, type LandFacts, surpriseOf } from "./plan.ts";

/** A forge may be busy with what was merged before: then it is asked again, so often and after so many milliseconds. */
const TRIES = 3;
const PAUSE_MS = 1_500;

interface LandedRow {
  readonly name: string;
  readonly number: number;
  readonly url: string;
  readonly head: string;
  readonly merge_sha: string | null;
}

interface Stopped {
  readonly name: string;
  readonly number: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly previewed: string;
  readonly now: string | null;
  /** The line that leads to its page; absent where its forge has not refused it. */
  readonly way?: string;
}

/** What came of a landing. */
export interface LandRows {
  readonly landed: readonly LandedRow[];
  readonly queued: readonly string[];
  readonly stopped: Stopped | null;
  /** Those that nobody has touched. */
  readonly waiting: readonly string[];
}

/** The error of a landing that stops, with the commit that is there. */
function stop(
  code: ErrorCode,
  why: string,
  now: string | null = null,
  way: string | null = null,
): AmofError {
  return new AmofError(code, why, { details: { now, way } });
}

/** What went wrong before a forge was asked to merge, or has to be left alone. */
const UNTRIED = ["auth_failed", "program_missing", "forge_limited"];

/** Asks for one merge; what a forge refuses, or leaves open, is judged by what is there afterwards. */
async function mergeOne(
  ctx: ExecuteContext,
  forge: Forge,
  fact: LandFact,
  change: PullRequest,
): Promise<"queued" | PullRequest> {
  const { head, method, queue, number, name } = fact;
  let why = "";
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const answer = await forge.merge(change, { sha: head, method, queue });
      if (answer.state === "queued") return "queued";
      why = answer.state === "refused" ? answer.why : "";
    } catch (thrown) {
      const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
      if (UNTRIED.includes(error.code)) throw error;
      why = error.message;
    }
    const there = await forge.read(number).catch((thrown) => {
      const { code, message } = toAmofError(thrown, () => ctx.system.ids.hex(8));
      throw stop(code, `nobody knows yet whether #${number} of ${name} was merged: ${message}`);
    });
    const came = afterRefusal(fact, there);
    if (came === "merged") return there;
    if (came === "moved") {
      throw stop(
        "change_moved",
        `#${number} of ${name} has moved: previewed ${shortSha(head)}, now ${
          shortSha(there.head.sha)
        }, ${there.state}`,
        there.head.sha,
      );
    }
    if (tries + 1 < TRIES) await ctx.system.clock.sleep(PAUSE_MS, ctx.signal);
  }
  throw stop(
    "change_blocked",
    `#${number} of ${name} was not merged${why === "" ? "" : `: ${why}`}`,
    head,
    pageLine(forge.kind, forge.slug, change),
  );
}

/** Whether the base branch has what was merged, as git itself fetches it; throws where it does not. */
async function verify(
  ctx: ExecuteContext,
  set: ChangeSet,
  member: Member,
  { head, merge_sha: merged }: Pick<LandedRow, "head" | "merge_sha">,
): Promise<void> {
  const { name, base, branch, repo } = member;
  const not = stop(
    "forge_failed",
    `${name}: its forge says it is merged, and ${base} does not have it`,
    head,
  );
  if (set.workspace === null) {
    const tip = await remoteTip(ctx, member, base);
    if (tip === null || merged === null) throw not;
    const has = await inPrivate(
      ctx,
      member,
      tip,
      async ({ remotes, history }) =>
        await remotes.fetchCommit(tip, { alone: false }) && await history.isAncestor(merged, tip),
    );
    if (!has) throw not;
    return;
  }
  const directory = await repoDirectory(ctx.system, set.workspace.directory, repo);
  const clone = ctx.git.at(directory, name);
  await clone.remotes.fetchBranch(base);
  const ref = `refs/remotes/origin/${base}`;
  const tip = (await clone.refs.peek([ref])).get(ref);
  if (tip === undefined) throw not;
  if (merged !== null && await clone.history.isAncestor(merged, tip)) return;
  // What a squash comes to is told by its contents.
  const tips = { branch, commit: sha(head), base: tip, own: undefined };
  if ((await compareWithBase(clone, tips, { lastPush: undefined })).as === null) throw not;
}

/** Merges what was agreed to, in its order. */
export async function landAll(
  ctx: ExecuteContext,
  set: ChangeSet,
  { repos, ignored }: LandFacts,
): Promise<LandRows> {
  const landed: LandedRow[] = [];
  const queued: string[] = [];
  let stopped: Stopped | null = null;
  for (const [at, fact] of repos.entries()) {
    const { name, number, head, url } = fact;
    try {
      const member = set.members.find((one) => one.name === name);
      const forge = member?.forge ?? null;
      if (member === undefined || forge === null) throw stop("change_moved", `${name} is gone`);
      if (ctx.signal.aborted) throw stop("cancelled", `Stopped before ${name}`);
      if (queued.length > 0) {
        throw stop("change_blocked", `${name} waits for what is in the queue`);
      }
      const standing = await forge.standing(await forge.read(number));
      const surprise = surpriseOf(fact, standing, ignored);
      if (surprise !== null) throw stop(surprise.code, surprise.why, surprise.now);
      ctx.report.log("info", `${name}: merging #${number} at ${shortSha(head)}`, {
        type: "repo",
        payload: { repo: name, number, head },
        lasting: true,
      });
      const merged = await mergeOne(ctx, forge, fact, standing.change);
      if (merged === "queued") {
        queued.push(name);
        continue;
      }
      const row: LandedRow = { name, number, url, head, merge_sha: merged.merge_sha };
      landed.push(row);
      ctx.report.log("info", `${name}: merged #${number}`, {
        type: "repo",
        payload: { repo: name, number, merge_sha: row.merge_sha },
        lasting: true,
      });
      ctx.report.progress(at + 1, repos.length, name);
      await verify(ctx, set, member, row);
    } catch (thrown) {
      const { code, message, details } = toAmofError(thrown, () => ctx.system.ids.hex(8));
      const textOf = (member: string) => {
        const text = details[member];
        return typeof text === "string" ? text : null;
      };
      const [now, way] = [textOf("now"), textOf("way")];
      stopped = {
        ...{ name, number, code, detail: message, previewed: head, now },
        ...(way === null ? {} : { way }),
      };
      break;
    }
  }
  if (set.workspace !== null && landed.length > 0) {
    const { directory } = set.workspace;
    const fetched = set.members.filter(({ name }) => landed.some((row) => row.name === name));
    await rememberMerged(
      ctx,
      { workspace: directory, workspaceBranch: set.manifest.workspaceBranch },
      fetched.map(({ repo }) => repo),
    );
  }
  const touched = new Set([...landed.map(({ name }) => name), ...queued, stopped?.name]);
  return {
    landed,
    queued,
    stopped,
    waiting: repos.map(({ name }) => name).filter((name) => !touched.has(name)),
  };
}
