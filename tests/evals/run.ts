/**
 * Carries out one task: set-up, the agent, verification.
 *
 * @module
 */

import { join } from "@std/path";
import { quoted } from "../support/pseudo_terminal.ts";
import { program, World } from "../support/world.ts";
import type { Agent } from "./agents.ts";
import { EVALS, type Task } from "./task.ts";

/** What became of a task. */
export interface Outcome {
  readonly task: string;
  readonly difficulty: string;
  readonly passed: boolean;
  /** The tools that were called, in order. */
  readonly calls: readonly string[];
  /** What was not as it should be. */
  readonly problems: readonly string[];
}

/** What is wrong with the calls of an agent. */
function callProblems(task: Task, calls: readonly string[]): string[] {
  return [
    ...task.used.filter((tool) => !calls.includes(tool)).map((tool) => `${tool} was not called`),
    ...task.notUsed.filter((tool) => calls.includes(tool)).map((tool) => `${tool} was called`),
    ...(calls.length > task.most ? [`${calls.length} calls, more than ${task.most}`] : []),
  ];
}

/** Runs a script of the task; answers why it failed, or null. */
async function script(world: World, text: string): Promise<string | null> {
  const ran = await world.command("sh", ["-ec", text]);
  if (ran.code === 0) return null;
  return `exit ${ran.code}: ${ran.stderr.trim().split("\n").at(-1) ?? ""}`;
}

/** Lets an agent work on a task in a world of its own. Throws where the task itself is wrong. */
export async function runTask(task: Task, agent: Agent): Promise<Outcome> {
  await using world = await World.make();
  const directory = join(world.directory, "eval");
  await Deno.mkdir(directory);
  await world.script("bin/amof", `exec ${program().map(quoted).join(" ")} "$@"`);
  Object.assign(world.env, {
    PATH: `${join(world.directory, "bin")}:${world.env["PATH"] ?? ""}`,
    AMOF_EVALS: EVALS.replace(/\/$/, ""),
    AMOF_EVAL_DIR: directory,
  });
  const about = { task: task.name, difficulty: task.difficulty };
  const broken = await script(world, task.setup);
  if (broken !== null) throw new Error(`The set-up of ${task.name} failed with ${broken}`);
  if (callProblems(task, []).length === 0 && await script(world, task.verify) === null) {
    throw new Error(`${task.name} is passed by doing nothing`);
  }
  let calls: string[] = [];
  const problems: string[] = [];
  try {
    calls = await agent(world, directory, task);
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  const wrong = await script(world, task.verify);
  if (wrong !== null) problems.push(`verification: ${wrong}`);
  problems.push(...callProblems(task, calls));
  return { ...about, passed: problems.length === 0, calls, problems };
}
