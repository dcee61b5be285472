/**
 * Breaks a command at every change it makes, one after another, and checks that repair always ends in before or in
 * after.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join, resolve } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { pick, rows, until } from "../support/answers.ts";
import { bundle } from "../support/bundle.ts";
import { newDirectory } from "../support/place.ts";
import { stride, third, THOROUGHLY } from "../support/sample.ts";
import { World } from "../support/world.ts";

const SOURCE = fromFileUrl(new URL("../support/fault_main.ts", import.meta.url));
/** More changes than any command makes; reaching it means that the loop does not end. */
const MOST = 120;

/** How the chosen change goes wrong: the process is killed around it, or there is no room for it. */
export type Phase = "before" | "after" | "full";

/** A kill: around a change, or while a program works that makes it and goes on alone. */
export type Kill = "before" | "within" | "after";

/** A command that is broken. */
export interface Case {
  readonly args: readonly string[];
  /** The process that makes the changes. */
  readonly where: "worker" | "inline";
  /** Makes the world in which the command does all it can do. */
  readonly prepare: () => Promise<World>;
  /** Whether everything the command is for has happened, and nothing is left over. */
  readonly isDone: (world: World) => Promise<boolean>;
  /** Brings the world back to where it was, from where the command is done. */
  readonly reset: (world: World) => Promise<unknown>;
  /** At least so many changes it makes; fewer means that the test looks at something else. */
  readonly changes: number;
  /** The same where it was done and taken back before, which leaves what it then need not make; as `changes` when absent. */
  readonly again?: number;
  /** Whether remote-tracking branches are left out of account: the command pushes, which cannot be taken back. */
  readonly pushes?: boolean;
  /** What else must be as it was before, or be part of what is done. */
  readonly look?: (world: World) => Promise<unknown>;
  /** Only every so manieth change is broken, also where every fault is wanted; 1 when absent. */
  readonly every?: number;
}

/** The names in a directory; none when there is no such directory. */
export async function names(directory: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const entry of Deno.readDir(directory)) found.push(entry.name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found.sort();
}

/** Where git keeps what belongs to a repository; a linked working copy names it in a file. */
async function gitDirectory(directory: string): Promise<string> {
  const entry = join(directory, ".git");
  if ((await Deno.stat(entry)).isDirectory) return entry;
  return (await Deno.readTextFile(entry)).replace(/^gitdir: /, "").trim();
}

/** What may be lost: refs, heads, changes and stashes of all repositories, and the state without its times. */
async function snapshot(world: World, { pushes, look: more }: Case): Promise<string> {
  const patterns = pushes ? ["refs/heads", "refs/stash", "refs/tags"] : [];
  const look = async (directory: string) => {
    if (!await world.exists(join(directory, ".git"))) return null;
    const own = await gitDirectory(directory);
    const read = (...path: string[]) => Deno.readTextFile(join(own, ...path)).catch(() => "");
    return {
      refs: (await world.git(
        directory,
        "for-each-ref",
        // What is put away once more has another commit, which says when, and the same files.
        "--format=%(refname) %(if:equals=refs/stash)%(refname)%(then)%(tree)%(else)%(objectname)%(end)",
        ...patterns,
        // What is kept for undo is called by the run.
      )).replaceAll(/^refs\/amof\/keep\/.*\n?/gm, ""),
      head: await read("HEAD"),
      status: await world.git(directory, "status", "--porcelain", "--ignored=no"),
      // The messages alone: the commits carry their times.
      stashes: (await read("logs", "refs", "stash")).replace(/^.*\t/gm, ""),
    };
  };
  const worktrees = await world.git(world.control, "worktree", "list", "--porcelain");
  const state = await Deno.readTextFile(world.stateFile()).catch(() => "");
  return JSON.stringify(
    {
      control: await look(world.control),
      worktrees: worktrees.replace(/^HEAD .*$/gm, ""),
      entries: await names(join(world.control, "worktrees")),
      clones: await names(join(world.workspace(), "repos")),
      api: await look(world.clone("api")),
      web: await look(world.clone("web")),
      more: await more?.(world),
      state: state.replace(/"(?:last_modified|created_at)": "[^"]*"/g, ""),
    },
    null,
    1,
  );
}

/** The program that breaks itself: the bundle that `AMOF_FAULTY` names, or one made for this file. */
async function faultyProgram(): Promise<string> {
  const made = Deno.env.get("AMOF_FAULTY");
  if (made) return resolve(made);
  const directory = newDirectory();
  await bundle(SOURCE, directory);
  return join(directory, "fault_main.js");
}

let program: Promise<string> | undefined;

/** Not to look for configuration makes each start faster. */
const RUN = ["run", "--quiet", "--allow-all", "--no-config", "--no-lock"];

/** Lets the command make its changes up to the `at`th, and that one go wrong; resolves when no run is active. */
export async function faulted(
  world: World,
  test: Pick<Case, "args" | "where">,
  at: number,
  phase: Phase | Kill,
): Promise<void> {
  await start(world, test, { FAULT_AT: String(at), FAULT_PHASE: phase });
}

/** Kills a command at the first change by a program, or to a file, whose words or path hold these. */
export async function killedOn(
  world: World,
  args: readonly string[],
  { words, phase, where = "inline" }: {
    readonly words: string;
    readonly phase: Kill;
    /** The process that is killed. */
    readonly where?: Case["where"];
  },
): Promise<void> {
  const env = { FAULT_AT: "1", FAULT_PHASE: phase, FAULT_ON: words };
  await start(world, { args, where }, env);
}

/** Lets the command make all its changes; answers how many. */
export async function changesOf(
  world: World,
  test: Pick<Case, "args" | "where">,
): Promise<number> {
  const tally = join(world.directory, "tally");
  await start(world, test, { FAULT_AT: "0", FAULT_TALLY: tally });
  const changes = Number(await Deno.readTextFile(tally));
  await Deno.remove(tally);
  return changes;
}

async function start(
  world: World,
  { args, where }: Pick<Case, "args" | "where">,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  program ??= faultyProgram();
  const background = where === "worker" ? ["--background"] : [];
  await world.command(
    Deno.execPath(),
    [...RUN, await program, ...args, ...background],
    { env: { ...env, FAULT_IN: where } },
  );
  if (where === "worker") await until("no run is active", () => hasEnded(world));
}

/** Where the records of a world are. */
function storeOf(world: World): string {
  return join(world.env["AMOF_HOME"] ?? "", "state", "amof.db");
}

/** Whether any command has kept a record. */
function hasStore(world: World): Promise<boolean> {
  return world.exists(storeOf(world));
}

/** The newest run, out of the database itself: asking the program each time would take too long. */
function lastRun(
  world: World,
): { readonly id: unknown; readonly status: unknown; readonly pid: number | null } {
  // Whoever opens it first after a kill holds it for a moment.
  using database = new DatabaseSync(storeOf(world), { timeout: 10_000 });
  const newest =
    "SELECT run_id, status, pid FROM runs ORDER BY created_at DESC, rowid DESC LIMIT 1";
  const row = database.prepare(newest).get();
  const pid = row?.["pid"];
  return {
    id: row?.["run_id"],
    status: row?.["status"],
    pid: typeof pid === "number" ? pid : null,
  };
}

/** Whether the worker of the newest run is gone, which has things to do after its run; without one, whether that is over. */
async function hasEnded(world: World): Promise<boolean> {
  const { status, pid } = lastRun(world);
  return pid === null ? status !== "queued" && status !== "running" : !await isAlive(pid);
}

/** Whether a process exists that is not merely waiting to be collected. */
async function isAlive(pid: number): Promise<boolean> {
  if (Deno.build.os === "linux") {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => null);
    return stat !== null && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  }
  const { success, stdout } = await new Deno.Command("ps", {
    args: ["-o", "stat=", "-p", String(pid)],
    stderr: "null",
  }).output();
  return success && !new TextDecoder().decode(stdout).trim().startsWith("Z");
}

/** What was seen. */
export interface Seen {
  /** Times the command was broken. */
  readonly faults: number;
  /** How many of them ended in after instead of before. */
  readonly finished: number;
}

/** What a fault came to. */
type End = "before" | "after" | "through";

/** A case, the world it is in, and that world before anything was broken. */
interface Trial {
  readonly test: Case;
  readonly world: World;
  readonly start: string;
}

async function tryOut(test: Case): Promise<Trial & AsyncDisposable> {
  const world = await test.prepare();
  return {
    test,
    world,
    start: await snapshot(world, test),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

/**
 * Breaks a command at one change. The repair must end in before or, once the work had gone too far for that, in after;
 * from there the world is brought back, unless the command got through to its end.
 */
async function breakAt({ test, world, start }: Trial, at: number, phase: Phase): Promise<End> {
  const former = await hasStore(world) ? lastRun(world).id : undefined;
  await faulted(world, test, at, phase);
  const run = lastRun(world);
  // What it does before its run begins, such as to ask the remotes, may be as far as it came.
  if (run.id !== former && run.status === "success") {
    // The command may succeed in spite of the failure.
    assert(await test.isDone(world), `${phase} ${at}: success, but not all is done`);
    if (phase !== "full" || at > test.changes) return "through";
  }
  const repair = await world.amof(["doctor", "--repair"]);
  const what = `${test.args.join(" ")}, ${phase} change ${at}`;
  assertEquals(repair.code, 0, `${what}: ${repair.stdout}${repair.stderr}`);
  assertEquals(await names(join(world.env["AMOF_HOME"] ?? "", "state", "unfinished")), [], what);
  const now = await snapshot(world, test);
  if (now === start) return "before";
  assert(await test.isDone(world), `${what} ended between before and after: ${now}`);
  await test.reset(world);
  assertEquals(await snapshot(world, test), start, `${what}: the reset`);
  return "after";
}

/** The change that is broken after another: of a sample the last one is never left out, behind which the work is done. */
function nextChange(at: number, { every, changes }: Case): number {
  const next = at + stride(every);
  return !THOROUGHLY && at < changes && next > changes ? changes : next;
}

/** Breaks a command at its first, second, … change until it gets through; a sample leaves changes out. */
export async function breakEverywhere(test: Case, phase: Phase): Promise<Seen> {
  await using trial = await tryOut(test);
  let finished = 0;
  // Each phase of a sample begins at another change, so that together they cover more of them.
  const first = THOROUGHLY ? 1 : { before: 1, after: 2, full: 3 }[phase];
  for (let at = first; at <= MOST; at = nextChange(at, test)) {
    const end = await breakAt(trial, at, phase);
    if (end === "through") return { faults: at - 1, finished };
    if (end === "after") finished++;
  }
  throw new Error(`The command made more than ${MOST} changes`);
}

/** Which change a sample breaks, of at least so many: one near the beginning, in the middle or at the end. */
export function sampledChange(changes: number, phase: Phase): number {
  return { full: Math.min(2, changes), before: Math.ceil(changes / 2), after: changes }[phase];
}

/** Runs a command that must succeed. */
export async function must(world: World, ...args: string[]): Promise<void> {
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
}

/** Whether a ticket, or none, is active and every repository is where it should be. */
export async function stands(world: World, ticket: string | null): Promise<boolean> {
  const status = (await world.amof(["status", "--json"])).json();
  const branch = ticket === null ? "main" : `feature/${ticket}`;
  return pick(status, "workspace", "active_ticket") === ticket &&
    rows(status, "repos").every((repo) => repo["branch"] === branch);
}

/** The ways a command is broken, in words. */
export const PHASES: Readonly<Record<Phase, string>> = {
  before: "is killed before any of its changes",
  after: "is killed after any of its changes",
  full: "finds the disk full at any of its changes",
};

/** Breaks a command at the one change that a sample takes. */
async function breakOnce(test: Case, phase: Phase): Promise<void> {
  await using trial = await tryOut(test);
  const end = await breakAt(trial, sampledChange(test.changes, phase), phase);
  assert(end !== "through", `it made less than ${test.changes} changes`);
}

const EVERY_PHASE = ["before", "after", "full"] as const;

/**
 * Declares the tests of commands by name: each is broken in every way at every change, or, of a sample, in one way at
 * one change, another way than the command before it.
 */
export function declare(cases: Readonly<Record<string, Case>>): void {
  for (const [index, [name, test]] of Object.entries(cases).entries()) {
    const taken = third(EVERY_PHASE, index);
    for (const phase of EVERY_PHASE) {
      Deno.test({
        name: `amof ${name} that ${PHASES[phase]} ends in before or after, and nothing is lost`,
        ignore: Deno.build.os === "windows" || !taken.includes(phase), // kills by signal
        async fn() {
          if (!THOROUGHLY) return await breakOnce(test, phase);
          const { faults } = await breakEverywhere(test, phase);
          assert(faults >= (test.again ?? test.changes), `only ${faults} changes were seen`);
        },
      });
    }
  }
}
