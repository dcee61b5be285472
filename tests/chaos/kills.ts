/**
 * Kills commands inside their git calls and looks at what `doctor --repair` makes of it.
 *
 * @module
 */

import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { isReadOnlyGit } from "../../src/git/mod.ts";
import { pick } from "../support/answers.ts";
import { program, type Ran, type World } from "../support/world.ts";
import { differences, type Inventory, inventory, lost, neither, without } from "./inventory.ts";
import type { Random } from "./random.ts";
import type { Report } from "./report.ts";
import { type Strike, STRIKES, Wrapper } from "./strike.ts";
import { Copy } from "./template.ts";
import type { Victim } from "./victim.ts";

/** A trial: which call is struck, and how. */
interface Trial {
  readonly at: number;
  readonly strike: Strike;
  readonly delayMs: number;
}

/** A prepared command: its world, and how that looks before and after it. */
export class Scene implements AsyncDisposable {
  private constructor(
    readonly victim: Victim,
    /** What the command is called with. */
    readonly args: readonly string[],
    readonly world: World,
    readonly copy: Copy,
    readonly wrapper: Wrapper,
    readonly before: Inventory,
    readonly after: Inventory,
    /** What git is called with while nobody interrupts. */
    readonly calls: readonly string[],
  ) {}

  /** Prepares a command, runs it once undisturbed, and brings its world back; `run` is another way to run it. */
  static async of(
    victim: Victim,
    run?: (world: World, args: readonly string[]) => Promise<void>,
  ): Promise<Scene> {
    const world = await victim.prepare();
    const args = [...victim.args, ...await victim.more?.(world) ?? []];
    const copy = await Copy.of(world);
    const wrapper = await Wrapper.make(world, copy.beside);
    const before = await inventory(world);
    if (run !== undefined) await run(world, args);
    else {
      const ran = await world.amof(args, { env: await wrapper.armed(0, "before", 0) });
      if (ran.code !== 0) {
        throw new Error(`amof ${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
      }
    }
    if (victim.done !== undefined && !await victim.done(world)) {
      throw new Error(`amof ${victim.name} is done and its own test says that it is not`);
    }
    const after = await inventory(world);
    const calls = run === undefined ? await wrapper.calls() : [];
    await copy.restore();
    return new Scene(victim, args, world, copy, wrapper, before, after, calls);
  }

  /** Ends what the world has started and removes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
    await this.copy[Symbol.asyncDispose]();
  }
}

/** Waits until no process works on a run any more; answers whether that came to pass. */
export async function settled(world: World): Promise<boolean> {
  const path = join(world.env["AMOF_HOME"] ?? "", "state", "amof.db");
  for (let turn = 0; turn < 200; turn++) {
    if (!await world.exists(path)) return true;
    using database = new DatabaseSync(path);
    database.exec("PRAGMA busy_timeout = 5000");
    const active = database.prepare(
      "SELECT pid FROM runs WHERE status IN ('queued', 'running')",
    ).all();
    if (active.every(({ pid }) => typeof pid !== "number" || !isAlive(pid))) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 only asks.
    Deno.kill(pid, 0 as unknown as Deno.Signal);
    return true;
  } catch {
    return false;
  }
}

function codeOf(ran: Ran): string {
  try {
    const answer = ran.json();
    return String(answer["error"] ?? pick(answer, "errors", 0, "code") ?? "ok");
  } catch {
    return `no JSON: ${ran.stdout.slice(0, 200)}${ran.stderr.slice(0, 200)}`;
  }
}

/** What of an answer of `doctor` is not in order; the answer as it is where it is none. */
function failedChecks(stdout: string): string {
  try {
    const { checks } = JSON.parse(stdout) as {
      readonly checks: readonly { readonly ok: boolean }[];
    };
    return JSON.stringify(checks.filter(({ ok }) => !ok));
  } catch {
    return stdout;
  }
}

/** What is wrong with how things are after an interruption, or on a full disk, and its repair; empty when nothing is. */
export async function judge(scene: Scene): Promise<{ problems: string[]; end: string }> {
  const { world, victim, args } = scene;
  const look = async () => without(await inventory(world), victim.overlooks);
  const [before, after] = [
    without(scene.before, victim.overlooks),
    without(scene.after, victim.overlooks),
  ];
  const problems: string[] = [];
  const repair = await world.amof(
    victim.repair ?? ["-e", "demo", "doctor", "--repair", "--json"],
  );
  if (repair.code !== 0) {
    problems.push(`repair answers ${repair.code}: ${failedChecks(repair.stdout).slice(0, 600)}`);
  }
  const now = await look();
  const undone = differences(before, now);
  const isDone = victim.done === undefined
    ? differences(after, now).length === 0
    : await victim.done(world).catch(() => false);
  let end = undone.length === 0 ? "as before" : isDone ? "as after" : "between";
  // An end like that of the undisturbed command can miss nothing, so only other ends are searched for losses.
  if (end === "between" || victim.ends === "told" && !victim.givesUp) {
    const now = await inventory(world);
    const rewrites = victim.rewrites === true;
    problems.push(...await lost(world, { before: scene.before, now, rewrites }));
  }
  if (end === "between") {
    if (victim.ends === "whole") problems.push("neither before nor after:", ...undone);
    if (victim.ends === "each") {
      // Where a way out is named, a repository may be in the middle.
      const strange = neither(now, before, after).filter((name) =>
        victim.wayOut === undefined || !/^unfinished /m.test(now.get(name) ?? "")
      );
      if (strange.length > 0) {
        problems.push(
          `neither before nor after in ${strange.join(", ")}:`,
          ...undone.filter((line) => strange.some((name) => line.startsWith(`${name}:`))),
        );
      } else end = "some as before, some as after";
    }
  }
  const repeat = () => world.amof([...args, "--json"]);
  let again = await repeat();
  const way = again.code === 0 ? undefined : victim.wayOut?.exec(again.stdout)?.[1];
  if (way !== undefined) {
    await world.command("sh", ["-c", way.replace(/^amof /, `${program().join(" ")} `)]);
    again = await repeat();
    end = "in the middle, made good by what is said";
  }
  const code = codeOf(again);
  if (again.code !== 0 && !(isDone && victim.again?.includes(code))) {
    problems.push(`repeating it answers ${again.code} ${code}: ${again.stdout.slice(0, 600)}`);
  }
  const late = await look();
  const reached = victim.done === undefined
    ? differences(after, late)
    : await victim.done(world).catch(() => false)
    ? []
    : ["it is not done"];
  if (reached.length > 0) problems.push("repeating it does not bring about the same:", ...reached);
  if (victim.ends === "told" && end === "between") {
    // A repetition may still complete it, so it counts as neither lost nor blocked.
    end = "unfinished, made good by repeating";
  }
  return { problems, end };
}

async function tryOnce(scene: Scene, trial: Trial, report: Report): Promise<void> {
  const { world, victim, args, wrapper } = scene;
  const env = await wrapper.armed(trial.at, trial.strike, trial.delayMs);
  await world.amof([...args, "--json"], { env });
  const problems: string[] = [];
  if (!await settled(world)) problems.push("a run is still being worked on after 10 seconds");
  const found = await judge(scene);
  problems.push(...found.problems);
  const call = scene.calls[trial.at - 1]?.replace(/^(?:-c \S+ )*/, "").slice(0, 60) ?? "?";
  report.count(`kills: ${trial.strike}`);
  report.count(`kills of ${victim.name}`);
  report.count(`ended ${found.end}`);
  report.note(
    `${victim.name}, call ${trial.at} (git ${call}), ${trial.strike}, ${trial.delayMs} ms`,
    problems,
  );
}

/** Whether a call, as it was written down, only reads: striking it is striking the moment between two changes. */
function onlyReads(call: string): boolean {
  return isReadOnlyGit({ command: "git", args: call.split(" ") });
}

/** Every call of a scene with every strike, in an order in which three that change something come before one that reads. */
export function trials(scene: Scene, random: Random): Trial[] {
  const all = scene.calls.flatMap((call, index) =>
    STRIKES.map((strike) => ({ call, at: index + 1, strike, delayMs: random.below(25) }))
  );
  const reading = random.shuffled(all.filter(({ call }) => onlyReads(call)));
  const changing = random.shuffled(all.filter(({ call }) => !onlyReads(call)));
  const mixed: Trial[] = [];
  while (reading.length + changing.length > 0) {
    mixed.push(...changing.splice(0, 3), ...reading.splice(0, 1));
  }
  return mixed;
}

/** Each call of a scene that may change something, struck in one of the ways, which take turns. */
function changing(scene: Scene, random: Random): Trial[] {
  const first = random.below(STRIKES.length);
  const calls = scene.calls.flatMap((call, index) => onlyReads(call) ? [] : [index + 1]);
  return calls.map((at, index) => ({
    at,
    strike: STRIKES[(first + index) % STRIKES.length] ?? "before",
    delayMs: random.below(25),
  }));
}

/** Kills a command at every call that may change something, and before, in or behind two that only read. */
export async function killAtEachChange(
  victim: Victim,
  random: Random,
  report: Report,
): Promise<void> {
  await using scene = await Scene.of(victim);
  const reading = trials(scene, random).filter(({ at }) => onlyReads(scene.calls[at - 1] ?? ""));
  for (const trial of [...changing(scene, random), ...reading.slice(0, 2)]) {
    await tryOnce(scene, trial, report);
    await scene.copy.restore();
  }
}

/** Kills a command at `most` places, all when there are fewer, chosen by chance. */
export async function killCommand(
  victim: Victim,
  random: Random,
  most: number,
  report: Report,
): Promise<void> {
  await using scene = await Scene.of(victim);
  for (const trial of trials(scene, random).slice(0, most)) {
    await tryOnce(scene, trial, report);
    await scene.copy.restore();
  }
}
