/** What the tasks of an array ask of a Slurm cluster. */

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
