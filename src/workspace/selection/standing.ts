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
} from "../clones/inspect.ts";
import type { Repo } from "../manifest/manifest.ts";
import type { WorkspaceState } from "../state.ts";
import { changedSince } from "./changed.ts";
import { failedIn } from "./failed.ts";
import type { Door } from "../../base/policy/door.ts";
import { field, through, type Word } from "./words.ts";

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
  | "findRun"
>;

/** What is said of a repository by one word. */
interface Standing {
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
): Standing {
  return { value: "none", written, help, holds };
}

const isFound: Standing["holds"] = ({ repo }, _value, found) => found?.has(repo.name) === true;

/** The words by their names. */
const STANDINGS: Readonly<Record<string, Standing>> = {
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
export const STANDING_WORDS: readonly (readonly [string, string])[] = Object.values(STANDINGS)
  .map(({ written, help }) => [written, help]);

/** A word that says how a repository stands. */
interface StandingWord extends Word {
  readonly standing: Standing;
  readonly value: string;
}

/** Reads a word; throws `invalid_arguments` for one that means nothing. */
function toStanding(word: Word, name: string): StandingWord {
  const [, key = "", value = ""] = /^([^=:]*)(?:[=:](.*))?$/s.exec(word.text) ?? [];
  const standing = Object.hasOwn(STANDINGS, key) ? STANDINGS[key] : undefined;
  const refuse = (problem: string): AmofError =>
    new AmofError(
      "invalid_arguments",
      `Cannot use "${cleanLine(word.text, 60)}" in ${name}${problem}`,
      {
        hint: `Use ${list(STANDING_WORDS.map(([written]) => written), "or")}`,
        details: { field: name },
      },
    );
  if (standing === undefined) {
    const near = didYouMean(key, Object.keys(STANDINGS));
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
export function byStanding(
  door: Door,
  words: readonly Word[],
  found: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): (snapshot: RepoSnapshot) => boolean {
  const known = words.map((word) => toStanding(word, field(door, "only")));
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
export async function keepStanding(
  ctx: SelectTools,
  { repos, only, workspace, state, action, options }: Look,
): Promise<{ repos: readonly Repo[]; snapshots: readonly RepoSnapshot[] | null }> {
  const words = only.map((word) => toStanding(word, field(ctx.door, "only")));
  const looks = workspace !== null && words.some(({ standing }) => standing.unseen !== true);
  const seen = looks
    ? await inspectRepos(ctx, { workspace, repos, state }, options)
    : repos.map((repo) => missingSnapshot(repo, state));
  const found = new Map<string, ReadonlySet<string>>();
  for (const { standing, text, value } of words) {
    const names = await standing.find?.(ctx, seen, value, action);
    if (names !== undefined) found.set(text, names);
  }
  const kept = seen.filter(byStanding(ctx.door, only, found));
  return { repos: kept.map(({ repo }) => repo), snapshots: looks ? kept : null };
}
