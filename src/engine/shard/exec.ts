/** Runs a program in the clone of an item, and throws away what it changed: the action `exec` (SHARD-2). */

import { defined } from "../../base/object.ts";
import type { ProcessResult } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import type { ProgramAction } from "../plan/plan.ts";
import { type Cloned, type Ending, type ItemContext, TIME_IS_OVER } from "./item.ts";
import type { ItemEnd } from "./line.ts";

/** How long a program may take to obey, in milliseconds. */
const GRACE_MS = 5_000;
const TAIL_LINES = 10;
const TAIL_LENGTH = 300;
/** How many lines of one repository are told. */
const MOST_LINES = 1_000;

/** What a program prints: so much of it is told, and its last lines are kept. */
export class Told {
  /** The last lines, masked. */
  readonly tail: string[] = [];
  readonly #work: Pick<ItemContext, "log">;
  #lines = 0;

  constructor(work: Pick<ItemContext, "log">) {
    this.#work = work;
  }

  /** Takes a line. */
  line(stream: "stdout" | "stderr", line: string): void {
    const clean = maskSecrets(stripUnsafe(line.slice(0, 8_000)));
    if (this.#lines++ < MOST_LINES) this.#work.log(stream, clean);
    else if (this.#lines === MOST_LINES + 2) {
      this.#work.log("stderr", `${MOST_LINES} lines are kept of each repository`);
    }
    if (line.trim() === "") return;
    this.tail.push(clean.slice(0, TAIL_LENGTH));
    if (this.tail.length > TAIL_LINES) this.tail.shift();
  }
}

/** Runs the program of an action; answers how it ended. */
export async function runProgram(
  work: ItemContext,
  action: ProgramAction,
  cloned: Cloned,
): Promise<Ending> {
  const { system, signal, mark, marks } = work;
  const [command = "", ...args] = action.argv;
  const told = new Told(work);
  const result = await system.processes.run({
    command,
    args,
    cwd: cloned.directory,
    clearEnv: true,
    env: { ...environment(work, action, cloned), ...marks },
    ownGroup: true,
    graceMs: GRACE_MS,
    ...(action.timeLimit === null ? {} : { timeoutMs: action.timeLimit * 1_000 }),
    signal,
    maxOutputBytes: 1,
    onLine: (stream, line) => told.line(stream, line),
  });
  await system.processes.endMarked(mark);
  return { ...stateOf(work, result), signal: result.signal, commit: null, tail: told.tail };
}

/** How a program ended. */
export function stateOf(
  { signal }: Pick<ItemContext, "signal">,
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
  { system, plan }: ItemContext,
  { variables, told }: ProgramAction,
  { item: { repo, branch }, directory }: Cloned,
): Readonly<Record<string, string>> {
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
