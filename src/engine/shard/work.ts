/**
 * Works on one item of a plan: fetches the repository into a fresh directory, looks at it again, and runs the program
 * (SHARD-2).
 *
 * @module
 */

import { join } from "@std/path";
import { AmofError } from "../../error.ts";
import { Git } from "../../git/mod.ts";
import { defined } from "../../object.ts";
import type { ProcessResult, System } from "../../system/mod.ts";
import { maskSecrets } from "../../text/mask.ts";
import { stripUnsafe } from "../../text/sanitize.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import type { Budgets } from "./budget.ts";
import type { ItemEnd } from "./line.ts";

/** How long a program may take to obey, in milliseconds. */
const GRACE_MS = 5_000;
const TAIL_LINES = 10;
const TAIL_LENGTH = 300;
/** How many lines of one repository are told. */
const MOST_LINES = 1_000;

/** What the work on an item needs besides the item. */
export interface Work {
  readonly system: System;
  readonly plan: Plan;
  readonly budgets: Budgets;
  /** Where clones of this start of the shard lie, absolute. */
  readonly scratch: string;
  /** NAME and value by which everything that is started is found again. */
  readonly mark: readonly [string, string];
  /** Ends it early; its reason tells whether the time is over. */
  readonly signal: AbortSignal;
  readonly log: (stream: "stdout" | "stderr", text: string) => void;
}

/** An item with its number in the plan. */
export interface Numbered {
  readonly at: number;
  readonly item: PlanItem;
}

/** The reason with which work is ended whose time is over. */
export const TIME_IS_OVER = "the time of the shard is over";

type Ending = Omit<ItemEnd, "i" | "repo" | "seconds">;

const NOTHING = { exit_code: null, signal: null, why: null, commit: null, tail: [] } as const;

/** Works on an item. Answers how it ended, whatever happened. */
export async function workOn(work: Work, { at, item }: Numbered): Promise<ItemEnd> {
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

async function endingOf(work: Work, item: PlanItem, directory: string): Promise<Ending> {
  let commit: string | null;
  try {
    commit = await fetched(work, item, directory);
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return { ...NOTHING, ...ended(work, "unreachable"), why: maskSecrets(error.message) };
  }
  if (item.commit !== null && commit !== item.commit) {
    return {
      ...NOTHING,
      state: "refused",
      commit,
      why: `${item.branch} is not at the commit that was agreed to any more`,
    };
  }
  return { ...await runIn(work, item, directory), commit };
}

/** What stands for `otherwise` where the work was ended from outside. */
function ended({ signal }: Work, otherwise: "unreachable"): Pick<ItemEnd, "state"> {
  if (!signal.aborted) return { state: otherwise };
  return { state: signal.reason === TIME_IS_OVER ? "timed_out" : "cancelled" };
}

/** Clones the newest commit of an item's branch; answers that commit, null where the branch has none. */
async function fetched(
  { system, budgets, scratch, signal }: Work,
  { repo, url, branch }: PlanItem,
  directory: string,
): Promise<string | null> {
  const git = new Git(system, signal);
  await budgets.turn(
    url,
    () =>
      git.at(scratch, repo).clones.make({
        url,
        directory,
        branch,
        history: { depth: 1, alone: true },
      }),
  );
  return await git.at(directory, repo).refs.resolve("HEAD");
}

async function runIn(work: Work, item: PlanItem, directory: string): Promise<Ending> {
  const { system, plan, signal, mark: [name, mark] } = work;
  const { action } = plan;
  const [command = "", ...args] = action.argv;
  const tail: string[] = [];
  let told = 0;
  const result = await system.processes.run({
    command,
    args,
    cwd: directory,
    clearEnv: true,
    env: { ...environment(work, item, directory), [name]: mark },
    ownGroup: true,
    graceMs: GRACE_MS,
    ...(action.timeLimit === null ? {} : { timeoutMs: action.timeLimit * 1_000 }),
    signal,
    maxOutputBytes: 1,
    onLine(stream, line) {
      const clean = maskSecrets(stripUnsafe(line.slice(0, 8_000)));
      if (told++ < MOST_LINES) work.log(stream, clean);
      else if (told === MOST_LINES + 2) {
        work.log("stderr", `${MOST_LINES} lines are kept of each repository`);
      }
      if (line.trim() === "") return;
      tail.push(clean.slice(0, TAIL_LENGTH));
      if (tail.length > TAIL_LINES) tail.shift();
    },
  });
  await system.processes.endMarked(`${name}=${mark}`);
  return { ...stateOf(work, result), signal: result.signal, commit: null, tail };
}

function stateOf(
  { signal }: Work,
  { cancelled, timedOut, startError, exitCode, signal: by }: ProcessResult,
): Pick<ItemEnd, "state" | "exit_code" | "why"> {
  if (startError !== null) {
    const missing = startError === "not_found";
    return {
      state: "failed",
      exit_code: missing ? 127 : 126,
      why: missing
        ? "the program is not installed there"
        : "the program could not be started there",
    };
  }
  const exit_code = by === null ? exitCode : null;
  if (timedOut) return { state: "timed_out", exit_code, why: null };
  if (!cancelled) return { state: exitCode === 0 ? "ok" : "failed", exit_code, why: null };
  return signal.reason === TIME_IS_OVER
    ? { state: "timed_out", exit_code, why: TIME_IS_OVER }
    : { state: "cancelled", exit_code, why: null };
}

function environment(
  { system, plan }: Work,
  { repo, branch }: PlanItem,
  directory: string,
): Readonly<Record<string, string>> {
  const { variables, told } = plan.action;
  const own = Object.fromEntries(variables.map((name) => [name, system.env.get(name)]));
  return {
    ...defined(own),
    ...told,
    AMOF_BASE_BRANCH: branch,
    AMOF_BRANCH: branch,
    AMOF_ECOSYSTEM: plan.ecosystem,
    AMOF_REPO: repo,
    AMOF_REPO_PATH: directory,
    PWD: directory,
  };
}
