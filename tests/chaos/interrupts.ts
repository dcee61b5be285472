/**
 * Presses Ctrl-C at random moments: SIGINT to the process, or to its whole group as a terminal does, once or twice;
 * sometimes the terminal is closed instead, or somebody asks the process to end.
 *
 * @module
 */

import { program } from "../support/world.ts";
import { judge, Scene, settled } from "./kills.ts";
import type { Random } from "./random.ts";
import type { Report } from "./report.ts";
import type { Victim } from "./victim.ts";

/** How a run ended that was interrupted. */
interface Ended {
  readonly code: number;
  readonly output: string;
}

/** What may come, and the code of a program that it reaches before it listens. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const MOSTLY: readonly (keyof typeof SIGNALS)[] = [
  "SIGINT",
  "SIGINT",
  "SIGINT",
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
];

/** How long a command may take to obey, in milliseconds. */
const PATIENCE_MS = 30_000;

async function interrupted(
  scene: Scene,
  moments: readonly number[],
  group: boolean,
  signal: Deno.Signal,
): Promise<Ended> {
  const { world } = scene;
  const [command = "", ...before] = program();
  // A group of its own, as a shell gives one to each command.
  const child = new Deno.Command(command, {
    args: [...before, ...scene.args, "--json"],
    cwd: await world.exists(world.control) ? world.control : world.directory,
    env: world.env,
    clearEnv: true,
    detached: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const press = () => {
    try {
      Deno.kill(group ? -child.pid : child.pid, signal);
    } catch {
      // It has ended before.
    }
  };
  const timers = moments.map((moment) => setTimeout(press, moment));
  const kill = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const { code, stdout, stderr } = await child.output();
  for (const timer of [...timers, kill]) clearTimeout(timer);
  const decoder = new TextDecoder();
  return { code, output: `${decoder.decode(stdout)}${decoder.decode(stderr)}` };
}

/** Interrupts a command `times` times. */
export async function interruptCommand(
  victim: Victim,
  random: Random,
  times: number,
  report: Report,
): Promise<void> {
  await using scene = await Scene.of(victim);
  const started = performance.now();
  await scene.world.amof([...scene.args, "--json"]);
  const whole = performance.now() - started;
  await scene.copy.restore();
  for (let time = 0; time < times; time++) {
    const first = Math.round(random.next() * whole);
    const moments = random.below(2) === 0 ? [first] : [first, first + 10 + random.below(150)];
    const group = random.below(2) === 0;
    const signal = random.one(MOSTLY);
    const ended = await interrupted(scene, moments, group, signal);
    const problems: string[] = [];
    // Before the program listens, and after its end, the runtime handles the key.
    if (![0, 130, SIGNALS[signal]].includes(ended.code)) {
      problems.push(`it answers ${ended.code}: ${ended.output.slice(0, 600)}`);
    }
    if (!await settled(scene.world)) problems.push("a run is still being worked on");
    if (victim.repair === undefined && victim.broken !== true) {
      const doctor = await scene.world.amof(["-e", "demo", "doctor"]);
      if (doctor.code !== 0) problems.push(`left for repair: ${doctor.stdout.slice(0, 400)}`);
    }
    const found = await judge(scene);
    problems.push(...found.problems);
    report.count(`${signal}: ${moments.length} to the ${group ? "group" : "process"}`);
    report.count(`answered ${ended.code}`);
    report.count(`ended ${found.end}`);
    report.note(
      `${victim.name}, ${signal} to the ${group ? "group" : "process"} after ${
        moments.join(" and ")
      } of ${Math.round(whole)} ms`,
      problems,
    );
    await scene.copy.restore();
  }
}
