/** The words that select repositories by how they stand (SELECT-4, SELECT-5, SELECT-6). */

import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { fits } from "../../base/text/wildcard.ts";
import { didYouMean, list } from "../../base/text/words.ts";
import {
  type InspectOptions,
  inspectRepos,
  missingSnapshot,
  type RepoSnapshot,
} from "../../workspace/clones/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";
import type { Door } from "../../base/policy/mode.ts";
import { field, through, type Word } from "./words.ts";
import { inPool } from "../../base/async/pool.ts";
import { defined, isObject } from "../../base/object.ts";
import type { RunRecord } from "../../state/store/mod.ts";

type RunTools = Pick<CommandContext, "root" | "ecosystem" | "ticket" | "store" | "runs">;

/** How many runs are looked at for the newest one that tells of single repositories. */
const NEWEST = 50;

/** What the row of a repository says where its part did not go well. */
const BAD = ["failed", "timed_out", "cancelled", "not_started"];

interface Row {
  /** Whose workspace it is about, where the run was about several. */
  readonly ticket?: unknown;
  readonly name?: unknown;
  readonly result?: unknown;
  readonly outcome?: unknown;
  readonly code?: unknown;
}

/** The repositories of a run's result, or null where it tells of none. */
function rowsOf({ result }: RunRecord): readonly Row[] | null {
  const rows = (result as { readonly repos?: unknown } | null)?.repos;
  return Array.isArray(rows) && rows.every(isObject) ? rows as Row[] : null;
}

/** Whether a repository failed or was held back. */
function isBad({ result, outcome, code }: Row): boolean {
  return typeof code === "string" || BAD.includes(String(result ?? outcome));
}

/** The newest ended run of the ecosystem: of those with that name, or of all that tell of single repositories. */
async function newestRun(ctx: RunTools, action: string | undefined): Promise<RunRecord> {
  const { root, ecosystem } = ctx;
  const runs = (await ctx.store()).runs.list({
    root,
    ecosystem,
    ...defined({ action }),
    statuses: ["success", "failed", "cancelled"],
    limit: action === undefined ? NEWEST : 1,
  });
  const run = runs.find((each) => action !== undefined || rowsOf(each) !== null);
  if (run !== undefined) return run;
  throw new AmofError(
    "invalid_arguments",
    `Cannot select what failed: no ${
      action?.replaceAll("_", " ") ?? "run with repositories"
    } of "${ecosystem}" has ended yet`,
    { hint: "See what ran: amof runs list", details: { field: "only" } },
  );
}

/**
 * The repositories of the call's workspace that failed or were held back in a run, or without one in the newest that has
 * ended. Throws
 * `run_not_found`, and `invalid_arguments` for a run that does not tell.
 */
async function failedIn(
  ctx: RunTools,
  action: string | undefined,
  id: string,
): Promise<ReadonlySet<string>> {
  const run = id === "" ? await newestRun(ctx, action) : await ctx.runs.find(id);
  const rows = run.root === ctx.root && run.ecosystem === ctx.ecosystem ? rowsOf(run) : null;
  if (rows !== null) {
    const here = rows.filter(({ ticket = run.ticket }) => ticket === ctx.ticket);
    return new Set(here.filter(isBad).map(({ name }) => String(name)));
  }
  throw new AmofError(
    "invalid_arguments",
    `Cannot select what failed in run ${run.runId.slice(0, 8)}: ${
      run.ecosystem === ctx.ecosystem
        ? "its record has no result for each repository"
        : `it is none of "${ctx.ecosystem}"`
    }`,
    {
      hint: "See what ran: amof runs list",
      details: { run_id: run.runId, action: run.action, ecosystem: run.ecosystem },
    },
  );
}

type Tools = Pick<CommandContext, "git" | "jobs">;

/** What may stand for a commit: names and what leads on from them, and nothing that git would search for. */
const REF = /^(?!-)(?!.*\.\.)(?!.*\{\/)[\w@{}~^./+-]{1,250}$/;

/** Commits of HEAD that a place does not have; null where there is no such place. At most one git process. */
async function beyond(
  { git }: Tools,
  { repo, directory, git: status }: RepoSnapshot,
  ref: string,
): Promise<number | null> {
  const { history, refs } = git.at(directory, repo.name);
  if (ref !== "") return await history.countBetween(ref, "HEAD");
  const base = await refs.base(repo.branch);
  // The status knows it already where the base branch is what HEAD follows.
  if (status?.upstream === base.name && status.ahead !== null) return status.ahead;
  return await history.countBetween(base.ref, "HEAD") ??
    await history.countBetween(`refs/heads/${repo.branch}`, "HEAD");
}

/**
 * The repositories that have uncommitted changes, or commits of HEAD that are new. They are new where a place
 * lacks them: the base branch at the remote, as last fetched, or what `ref` names. Where there is no such place
 * everything is new.
 *
 * Costs at most two git processes for each that is clean. Throws `invalid_arguments` for what none of them
 * knows.
 */
async function changedSince(
  ctx: Tools,
  snapshots: readonly RepoSnapshot[],
  ref: string,
): Promise<ReadonlySet<string>> {
  const refuse = (problem: string) =>
    new AmofError(
      "invalid_arguments",
      `Cannot select what changed since "${cleanLine(ref, 60)}": ${problem}`,
      {
        hint: "Name a branch, tag or commit, such as changed=origin/main",
        details: { field: "only" },
      },
    );
  if (ref !== "" && !REF.test(ref)) throw refuse("that names no commit");
  const readable = snapshots.filter(({ git }) => git !== null);
  const found = await inPool(ctx.jobs, readable, async (snapshot) => {
    const dirty = (snapshot.git?.changes.length ?? 0) > 0;
    // A place that is given must be known somewhere, so it is looked for also where the answer is clear.
    if (snapshot.git?.head === null || (dirty && ref === "")) return { dirty, commits: 0 };
    return { dirty, commits: await beyond(ctx, snapshot, ref) };
  });
  if (ref !== "" && readable.length > 0 && found.every(({ commits }) => commits === null)) {
    throw refuse("no repository knows it");
  }
  const isChanged = ({ dirty, commits }: typeof found[number]) => dirty || commits !== 0;
  return new Set(
    readable.filter((_, index) => {
      const one = found[index];
      return one !== undefined && isChanged(one);
    }).map(({ repo }) => repo.name),
  );
}

/** What selecting works with. */
export type SelectTools = Pick<
  CommandContext,
  | "system"
  | "git"
  | "door"
  | "jobs"
  | "report"
  | "root"
  | "ecosystem"
  | "ticket"
  | "store"
  | "runs"
>;

/** What is said of a repository by one word. */
interface StateKind {
  /** Whether a value belongs behind it. */
  readonly value: "none" | "may" | "must";
  /** How it is written in lists. */
  readonly written: string;
  /** What it says. */
  readonly help: string;
  /** Whether it can be told without looking at the repository. */
  readonly unseen?: true;
  /** Tells it of a repository; `found` are the names that `find` answered. */
  readonly holds: (
    snapshot: RepoSnapshot,
    value: string,
    found: ReadonlySet<string> | undefined,
  ) => boolean;
  /** Finds out what cannot be told of each repository by itself. */
  readonly find?: (
    ctx: SelectTools,
    looked: readonly RepoSnapshot[],
    value: string,
    action: string | undefined,
  ) => Promise<ReadonlySet<string>>;
}

const behind = ({ git }: RepoSnapshot) => (git?.behind ?? 0) > 0;
const dirty = ({ git }: RepoSnapshot) => (git?.changes.length ?? 0) > 0;

function plain(
  written: string,
  help: string,
  holds: (snapshot: RepoSnapshot) => boolean,
): StateKind {
  return { value: "none", written, help, holds };
}

const isFound: StateKind["holds"] = ({ repo }, _value, found) => found?.has(repo.name) === true;

/** The words by their names. */
const STATES: Readonly<Record<string, StateKind>> = {
  dirty: plain("dirty", "with uncommitted changes", dirty),
  ahead: plain("ahead", "with commits that no remote has", ({ unpushed }) => unpushed > 0),
  behind: plain("behind", "whose upstream has more commits", behind),
  diverged: plain(
    "diverged",
    "that are ahead and behind",
    (snapshot) => snapshot.unpushed > 0 && behind(snapshot),
  ),
  merged: plain("merged", "whose work is in the base branch", ({ merged }) => merged !== null),
  missing: plain("missing", "that are not cloned", ({ missing }) => missing),
  readonly: {
    ...plain("readonly", "that are read-only", ({ repo }) => repo.readonly),
    unseen: true,
  },
  work: plain("work", "dirty, ahead, or on another branch than the base", (snapshot) => {
    const branch = snapshot.git?.branch ?? null;
    return dirty(snapshot) || snapshot.unpushed > 0 || snapshot.inProgress !== null ||
      (branch !== null && branch !== snapshot.repo.branch);
  }),
  failed: {
    value: "may",
    written: "failed[=RUN]",
    help: "left behind by the newest run of the same command, or by RUN",
    unseen: true,
    holds: isFound,
    find: (ctx, _looked, value, action) => failedIn(ctx, action, value),
  },
  changed: {
    value: "may",
    written: "changed[=REF]",
    help: "that differ from their base branch, or from REF",
    holds: isFound,
    find: (ctx, looked, value) => changedSince(ctx, looked, value),
  },
  on: {
    value: "must",
    written: "on:BRANCH",
    help: "on that branch; * and ? stand for others",
    holds: ({ git }, value) => git !== null && git.branch !== null && fits(value, git.branch),
  },
};

/** What `only` may say: how it is written, and what it keeps. */
export const STATE_WORDS: readonly (readonly [string, string])[] = Object.values(STATES)
  .map(({ written, help }) => [written, help]);

/** A word that says how a repository stands. */
interface StateWord extends Word {
  readonly standing: StateKind;
  readonly value: string;
}

/** Reads a word; throws `invalid_arguments` for one that means nothing. */
function toState(word: Word, name: string): StateWord {
  const [, key = "", value = ""] = /^([^=:]*)(?:[=:](.*))?$/s.exec(word.text) ?? [];
  const standing = Object.hasOwn(STATES, key) ? STATES[key] : undefined;
  const refuse = (problem: string): AmofError =>
    new AmofError(
      "invalid_arguments",
      `Cannot use "${cleanLine(word.text, 60)}" in ${name}${problem}`,
      {
        hint: `Use ${list(STATE_WORDS.map(([written]) => written), "or")}`,
        details: { field: name },
      },
    );
  if (standing === undefined) {
    const near = didYouMean(key, Object.keys(STATES));
    throw refuse(near === null ? "" : `; did you mean "${near}"?`);
  }
  if (standing.value === "must" && value === "") throw refuse(`: write ${standing.written}`);
  if (standing.value === "none" && value !== "") throw refuse(`: "${key}" takes no value`);
  return { ...word, standing, value };
}

/** What selects by how repositories stand. */
interface Look {
  readonly repos: readonly Repo[];
  readonly only: readonly Word[];
  readonly workspace: string | null;
  readonly state: WorkspaceState | null;
  /** What the runs of the command are called. */
  readonly action?: string;
  readonly options: InspectOptions;
}

/**
 * Tells which snapshots the words of `only` let through; `found` has the names behind those words, as they are written,
 * that need more than a look. Throws `invalid_arguments` for a word that means nothing.
 */
export function byState(
  door: Door,
  words: readonly Word[],
  found: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): (snapshot: RepoSnapshot) => boolean {
  const known = words.map((word) => toState(word, field(door, "only")));
  return (snapshot) =>
    through(
      known,
      ({ standing, value, text }) => standing.holds(snapshot, value, found.get(text)),
    );
}

/**
 * Keeps the repositories that stand as `only` says, with how they stand: null where no word needed a look. Looks at each
 * of them once.
 */
export async function keepInState(
  ctx: SelectTools,
  { repos, only, workspace, state, action, options }: Look,
): Promise<{ repos: readonly Repo[]; snapshots: readonly RepoSnapshot[] | null }> {
  const words = only.map((word) => toState(word, field(ctx.door, "only")));
  const looks = workspace !== null && words.some(({ standing }) => standing.unseen !== true);
  const seen = looks
    ? await inspectRepos(ctx, { workspace, repos, state }, options)
    : repos.map((repo) => missingSnapshot(repo, state));
  const found = new Map<string, ReadonlySet<string>>();
  for (const { standing, text, value } of words) {
    const names = await standing.find?.(ctx, seen, value, action);
    if (names !== undefined) found.set(text, names);
  }
  const kept = seen.filter(byState(ctx.door, only, found));
  return { repos: kept.map(({ repo }) => repo), snapshots: looks ? kept : null };
}
