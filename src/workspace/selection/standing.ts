/**
 * The words that select repositories by how they stand (SELECT-4).
 *
 * @module
 */

import { AmofError } from "../../error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../text/sanitize.ts";
import { fits } from "../../text/wildcard.ts";
import { didYouMean, list } from "../../text/words.ts";
import {
  type InspectOptions,
  inspectRepos,
  missingSnapshot,
  type RepoSnapshot,
} from "../inspect.ts";
import type { Repo } from "../manifest/manifest.ts";
import type { WorkspaceState } from "../state.ts";
import { type Door, field, through, type Word } from "./words.ts";

/** What selecting works with. */
export type SelectTools = Pick<CommandContext, "system" | "git" | "door" | "jobs" | "report">;

/** Whether a word asks for a value behind it. */
type Value = "none" | "may" | "must";

/** What is said of a repository by one word. */
interface Standing {
  readonly value: Value;
  /** How it is written in lists. */
  readonly written: string;
  readonly holds: (snapshot: RepoSnapshot, value: string) => boolean;
}

const behind = ({ git }: RepoSnapshot) => (git?.behind ?? 0) > 0;
const dirty = ({ git }: RepoSnapshot) => (git?.changes.length ?? 0) > 0;

function plain(written: string, holds: (snapshot: RepoSnapshot) => boolean): Standing {
  return { value: "none", written, holds };
}

/** The words by their names. */
const STANDINGS: Readonly<Record<string, Standing>> = {
  dirty: plain("dirty", dirty),
  ahead: plain("ahead", ({ unpushed }) => unpushed > 0),
  behind: plain("behind", behind),
  diverged: plain("diverged", (snapshot) => snapshot.unpushed > 0 && behind(snapshot)),
  missing: plain("missing", ({ missing }) => missing),
  readonly: plain("readonly", ({ repo }) => repo.readonly),
  work: plain("work", (snapshot) => {
    const branch = snapshot.git?.branch ?? null;
    return dirty(snapshot) || snapshot.unpushed > 0 || snapshot.inProgress !== null ||
      (branch !== null && branch !== snapshot.repo.branch);
  }),
  on: {
    value: "must",
    written: "on:BRANCH",
    holds: ({ git }, value) => fits(value, git?.branch ?? "") && git !== null,
  },
};

/** What `only` may say, as it is written. */
const ONLY_WORDS: readonly string[] = Object.values(STANDINGS).map(({ written }) => written);

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
        hint: `Use ${list(ONLY_WORDS, "or")}`,
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

/** Tells which snapshots the words of `only` let through. Throws `invalid_arguments` for a word that means nothing. */
export function byStanding(
  door: Door,
  words: readonly Word[],
): (snapshot: RepoSnapshot) => boolean {
  const known = words.map((word) => toStanding(word, field(door, "only")));
  return (snapshot) => through(known, ({ standing, value }) => standing.holds(snapshot, value));
}

/** Keeps the repositories that stand as `only` says, with how they stand. Looks at each of them once. */
export async function keepStanding(
  ctx: SelectTools,
  { repos, only, workspace, state, options }: {
    readonly repos: readonly Repo[];
    readonly only: readonly Word[];
    readonly workspace: string | null;
    readonly state: WorkspaceState | null;
    readonly options: InspectOptions;
  },
): Promise<{ repos: Repo[]; snapshots: RepoSnapshot[] }> {
  const keeps = byStanding(ctx.door, only);
  const looked = workspace === null
    ? repos.map((repo) => missingSnapshot(repo, state))
    : await inspectRepos(ctx, { workspace, repos, state }, options);
  const snapshots = looked.filter(keeps);
  return { repos: snapshots.map(({ repo }) => repo), snapshots };
}
