/** Clones one repository of an ecosystem so that its place holds either nothing or a whole clone. */

import { basename, dirname, join } from "@std/path";
import { AmofError, toAmofError } from "../../base/error.ts";
import type { CloneHistory, OnLine } from "../../git/mod.ts";
import { logLines } from "../../git/changing.ts";
import { Clones } from "../../git/write/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { few, remediesByRepo, shellWord } from "../../base/text/words.ts";
import type { Repo } from "../manifest/manifest.ts";
import { freshMirror, noMirror } from "../mirrors/mod.ts";
import { removeStale } from "../removal/temporaries.ts";
import { whyOf } from "../refusal.ts";
import { repoDirectory } from "../workspace.ts";
import { inPool } from "../../base/async/pool.ts";
import { RepoCounter } from "../progress.ts";
import { Transfers } from "./transfer.ts";

/** The branches of a remote where the wanted one was not found; null where that was not the reason. */
async function branchesInstead(
  ctx: ExecuteContext,
  parent: string,
  repo: Repo,
  error: unknown,
): Promise<readonly string[] | null> {
  const missing = error instanceof AmofError && error.details["kind"] === "not_found" &&
    /remote branch .* not found/i.test(error.message);
  if (!missing) return null;
  const refs = await ctx.git.at(parent, repo.name).remoteRefs.branchesAndTags(repo.url);
  return [...refs.keys()].map((ref) => ref.replace(/^refs\/(?:heads|tags)\//, ""));
}

/** The failure of a clone whose base branch is none. */
function wrongBranch(repo: Repo, why: string, there: readonly string[]): AmofError {
  const [only = null, ...others] = there;
  const branch = others.length === 0 ? only : null;
  return new AmofError("git_failed", `Cannot clone "${repo.name}": ${why}`, {
    hint: `Name the branch that it has: amof repo rename ${repo.name} --branch ${
      branch === null ? "BRANCH" : shellWord(branch)
    }`,
    details: { repo: repo.name, kind: "not_found", reason: why.replace(/^its/, "the") },
  });
}

/** What a manifest says of the history of clones, as git is told it (WORKSPACE-24). */
export function historyOf(said: string): CloneHistory {
  if (said === "blobless") return said;
  return said.startsWith("shallow:") ? { depth: Number(said.slice("shallow:".length)) } : "full";
}

/**
 * The mirror from which a clone copies what it can. Null where none is wanted, there is none, or it cannot be
 * had. The last is reported and keeps nobody from cloning (WORKSPACE-25).
 */
async function mirrorFor(ctx: ExecuteContext, repo: Repo, onLine: OnLine): Promise<string | null> {
  // A copy of a mirror that lacks history or files would have to fetch them again.
  if (!repo.mirrored || repo.clone !== "full" || noMirror(ctx, repo) !== null) return null;
  try {
    return (await freshMirror(ctx, repo, { fresh: 0, onLine }))?.directory ?? null;
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    if (["cancelled", "internal_error"].includes(error.code)) throw thrown;
    ctx.report.log("warn", `${repo.name}: cloned without a mirror: ${whyOf(error)}`);
    return null;
  }
}

/**
 * Gives a clone its submodules where the manifest says that it has them (WORKSPACE-28). At most one process, which starts
 * several for each, with network.
 */
export async function addSubmodules(
  ctx: ExecuteContext,
  directory: string,
  repo: Repo,
): Promise<void> {
  if (!repo.submodules) return;
  if (await ctx.system.files.lstat(join(directory, ".gitmodules")) === null) return;
  const onLine = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  await ctx.git.at(directory, repo.name).part(Clones).addSubmodules(onLine);
}

/** Clones one branch into a directory that does not exist; a remote without anything becomes an empty clone. */
async function cloneInto(
  ctx: ExecuteContext,
  parent: string,
  directory: string,
  repo: Repo,
): Promise<"cloned" | "empty"> {
  const clones = ctx.git.at(parent, repo.name).part(Clones);
  const { url, branch, clone, sparse } = repo;
  const log = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  const onLine: OnLine = (stream, line) => {
    log(stream, line);
    // Git goes on with a whole clone then.
    if (!line.startsWith("warning: filtering not recognized by server")) return;
    ctx.report.log(
      "warn",
      `${repo.name}: its server makes no blobless clones, so it is a full one`,
    );
  };
  try {
    const reference = await mirrorFor(ctx, repo, log);
    const history = historyOf(clone);
    await clones.make({ url, directory, branch, history, reference, sparse, onLine });
    const head = await ctx.system.files.readText(join(directory, ".git", "HEAD"));
    if (head === null || head.startsWith("ref: ")) return "cloned";
    // Git takes a tag for a branch, and then no branch is checked out.
    await ctx.system.files.removeTree(directory);
    throw wrongBranch(repo, `its remote has ${branch} as a tag, and not as a branch`, []);
  } catch (error) {
    const there = await branchesInstead(ctx, parent, repo, error);
    if (there === null) throw error;
    if (there.length > 0) {
      const why = `its remote has no branch ${repo.branch}, but ${few(there, 5)}`;
      throw wrongBranch(repo, why, there);
    }
    await ctx.system.files.removeTree(directory);
    await clones.makeEmpty({ url, directory, branch });
    return "empty";
  }
}

/**
 * Clones into a temporary neighbour and renames it into place. The place must be free or an empty directory. A remote
 * that has no commit yet becomes an empty clone on the branch of the manifest.
 */
export async function cloneRepo(
  ctx: ExecuteContext,
  workspace: string,
  repo: Repo,
): Promise<"cloned" | "empty"> {
  const { files } = ctx.system;
  const target = await repoDirectory(ctx.system, workspace, repo);
  if ((await files.list(target)).length > 0) {
    throw new AmofError(
      "workspace_exists",
      `Cannot clone "${repo.name}": ${repo.path} is not empty`,
      {
        hint: "Move it away, then repeat",
        details: { repo: repo.name, path: repo.path },
      },
    );
  }
  const parent = dirname(target);
  await files.makeDirectory(parent);
  await removeStale(ctx, parent, basename(target));
  const temporary = join(parent, `.${basename(target)}.amof-${ctx.system.ids.hex(8)}`);
  try {
    const what = await cloneInto(ctx, parent, temporary, repo);
    await addSubmodules(ctx, temporary, repo);
    if (await files.lstat(target) !== null) await files.remove(target);
    await files.rename(temporary, target);
    await ctx.seals.seal([target]);
    return what;
  } catch (error) {
    await files.removeTree(temporary);
    throw error;
  }
}

// Clones many repositories: all of them, or those that can be cloned where the caller wants that.

/** How long to wait for other failures before the clones that still run are ended: few come alone. */
const COMPANY_MS = 1_000;

/** A repository that could not be cloned. */
export interface CloneFailure {
  readonly name: string;
  readonly error: AmofError;
}

/** What became of the repositories. */
export interface CloneOutcome {
  /** Those whose remote has no commit yet. */
  readonly empty: readonly string[];
  readonly failed: readonly CloneFailure[];
}

/** The failures as one error: its message names them, and says why where there is one; the details always do. */
function together(
  failed: readonly CloneFailure[],
  first: CloneFailure,
  keeping: boolean | string,
): AmofError {
  const repos = failed.map(({ name, error }) => ({
    name,
    code: error.code,
    detail: whyOf(error),
  }));
  const ending = "nothing was installed";
  const fixes = remediesByRepo(failed.map(({ name, error }) => ({ name, fix: error.hint })));
  const hint = typeof keeping === "string" ? [...fixes, `Install the others: ${keeping}`] : fixes;
  if (failed.length === 1) {
    return new AmofError(first.error.code, `${first.error.message}; ${ending}`, {
      hint,
      details: { ...first.error.details, repos },
      cause: first.error.cause,
    });
  }
  return new AmofError(
    first.error.code,
    `Cannot clone ${few(repos.map(({ name }) => `"${name}"`), 5)}; ${ending}`,
    { hint, details: { repos } },
  );
}

/** What a person is asked when the first one failed. */
function question({ name, error }: CloneFailure): string {
  return `"${name}" cannot be cloned: ${
    whyOf(error)
  }. Install the others, and this one later with amof sync?`;
}

/** What happens when some cannot be cloned. */
interface CloneOptions {
  /**
   * Whether the others go on; a command that lets them leaves it to the person who watches, and is told where there is none.
   */
  readonly keepGoing: boolean | string;
  /** Whether the workspace holds other clones. */
  readonly others: boolean;
}

/**
 * Clones repositories in parallel. Once one fails, the options say whether the others go on; if not, those under way
 * are ended, and the failures are thrown as one error. Throws also when the workspace would hold nothing.
 */
export async function cloneAll(
  ctx: ExecuteContext,
  workspace: string,
  repos: readonly Repo[],
  options: CloneOptions,
): Promise<CloneOutcome> {
  const stop = new AbortController();
  const signal = AbortSignal.any([ctx.signal, stop.signal]);
  const inner: ExecuteContext = { ...ctx, signal, git: ctx.git.until(signal) };
  const transfers = new Transfers(ctx.transfers);
  const tally = new RepoCounter(ctx.report, "cloning", repos.length);
  const failed = new Map<string, CloneFailure>();
  const empty = new Set<string>();
  const mayKeep = typeof options.keepGoing === "string";
  let course: "keep" | "stop" | "undecided" = options.keepGoing === true ? "keep" : "undecided";
  let deciding: Promise<void> | null = null;
  const decide = async (first: CloneFailure) => {
    const yes = mayKeep ? await ctx.caller.ask(question(first)) : null;
    course = yes === true ? "keep" : "stop";
    if (course === "keep") return;
    if (yes === null) await ctx.system.clock.sleep(COMPANY_MS, ctx.signal);
    stop.abort();
  };
  const clone = async (repo: Repo): Promise<void> => {
    if (signal.aborted || course === "stop") return;
    try {
      const what = await transfers.turn(inner, repo, () => {
        tally.begin(repo.name);
        return cloneRepo(inner, workspace, repo);
      });
      if (what === "empty") empty.add(repo.name);
      ctx.report.log(
        what === "empty" ? "warn" : "info",
        what === "empty"
          ? `${repo.name}: the remote has no commit yet; made an empty clone on ${repo.branch}`
          : `${repo.name}: cloned ${repo.branch}`,
        { type: "repo", payload: { repo: repo.name } },
      );
    } catch (thrown) {
      const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
      // A clone that was ended because another one failed is not reported as a failure of its own.
      if (stop.signal.aborted && error.code === "cancelled") return;
      ctx.report.log("error", `${repo.name}: cannot be cloned: ${whyOf(error)}`, {
        type: "repo",
        payload: { repo: repo.name, code: error.code },
      });
      const failure = { name: repo.name, error };
      failed.set(repo.name, failure);
      if (course === "undecided" && !ctx.signal.aborted) deciding ??= decide(failure);
    } finally {
      tally.end(repo.name);
    }
  };
  // The transfers hold themselves back; the pool only keeps the number of waiting ones sane.
  await inPool(64, repos, clone);
  await deciding;
  const inOrder = repos.flatMap(({ name }) => failed.get(name) ?? []);
  const [first] = inOrder;
  if (ctx.signal.aborted) {
    throw first?.error ?? new AmofError("cancelled", "Stopped while cloning");
  }
  if (first === undefined) return { empty: [...empty], failed: [] };
  if (course !== "keep" || (inOrder.length === repos.length && !options.others)) {
    throw together(inOrder, first, inOrder.length < repos.length && options.keepGoing);
  }
  return { empty: [...empty], failed: inOrder };
}

/** What became of the clones of a run, for the command that carries the step out. */
const OUTCOMES = new WeakMap<ExecuteContext, CloneOutcome>();

/** Keeps what became of the clones for {@linkcode cloneOutcome}. */
export function rememberOutcome(ctx: ExecuteContext, outcome: CloneOutcome): void {
  OUTCOMES.set(ctx, outcome);
}

/** What became of the clones that were made in a context; nothing failed where none were made. */
export function cloneOutcome(ctx: ExecuteContext): CloneOutcome {
  return OUTCOMES.get(ctx) ?? { empty: [], failed: [] };
}
