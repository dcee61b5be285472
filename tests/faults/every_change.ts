/**
 * Breaks the program at every change of a command, and checks that each repository ends in before or after, that nothing
 * is lost, and that repeating the command completes it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { VICTIMS } from "../chaos/commands.ts";
import { judge, Scene } from "../chaos/kills.ts";
import { sampled, THOROUGHLY } from "../support/sample.ts";
import { type Case, changesOf, faulted, type Phase, PHASES, sampledChange } from "./broken.ts";

/**
 * A command, the process that makes its changes, how many these are at least, how a sample breaks it, and of how many
 * like changes one is broken in each phase, another one in each, where everything is wanted.
 */
export type Row = readonly [
  name: string,
  where: Case["where"],
  changes: number,
  sample?: Phase,
  alike?: number,
];

const ALL = ["before", "after", "full"] as const;

/** The places that are broken in a phase: all, or the one of a sample. */
function places(count: number, phase: Phase, alike: number): readonly number[] {
  if (THOROUGHLY) {
    return sampled(count).filter((at) => (at + ALL.indexOf(phase)) % alike === 0 || at === count);
  }
  return [sampledChange(count, phase)];
}

async function broken(
  { name, where, changes, alike }: {
    readonly name: string;
    readonly where: Case["where"];
    readonly changes: number;
    readonly alike: number;
  },
  phases: readonly Phase[],
): Promise<void> {
  const victim = VICTIMS.find((each) => each.name === name);
  assert(victim !== undefined);
  let count = 0;
  await using scene = await Scene.of(victim, async (world, args) => {
    count = await changesOf(world, { args, where });
  });
  assert(count >= changes, `only ${count} changes were seen`);
  for (const phase of phases) {
    for (const at of places(count, phase, alike)) {
      await faulted(scene.world, { args: scene.args, where }, at, phase);
      const { problems } = await judge(scene);
      assertEquals(problems, [], `${phase} change ${at} of ${count}`);
      await scene.copy.restore();
    }
  }
}

/** A test for each command; those without a fault of the sample are only broken where everything is wanted. */
export function breakEach(commands: readonly Row[]): void {
  for (const [name, where, changes, sample, alike = 1] of commands) {
    const phases = THOROUGHLY ? ALL : ALL.filter((phase) => phase === sample);
    if (phases.length === 0) continue;
    Deno.test({
      name: `amof ${name} that ${
        phases.map((phase) => PHASES[phase]).join(", ")
      } leaves each repository before or after, and can be repeated`,
      ignore: Deno.build.os === "windows", // kills by signal
      fn: () => broken({ name, where, changes, alike }, phases),
    });
  }
}
