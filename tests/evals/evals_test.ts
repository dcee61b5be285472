// The tasks for agents: each can be done as its script does it, and what is none, or is done wrongly, is noticed.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { scripted } from "./agents.ts";
import { type Outcome, runTask } from "./run.ts";
import { loadTasks, type Task } from "./task.ts";

/** The task of a name. */
async function taskNamed(wanted: string): Promise<Task> {
  const task = (await loadTasks()).find(({ name }) => name === wanted);
  assert(task !== undefined, wanted);
  return task;
}

Deno.test({
  name: "an agent that does what the script of a task says passes it",
  ignore: Deno.build.os === "windows", // sh
  async fn() {
    const tasks = await loadTasks();
    assert(tasks.length >= 10, String(tasks.length));
    const outcomes: Outcome[] = [];
    // A few at a time: each is a world with many processes.
    for (let at = 0; at < tasks.length; at += 3) {
      const part = tasks.slice(at, at + 3);
      outcomes.push(...await Promise.all(part.map((task) => runTask(task, scripted))));
    }
    assertEquals(outcomes.filter(({ passed }) => !passed), []);
  },
});

Deno.test({
  name: "a task that is passed by doing nothing is none",
  ignore: Deno.build.os === "windows", // sh
  async fn() {
    const empty = { ...await taskNamed("start-ticket"), verify: "true", used: [] };
    await assertRejects(() => runTask(empty, scripted), Error, "is passed by doing nothing");
  },
});

Deno.test({
  name:
    "an agent that pushes although it was told not to is noticed, by what happened and by its calls",
  ignore: Deno.build.os === "windows", // sh
  async fn() {
    const script = [{ tool: "amof_push_ecosystem", arguments: {}, consent: true }];
    const { problems } = await runTask({ ...await taskNamed("preview-only"), script }, scripted);
    assertEquals(problems.map((each) => each.split(":")[0]), [
      "verification",
      "amof_confirm was called",
    ]);
  },
});
