/**
 * Calls the programs of Slurm, with nothing of the caller's environment but what they need (ENGINE-4), and what the tasks
 * of an array ask of the cluster.
 */

import { AmofError } from "../../base/error.ts";
import { defined } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { Profile } from "../profile.ts";

/** What the engine's own limit of time leaves a shard to end by itself, in seconds. */
const SPARE_S = 120;

/** The arguments of `sbatch` by which it decides where and whether a task can run. */
export function asks({ seconds, cpus, memory, slurm }: Profile): readonly string[] {
  const { partition, account, qos } = slurm;
  return [
    `--time=${Math.ceil((seconds + SPARE_S) / 60)}`,
    `--cpus-per-task=${cpus}`,
    ...(memory === null ? [] : [`--mem=${memory}M`]),
    ...(partition === undefined ? [] : [`--partition=${partition}`]),
    ...(account === undefined ? [] : [`--account=${account}`]),
    ...(qos === undefined ? [] : [`--qos=${qos}`]),
  ];
}

/** A controller that restarts answers after up to a minute; programs of Slurm wait that long themselves. */
const TIMEOUT_MS = 95_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

/** Where Slurm's programs find their cluster, and who asks. */
const VARIABLES = ["PATH", "HOME", "USER", "LOGNAME", "SLURM_CONF", "TZ"] as const;

/** How Slurm says that nobody answers. */
const NOBODY =
  /unable to contact slurm controller|connection refused|connection timed out|could not establish a configuration source|socket timed out/i;

/** Starts a program of Slurm. Throws `engine_unavailable` where it is not installed, or its cluster does not answer. */
export async function slurm(
  { processes, env }: System,
  command: "sbatch" | "squeue" | "scontrol" | "scancel" | "sinfo" | "sacct",
  args: readonly string[],
  { stdin, environment = {}, signal }: {
    readonly stdin?: string;
    /** What else is in its environment; `sbatch` hands all of it on to the shards. */
    readonly environment?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const own = Object.fromEntries(VARIABLES.map((name) => [name, env.get(name)]));
  const result = await processes.run({
    command,
    args,
    clearEnv: true,
    env: { ...environment, ...defined(own), LC_ALL: "C" },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MOST_OUTPUT,
    ...defined({ stdin, signal }),
  });
  const problem = result.startError === "not_found"
    ? `${command} is not installed, or not on PATH`
    : result.startError !== null
    ? `${command} could not be started`
    : result.timedOut
    ? `${command} did not answer within ${TIMEOUT_MS / 1_000} s`
    : result.exitCode !== 0 && NOBODY.test(result.stderr)
    ? saidBy(result.stderr)
    : null;
  if (problem === null) return { code: result.exitCode, out: result.stdout, err: result.stderr };
  throw new AmofError("engine_unavailable", `Cannot reach Slurm: ${problem}`, {
    details: { engine: "slurm", program: command },
  });
}

/** The telling line of what a program of Slurm printed: the last one, without the program's name. */
export function saidBy(text: string): string {
  const line = text.trim().split("\n").filter((one) => one.trim() !== "").at(-1) ??
    "it said nothing";
  return cleanLine(line.replace(/^\w+: (?:(?:error|fatal): )?/, ""), 200);
}
