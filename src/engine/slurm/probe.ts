/** Looks whether a Slurm cluster can be used, and what it has (ENGINE-6). */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import type { Limits, Profile } from "../port.ts";
import { AmofError } from "../../base/error.ts";
import { defined } from "../../base/object.ts";

// Calls the programs of Slurm, with nothing of the caller's environment but what they need (ENGINE-4), and what the tasks
// of an array ask of the cluster.

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

/** What Slurm takes where its configuration does not say. */
const MOST_SHARDS = 1_000;

type Problem = Limits["problems"][number];

/** What the cluster of a profile has. Throws `engine_unavailable` where it does not answer. */
export async function limitsOf(system: System, profile: Profile): Promise<Limits> {
  const { out } = await slurm(system, "scontrol", ["show", "config"]);
  const value = (name: string) =>
    new RegExp(`^${name}\\s*=\\s*(.*?)\\s*$`, "m").exec(out)?.[1] ?? null;
  const size = Number(value("MaxArraySize") ?? MOST_SHARDS + 1);
  const nodes = await nodesOf(system, profile);
  const found = [
    `Slurm ${value("SLURM_VERSION") ?? "of an unknown version"}`,
    value("ClusterName"),
    nodes.text,
  ].filter((part) => part !== null).map((part) => cleanLine(part, 60)).join(", ");
  return {
    shards: Math.max(1, Math.min(MOST_SHARDS, size - 1)),
    found,
    problems: [
      ...nodes.problems,
      ...nodes.problems.length > 0 ? [] : await startProblems(system, profile),
      ...await directoryProblems(system, profile),
    ],
  };
}

async function nodesOf(
  system: System,
  { name, slurm: { partition } }: Profile,
): Promise<{ readonly text: string | null; readonly problems: readonly Problem[] }> {
  const wanted = partition === undefined ? [] : [`--partition=${partition}`];
  const { code, out, err } = await slurm(system, "sinfo", [
    "-h",
    "-N",
    "-o",
    "%N|%T|%c",
    ...wanted,
  ]);
  if (code !== 0) {
    return {
      text: null,
      problems: [{
        message: saidBy(err),
        fix: `Change engines.${name} in the user file: amof config edit`,
      }],
    };
  }
  const nodes = new Map(
    out.split("\n").map((line) => line.split("|")).filter(([node = ""]) => node !== "")
      .map(([node = "", state = "", cpus = "0"]) => [node, { state, cpus: Number(cpus) }]),
  );
  if (nodes.size === 0) {
    return {
      text: "no nodes",
      problems: [{
        message: partition === undefined
          ? "The cluster has no nodes"
          : `There is no partition "${partition}", or it has no nodes`,
        fix: "See the partitions: sinfo",
      }],
    };
  }
  const usable = [...nodes.values()].filter(({ state }) => !/down|drain|fail|unknown/i.test(state));
  const cpus = usable.reduce((sum, node) => sum + node.cpus, 0);
  const text = `${usable.length} of ${count(nodes.size, "node")} up, ${count(cpus, "processor")}`;
  return {
    text,
    problems: usable.length > 0
      ? []
      : [{ message: "No node is up", fix: "Ask whoever runs the cluster\nSee why: sinfo -R" }],
  };
}

/** Whether the cluster would ever start what the profile asks for; it is asked, and nothing is submitted. */
async function startProblems(system: System, profile: Profile): Promise<readonly Problem[]> {
  const { code, err } = await slurm(system, "sbatch", ["--test-only", ...asks(profile)], {
    stdin: "#!/bin/sh\ntrue\n",
  });
  return code === 0 ? [] : [{
    message: `What engines.${profile.name} asks for would never start: ${
      saidBy(err).replace(/^allocation failure: /, "")
    }`,
    fix: `Ask for less, or for what is there: amof config edit\nSee what there is: sinfo -l`,
  }];
}

async function directoryProblems(
  { files }: System,
  { name, directory }: Profile,
): Promise<readonly Problem[]> {
  const path = directory ?? "";
  if (await files.stat(path) === null) {
    return [{
      message: `The directory ${cleanLine(path, 120)} is not there`,
      fix: `Make it where all nodes see it, or name another: engines.${name}.directory`,
    }];
  }
  return await files.isWritable(join(path)) ? [] : [{
    message: `The directory ${cleanLine(path, 120)} cannot be written to`,
    fix: "Make it writable for you on this machine and on the nodes",
  }];
}
