// Breaks the program at every change that the commands of every day make, and checks that each repository ends in
// before or after, that nothing is lost, and that repeating the command completes it: changes of the manifest, locks,
// adopted clones, commits, and updates of a ticket.

import { assert, assertEquals } from "@std/assert";
import { VICTIMS } from "../chaos/commands.ts";
import { judge, Scene } from "../chaos/kills.ts";
import { sampled, THOROUGHLY } from "../support/sample.ts";
import { type Case, changesOf, faulted, type Phase, PHASES } from "./broken.ts";

/** A command, the process that makes its changes, how many these are at least, and how a sample breaks it. */
type Row = readonly [name: string, where: Case["where"], changes: number, sample?: Phase];

/** The commands; those without a fault of the sample are only broken where everything is wanted. */
const COMMANDS: readonly Row[] = [
  ["repo add", "inline", 3],
  ["repo remove", "inline", 3],
  ["repo rename", "inline", 3, "after"],
  ["lock", "inline", 3],
  ["install --adopt", "worker", 3, "before"],
  ["install --locked", "worker", 3],
  ["install --locked, clones that are behind", "worker", 3, "after"],
  ["commit", "worker", 3, "full"],
  ["ticket update", "worker", 3],
  ["ticket update --rebase", "worker", 3, "full"],
  ["ticket update --continue, a merge", "worker", 3],
  ["ticket update --continue, a rebase", "worker", 3],
  ["ticket update --abort, a merge", "worker", 3, "before"],
  ["ticket update --abort, a rebase", "worker", 3],
  ["ticket update --stash", "worker", 3, "after"],
  ["ticket update --stash, then --continue", "worker", 3],
  ["ticket update --stash, then --abort", "worker", 3],
  ["ecosystem create --from", "inline", 3],
];

const ALL = ["before", "after", "full"] as const;

/** The places that are broken in a phase: all, or one near the beginning, in the middle and at the end. */
function places(count: number, phase: Phase): readonly number[] {
  if (THOROUGHLY) return sampled(count);
  return [{ full: Math.min(2, count), before: Math.ceil(count / 2), after: count }[phase]];
}

for (const [name, where, changes, sample] of COMMANDS) {
  const phases = THOROUGHLY ? ALL : ALL.filter((phase) => phase === sample);
  if (phases.length === 0) continue;
  Deno.test({
    name: `amof ${name} that ${
      phases.map((phase) => PHASES[phase]).join(", ")
    } leaves each repository before or after, and can be repeated`,
    ignore: Deno.build.os === "windows", // kills by signal
    async fn() {
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
    },
  });
}
