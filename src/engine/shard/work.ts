/**
 * Works on one item of a plan: fetches the repository into a fresh directory, looks at it again, and does there what
 * the kind of the plan's action says (SHARD-2).
 */

import { join } from "@std/path";
import { Buffer } from "node:buffer";
import { AmofError } from "../../base/error.ts";
import { Git, overheard } from "../../git/mod.ts";
import { Bundles, Clones } from "../../git/write/mod.ts";
import { sha } from "../../base/ids.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import type { CommitAction, PlanItem, ProgramAction } from "../plan/plan.ts";
import { type Ending, type ItemContext, type Numbered, TIME_IS_OVER } from "./item.ts";
import { heard, isTooOften } from "./budget.ts";
import type { ItemEnd, ShardChange } from "./line.ts";
import type { ProcessResult, System } from "../../base/system/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { sizeText } from "../../base/text/words.ts";
import { defined } from "../../base/object.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";

// Runs a program in the clone of an item, and throws away what it changed: the action `exec` (SHARD-2).

/** How long a program may take to obey, in milliseconds. */
const GRACE_MS = 5_000;

const TAIL_LINES = 10;

const TAIL_LENGTH = 300;

/** How many lines of one repository are told. */
const MOST_LINES = 1_000;

/** What a program prints: so much of it is told, and its last lines are kept. */
export class Output {
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

/** An item whose clone is there. */
interface Cloned {
  readonly item: PlanItem;
  /** The clone, absolute. */
  readonly directory: string;
  /** The commit it stands at; null where the branch has none. */
  readonly commit: string | null;
}

/** Runs the program of an action; answers how it ended. */
async function runProgram(
  work: ItemContext,
  action: ProgramAction,
  cloned: Cloned,
): Promise<Ending> {
  const { system, signal, mark, marks } = work;
  const [command = "", ...args] = action.argv;
  const told = new Output(work);
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

// Runs a program in the clone of an item, makes one commit of what it changed, and sends it home in pieces: the action
// `commit` (SHARD-7).

/** Bytes of a piece: with what stands around it, its line is shorter than any may be. */
const PIECE = 2_400;

/** Runs the program and makes the commit; answers how both ended. */
async function commitChanges(
  work: ItemContext,
  action: CommitAction,
  cloned: Cloned,
): Promise<Ending> {
  const ending = await runProgram(work, action, cloned);
  if (ending.state !== "ok") return ending;
  try {
    return { ...ending, change: await changeOf(work, action, cloned) };
  } catch (error) {
    // The program can leave a clone behind in which git cannot work any more.
    if (!(error instanceof AmofError)) throw error;
    return { ...ending, state: "failed", why: maskSecrets(error.message) };
  }
}

async function changeOf(
  { system, signal, scratch, judge, send }: ItemContext,
  { author, message, no_touch: noTouch, most_bytes: most }: CommitAction,
  { item, directory, commit: head }: Cloned,
): Promise<ShardChange> {
  if (head === null) return { made: "nothing" };
  const bundles = new Git(system, signal).at(directory, item.repo).part(Bundles);
  const parent = sha(head);
  const index = `${scratch}/${system.ids.hex(8)}.index`;
  const staged = await bundles.stage(parent, index).finally(() => system.files.remove(index));
  if (staged.changes.length === 0) return { made: "nothing" };
  const held = await judge(staged.changes, noTouch);
  if (held !== null) return { made: "held_back", why: held };
  const commit = await bundles.commit(staged.tree, { parent, author, message });
  const pack = await bundles.pack(staged, { commit, parent, most });
  if (pack === null) {
    return { made: "too_large", why: `its changes have more than ${sizeText(most)}` };
  }
  return { made: "commit", commit, sha256: sendHome(pack, send), bytes: pack.length };
}

/** Sends bytes home in pieces; answers the hash of the whole. */
export function sendHome(bytes: Uint8Array, send: ItemContext["send"]): string {
  const hash = sha256(bytes);
  const of = Math.ceil(bytes.length / PIECE);
  for (let n = 0; n < of; n++) {
    const data = Buffer.from(bytes.subarray(n * PIECE, (n + 1) * PIECE)).toString("base64");
    send({ sha256: hash, n, of, data });
  }
  return hash;
}

/** What stands in the directory of a node's mirrors, for whoever finds it. */
const README = `# Mirrors of remotes, made by amof

Shards of amof that run on this node clone from here. It is a cache: while no shard runs, everything
here may be removed, and is made again when it is needed.
`;

interface MirroredClone {
  readonly system: System;
  /** The directory of the node's mirrors, absolute. */
  readonly mirrors: string;
  /** The directory git is started from, absolute. */
  readonly scratch: string;
  /** The clone, absolute; must not exist yet. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly log: (text: string) => void;
}

/** A mirror's clone could not be made because of the mirror. */
function isDamage(error: unknown): error is AmofError {
  return error instanceof AmofError && error.code === "git_failed";
}

/**
 * Makes a clone that borrows from the mirror of its address. The mirror is made or brought up to date first; a
 * damaged one is made anew (ENGINE-12). False where there can be no mirror: the clone then has to be made
 * without one.
 */
async function cloneFromMirror(
  making: MirroredClone,
  { repo, url, branch, clone = "full" }: PlanItem,
): Promise<boolean> {
  const { system, mirrors, scratch, directory, signal, log } = making;
  // Loaded where it is needed: most shards have no mirrors.
  const { atMirror, freshMirror } = await import("../../workspace/mirrors/mod.ts");
  const git = new Git(system, signal);
  const tools = {
    system,
    git,
    layout: { config: mirrors, data: mirrors, cache: mirrors, state: mirrors, database: "" },
    report: {
      log: (level: string, text: string) => level === "warn" ? log(text) : undefined,
      progress: () => {},
    },
    signal,
    // There is no database there, and no clone outlives its shard.
    store: () => Promise.resolve({ borrowers: { of: () => [] } }),
    readme: README,
  };
  const mirrored = { name: repo, url, branch, clone };
  for (let isFirst = true;; isFirst = false) {
    const mirror = await freshMirror(tools, mirrored, { fresh: 0, repair: true });
    if (mirror === null) return false;
    const { directory: place } = mirror;
    try {
      await git.at(scratch, repo).part(Clones).borrow({
        mirror: place,
        directory,
        url,
        base: null,
        branch,
        blobless: clone === "blobless",
        start: null,
        track: true,
      });
      return true;
    } catch (error) {
      // A branch that the remote has not is no damage.
      const has = await git.bare(place, repo).refs.resolve(`refs/heads/${branch}`);
      if (!isFirst || !isDamage(error) || has === null) throw error;
      log(`${repo}: its mirror on this node is damaged and made anew`);
      await system.files.removeTree(directory);
      await atMirror(tools, { place, name: repo }, () => system.files.removeTree(place));
    }
  }
}

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
        await new Git(heardBy, signal).at(scratch, repo).part(Clones).make({
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
