/**
 * Measures how well an agent works with the tools: `deno task evals [--agent 'COMMAND'] [--task NAME] [--json]`.
 *
 * Without a command the agent follows the script of each task, which shows that the tasks can be done.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { external, scripted } from "./agents.ts";
import { type Outcome, runTask } from "./run.ts";
import { loadTasks } from "./task.ts";

function tell(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

function row({ task, difficulty, passed, calls, problems }: Outcome): string {
  const result = passed ? "passed" : "FAILED";
  const what = [`${calls.length} calls`, ...problems].join("; ");
  return [result, task.padEnd(18), difficulty.padEnd(8), what].join("  ");
}

const { values: flags } = parseArgs({
  options: { agent: { type: "string" }, task: { type: "string" }, json: { type: "boolean" } },
});
const agent = flags.agent === undefined ? scripted : external(flags.agent);
const tasks = (await loadTasks()).filter(({ name }) => (flags.task ?? name) === name);
if (tasks.length === 0) throw new TypeError(`There is no task ${flags.task}`);
const outcomes: Outcome[] = [];
for (const task of tasks) {
  const outcome = await runTask(task, agent);
  outcomes.push(outcome);
  if (flags.json !== true) tell(row(outcome));
}
const passed = outcomes.filter((each) => each.passed).length;
tell(
  flags.json === true
    ? JSON.stringify({ passed, of: outcomes.length, outcomes })
    : `${passed} of ${outcomes.length} passed`,
);
Deno.exit(passed === outcomes.length ? 0 : 1);
