/** Clones many repositories: all of them, or those that can be cloned where the caller wants that. */

import { AmofError, toAmofError } from "../../base/error.ts";
import { inPool } from "../../base/async/pool.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { few, remediesByRepo } from "../../base/text/words.ts";
import { cloneRepo } from "./clone.ts";
import type { Repo } from "../manifest/manifest.ts";
import { Tally } from "../tally.ts";
import { Transfers } from "./transfer.ts";
import { whyOf } from "../why.ts";

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
  mayKeep: boolean,
): AmofError {
  const repos = failed.map(({ name, error }) => ({
    name,
    code: error.code,
    detail: whyOf(error),
  }));
  const ending = "nothing was installed";
  const fixes = remediesByRepo(failed.map(({ name, error }) => ({ name, fix: error.hint })));
  const others = "Install the others: amof install --keep-going";
  const hint = mayKeep ? [...fixes, others] : fixes;
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
  /** Whether the others go on; `ask` leaves it to the person who watches, and stops where there is none. */
  readonly keepGoing: boolean | "ask";
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
  const tally = new Tally(ctx.report, "cloning", repos.length);
  const failed = new Map<string, CloneFailure>();
  const empty = new Set<string>();
  const mayKeep = options.keepGoing === "ask";
  let course: "keep" | "stop" | "undecided" = options.keepGoing === true ? "keep" : "undecided";
  let deciding: Promise<void> | null = null;
  const decide = async (first: CloneFailure) => {
    const yes = mayKeep ? await ctx.ask(question(first)) : null;
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
    throw together(inOrder, first, mayKeep && inOrder.length < repos.length);
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
