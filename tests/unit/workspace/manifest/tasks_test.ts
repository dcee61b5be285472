// What may stand below `tasks` in a manifest, and what is said of the rest (EXEC-5).

import { assertEquals } from "@std/assert";
import { checkTasks, toTasks } from "../../../../src/workspace/manifest/tasks.ts";

Deno.test("checkTasks() names every task that says nothing, too much, or what nobody can use", () => {
  const problems = checkTasks({
    good: { run: ["make", "test"], timeout: "1h30m" },
    "not good": { shell: "make" },
    both: { run: ["a"], shell: "a" },
    none: { description: "Nothing" },
    empty: { run: [""] },
    late: { shell: "make", timeout: "soon" },
    never: { shell: "make", timeout: 0 },
  });
  assertEquals(problems.map(({ at, message }) => [at.join("."), message]), [
    ["tasks.not good", '"not good" cannot be the name of a task'],
    ["tasks.both", '"both" says both run and shell'],
    ["tasks.none", '"none" says nothing to run'],
    ["tasks.empty.run.0", "The program is missing"],
    ["tasks.late.timeout", '"soon" is no time from a second to a week'],
    ["tasks.never.timeout", '"0" is no time from a second to a week'],
  ]);
});

Deno.test("toTasks() fills in every default", () => {
  assertEquals(toTasks({ test: { run: ["make"], timeout: 90, order: "layers" } }), [{
    name: "test",
    description: "",
    run: ["make"],
    shell: null,
    repos: [],
    tags: [],
    only: [],
    env: [],
    order: "layers",
    timeLimit: 90,
  }]);
  assertEquals(toTasks(undefined), []);
});
