/**
 * Holds a push back for as long as a test wants, so that what happens meanwhile can be looked at.
 *
 * A `pre-push` hook in the clone waits for a file, at most 30 seconds.
 *
 * @module
 */

import { join } from "@std/path";
import { pick, rows, until } from "../support/answers.ts";
import { type World } from "../support/world.ts";

/** The process that works on a run. */
async function workerOf(world: World, runId: string): Promise<number> {
  const ran = await world.command("ps", ["-ww", "-eo", "pid=,args="]);
  const line = ran.stdout.split("\n").find((text) => text.endsWith(`run-worker ${runId}`));
  const pid = Number(/^\s*(\d+) /.exec(line ?? "")?.[1]);
  // Anything but a real number would name other processes than the one meant.
  if (!(pid > 1)) throw new Error(`There is no worker of ${runId}`);
  return pid;
}

/** Whether a process is there and not merely waiting to be collected. */
async function isAlive(world: World, pid: number): Promise<boolean> {
  const ran = await world.command("ps", ["-o", "stat=", "-p", String(pid)]);
  return ran.code === 0 && !ran.stdout.trim().startsWith("Z");
}

/** Kills the process that works on a run, and waits until it is gone. */
export async function killWorker(world: World, runId: string): Promise<void> {
  const worker = await workerOf(world, runId);
  Deno.kill(worker, "SIGKILL");
  await until("the worker is gone", async () => !await isAlive(world, worker));
}

/** Makes the clone of one repository wait; answers the environment to start with. */
export function slowClone(world: World, repo: string): Promise<Record<string, string>> {
  const held = join(world.directory, "held");
  return world.wrapGit(
    [
      `case " $* " in *" clone "*${repo}.git*)`,
      `echo $$ > '${held}.new' && mv '${held}.new' '${held}'`,
      "turns=0",
      `while [ ! -e '${world.directory}/go' ] && [ $turns -lt 300 ]; do sleep 0.1; turns=$((turns + 1)); done`,
      ";; esac",
    ].join("\n"),
  );
}

/** Starts an install and kills it the hard way while it clones; answers its run. */
export async function killInstall(world: World): Promise<string> {
  const env = await slowClone(world, "web");
  const started = await world.amof(["install", "--yes", "--background", "--json"], { env });
  const id = String(pick(started.json(), "run_id"));
  const held = join(world.directory, "held");
  await until("the clone is held", () => world.exists(held));
  await until("the other clone is there", () => world.exists(world.clone("api")));
  await killWorker(world, id);
  Deno.kill(Number(await Deno.readTextFile(held)), "SIGKILL");
  return id;
}

/** A push that waits. Released, and its run awaited, when the test ends. */
export class Hold implements AsyncDisposable {
  readonly #world: World;
  readonly #gate: string;
  readonly #file: string;

  private constructor(world: World, name: string) {
    this.#world = world;
    this.#gate = join(world.directory, `released-${name}`);
    this.#file = join(world.directory, `held-${name}`);
  }

  /** Makes the next push of a repository wait; the repository must be installed, or lie in `clone`. */
  static async on(world: World, name: string, clone = world.clone(name)): Promise<Hold> {
    const hold = new Hold(world, name);
    await world.hook(
      join(clone, ".git"),
      "pre-push",
      [
        // A process of the hook's own, which only ends with the whole group.
        "sleep 30 > /dev/null 2>&1 &",
        `echo "$$ $!" > '${hold.#file}.new' && mv '${hold.#file}.new' '${hold.#file}'`,
        "turns=0",
        `while [ ! -e '${hold.#gate}' ] && [ $turns -lt 300 ]; do sleep 0.1; turns=$((turns + 1)); done`,
        "kill $!",
        "exit 0",
      ].join("\n"),
    );
    return hold;
  }

  /** Starts a push of everything that is ahead in the background and waits until it is held; answers its run. */
  async push(...args: string[]): Promise<string> {
    const ran = await this.#world.amof(["push", "--yes", "--background", "--json", ...args]);
    const id = pick(ran.json(), "run_id");
    if (ran.code !== 0 || typeof id !== "string") throw new Error(`No run: ${ran.stdout}`);
    await this.reached();
    return id;
  }

  async #processes(): Promise<number[]> {
    const text = await Deno.readTextFile(this.#file).catch(() => "");
    return text.split(/\s+/).map(Number).filter((pid) => pid > 1);
  }

  /** Waits until the push is held. */
  async reached(): Promise<void> {
    await until("the push reaches its hook", async () => (await this.#processes()).length === 2);
  }

  /** How many processes of the hook are still there: 2 while it holds the push. */
  async alive(): Promise<number> {
    let count = 0;
    for (const pid of await this.#processes()) if (await isAlive(this.#world, pid)) count++;
    return count;
  }

  /** Lets the push go on. */
  async release(): Promise<void> {
    await Deno.writeTextFile(this.#gate, "");
  }

  /** Lets the push go on and waits until no run is active. */
  async finish(): Promise<void> {
    await this.release();
    await until("the run ends", async () => {
      const ran = await this.#world.amof(["runs", "active", "--json"]);
      return rows(ran.json(), "runs").length === 0;
    });
  }

  /** Lets everything go on that still waits, and ends what does not end by itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish();
    for (const pid of await this.#processes()) {
      if (await isAlive(this.#world, pid)) Deno.kill(pid, "SIGKILL");
    }
  }
}
