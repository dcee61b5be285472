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
import { type Case, changesOf, faulted, type Phase, PHASES } from "./broken.ts";

/** A command, the process that makes its changes, how many these are at least, and how a sample breaks it. */
export type Row = readonly [name: string, where: Case["where"], changes: number, sample?: Phase];

const ALL = ["before", "after", "full"] as const;

/** The places that are broken in a phase: all, or one near the beginning, in the middle and at the end. */
function places(count: number, phase: Phase): readonly number[] {
  if (THOROUGHLY) return sampled(count);
  return [{ full: Math.min(2, count), before: Math.ceil(count / 2), after: count }[phase]];
}

async function broken(
  { name, where, changes }: {
    readonly name: string;
    readonly where: Case["where"];
    readonly changes: number;
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
    for (const at of places(count, phase)) {
      await faulted(scene.world, { args: scene.args, where }, at, phase);
      const { problems } = await judge(scene);
      assertEquals(problems, [], `${phase} change ${at} of ${count}`);
      await scene.copy.restore();
    }
  }
}

/** A test for each command; those without a fault of the sample are only broken where everything is wanted. */
export function breakEach(commands: readonly Row[]): void {
  for (const [name, where, changes, sample] of commands) {
    const phases = THOROUGHLY ? ALL : ALL.filter((phase) => phase === sample);
    if (phases.length === 0) continue;
    Deno.test({
      name: `amof ${name} that ${
        phases.map((phase) => PHASES[phase]).join(", ")
      } leaves each repository before or after, and can be repeated`,
      ignore: Deno.build.os === "windows", // kills by signal
      fn: () => broken({ name, where, changes }, phases),
    });
  }
}
