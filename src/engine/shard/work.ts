/**
 * Works on one item of a plan: fetches the repository into a fresh directory, looks at it again, and does there what
 * the kind of the plan's action says (SHARD-2).
 *
 * @module
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { Git, overheard } from "../../git/mod.ts";
import { sha } from "../../base/ids.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import type { PlanItem } from "../plan/plan.ts";
import { commitChanges } from "./commit.ts";
import { runProgram } from "./exec.ts";
import { type Cloned, type Ending, type ItemContext, type Numbered, TIME_IS_OVER } from "./item.ts";
import { isTooOften } from "./budget.ts";
import type { ItemEnd } from "./line.ts";
import { cloneFromMirror } from "./mirrored.ts";
import { heard } from "./talk.ts";

/** The end of what was not begun. */
export const NOTHING = {
  exit_code: null,
  signal: null,
  why: null,
  commit: null,
  tail: [],
} as const;

/** Works on an item. Answers how it ended, whatever happened. */
export async function workOn(work: ItemContext, { at, item }: Numbered): Promise<ItemEnd> {
  const { clock, files } = work.system;
  const begun = clock.now();
  const directory = join(work.scratch, String(at));
  try {
    const ending = await endingOf(work, item, directory);
    const seconds = Math.round((clock.now() - begun) / 100) / 10;
    return { i: at, repo: item.repo, seconds, ...ending };
  } finally {
    await files.removeTree(directory);
  }
}

/** Makes the clone of an item; answers the commit it stands at, or how the item ends without one. */
export async function cloned(
  work: ItemContext,
  item: PlanItem,
  directory: string,
): Promise<{ readonly commit: string | null } | { readonly ending: Ending }> {
  try {
    return { commit: await fetched(work, item, directory) };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    const state = isTooOften(error) ? "deferred" : "unreachable";
    return { ending: { ...NOTHING, ...ended(work, state), why: maskSecrets(error.message) } };
  }
}

async function endingOf(work: ItemContext, item: PlanItem, directory: string): Promise<Ending> {
  const made = await cloned(work, item, directory);
  if ("ending" in made) return made.ending;
  const { commit } = made;
  if (item.commit !== null && commit !== item.commit) {
    return {
      ...NOTHING,
      state: "refused",
      commit,
      why: `${item.branch} is not at the commit that was agreed to any more`,
    };
  }
  return { ...await acted(work, { item, directory, commit }), commit };
}

/** Does what the kind of the action says; each kind has a module of its own. */
function acted(work: ItemContext, cloned: Cloned): Promise<Ending> {
  const { action } = work.plan;
  switch (action.kind) {
    case "exec":
      return runProgram(work, action, cloned);
    case "commit":
      return commitChanges(work, action, cloned);
    case "agent":
      throw new TypeError("Cannot work on one repository of a ticket alone");
  }
}

/** What stands for `otherwise` where the work was ended from outside. */
function ended({ signal }: ItemContext, otherwise: ItemEnd["state"]): Pick<ItemEnd, "state"> {
  if (!signal.aborted) return { state: otherwise };
  return { state: signal.reason === TIME_IS_OVER ? "timed_out" : "cancelled" };
}

/** Clones the newest commit of an item's branch; answers that commit, null where the branch has none. */
async function fetched(
  { system, budgets, scratch, mirrors, signal, log }: ItemContext,
  item: PlanItem,
  directory: string,
): Promise<string | null> {
  const { repo, url, branch } = item;
  const talk = `${directory}.talk`;
  const heardBy = overheard(system, talk);
  const fromMirror = async () =>
    mirrors !== null && await cloneFromMirror(
      {
        system: heardBy,
        mirrors,
        scratch,
        directory,
        signal,
        log: (text) => log("stderr", text),
      },
      item,
    );
  try {
    await budgets.once(
      url,
      async () => {
        if (await fromMirror()) return;
        await new Git(heardBy, signal).at(scratch, repo).clones.make({
          url,
          directory,
          branch,
          history: { depth: 1, alone: true },
        });
      },
      () => heard(system, talk),
    );
  } finally {
    await system.files.remove(talk);
  }
  const repository = new Git(system, signal).at(directory, repo);
  const { place, commit } = item;
  if (place !== undefined && commit !== null) {
    const base = sha(commit);
    // No branch may have it as its last commit any more.
    if (await repository.refs.resolve(base) === null) {
      await repository.remotes.fetchCommit(base, { alone: true });
    }
    await repository.branches.putAt(place.branch, base, null);
  }
  return await repository.refs.resolve("HEAD");
}
