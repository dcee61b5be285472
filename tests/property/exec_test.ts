/**
 * The order in which programs run in repositories, over generated dependencies: nothing begins too early, nothing is
 * forgotten, and no more at once than allowed (EXEC-2).
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { layersOf, needsWithin } from "../../src/commands/look/layers.ts";
import { inOrder, type TaskOutcome } from "../../src/commands/exec/invocation/schedule.ts";

interface Case {
  readonly all: readonly { readonly name: string; readonly dependsOn: readonly string[] }[];
  readonly selected: readonly string[];
  readonly bad: ReadonlySet<string>;
  readonly jobs: number;
  readonly keepGoing: boolean;
  readonly failFast: boolean;
  /** How many turns of the event loop the work of each takes. */
  readonly turns: readonly number[];
}

/** Repositories of which each depends only on earlier ones, in a shuffled order. */
const cases: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 9 }).chain((count) =>
  fc.record({
    edges: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 20 }),
    order: fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
    selected: fc.subarray([...Array(count).keys()]),
    bad: fc.subarray([...Array(count).keys()]),
    jobs: fc.integer({ min: 1, max: 4 }),
    keepGoing: fc.boolean(),
    failFast: fc.boolean(),
    turns: fc.array(fc.nat(4), { minLength: count, maxLength: count }),
  })
).map(({ edges, order, selected, bad, ...rest }): Case => {
  const name = (n: number) => `r${n}`;
  return {
    ...rest,
    all: order.map((n) => ({
      name: name(n),
      dependsOn: [...new Set(edges.filter(([a, b]) => a === n && b < n).map(([, b]) => name(b)))],
    })),
    selected: order.filter((n) => selected.includes(n)).map(name),
    bad: new Set(bad.map(name)),
  };
});

/** Everything that a repository needs, however far away. */
function allNeeds(all: Case["all"], name: string): Set<string> {
  const direct = all.find((one) => one.name === name)?.dependsOn ?? [];
  return new Set(direct.flatMap((one) => [one, ...allNeeds(all, one)]));
}

Deno.test("needsWithin() and layersOf() put everything behind what it needs, however far away", () => {
  fc.assert(fc.property(cases, ({ all, selected }) => {
    const needs = needsWithin(all, selected);
    const layers = layersOf(needs);
    assertEquals([...needs.keys()], selected);
    for (const name of selected) {
      for (const other of selected) {
        if (!allNeeds(all, name).has(other)) continue;
        assert((layers.get(other) ?? 0) < (layers.get(name) ?? 0), `${other} before ${name}`);
      }
    }
  }));
});

Deno.test("inOrder() begins each once, when what it needs is done, and says why it did not", async () => {
  await fc.assert(fc.asyncProperty(cases, async (each) => {
    const { all, selected, bad, jobs, keepGoing, failFast, turns } = each;
    const needs = needsWithin(all, selected);
    const begun: string[] = [];
    const ended = new Set<string>();
    let running = 0;
    let failed = false;
    const outcomes: ReadonlyMap<string, TaskOutcome<boolean>> = await inOrder<boolean>({
      needs,
      jobs,
      keepGoing,
      failFast,
      stopped: () => false,
      isGood(good) {
        failed ||= !good;
        return good;
      },
      async work(name) {
        assert(++running <= jobs, "no more at once than allowed");
        assert(!begun.includes(name), `${name} begins once`);
        assert(!(failFast && failed), "nothing begins after a failure");
        begun.push(name);
        for (const one of needs.get(name) ?? []) assert(ended.has(one), `${one} before ${name}`);
        for (let turn = 0; turn < (turns[selected.indexOf(name)] ?? 0); turn++) {
          await new Promise((resolve) => queueMicrotask(() => resolve(null)));
        }
        running--;
        ended.add(name);
        return !bad.has(name);
      },
    });
    assertEquals([...outcomes.keys()], selected, "every one has an outcome, in order");
    for (const [name, outcome] of outcomes) {
      assertEquals("result" in outcome, begun.includes(name), name);
      if ("result" in outcome) assertEquals(outcome.result, !bad.has(name));
      else if (outcome.not.reason === "failed") assert(failFast && bad.has(outcome.not.repo ?? ""));
      else {
        assertEquals([outcome.not.reason, keepGoing], ["needs", false]);
        assert(needs.get(name)?.includes(outcome.not.repo ?? ""));
      }
    }
    // Without anything that ends it early, only what needs a bad one is left out.
    if (!failFast && keepGoing) assertEquals(begun.length, selected.length);
  }));
});
