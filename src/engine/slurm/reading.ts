/** What is asked of a Slurm cluster: whether it can be used, and how an array stands. */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import type { Limits, Profile, ShardReason, ShardState, ShardView } from "../port.ts";
import { AmofError } from "../../base/error.ts";
import { defined } from "../../base/object.ts";

// Looks whether a Slurm cluster can be used, and what it has (ENGINE-6).

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

// Reads what `squeue` and `sacct` say of an array (ENGINE-4).

/** States in which Slurm says that a task is over, with what that means. */
const OVER: Readonly<Record<string, readonly [ShardState, ShardReason | null]>> = {
  COMPLETED: ["succeeded", null],
  FAILED: ["failed", "exit"],
  TIMEOUT: ["failed", "timeout"],
  DEADLINE: ["failed", "timeout"],
  OUT_OF_MEMORY: ["failed", "memory"],
  NODE_FAIL: ["failed", "node"],
  BOOT_FAIL: ["failed", "node"],
  PREEMPTED: ["failed", "evicted"],
  CANCELLED: ["cancelled", null],
  REVOKED: ["cancelled", null],
};

/** Those of them in which the engine has taken the task away from its program. */
const OF_ENGINE = new Set(["NODE_FAIL", "BOOT_FAIL", "PREEMPTED"]);

const RUNNING = new Set([
  "RUNNING",
  "COMPLETING",
  "STAGE_OUT",
  "SUSPENDED",
  "STOPPED",
  "SIGNALING",
]);

const KILLED = 9;

/** Words for why a task waits that mean nothing: it is about to begin, or was not looked at yet. */
const SILENT = new Set(["", "None", "JobHeldUser"]);

/**
 * Words for why a task waits that no time changes: what it asks for is not allowed, or not there. Limits that others use
 * up, nodes that are down and reservations pass.
 */
const NEVER =
  /^(?:Partition(?:Config|TimeLimit|NodeLimit)|Invalid(?:Account|QOS)|(?:Account|QOS)NotAllowed|BadConstraints|DependencyNeverSatisfied|MaxMemPerLimit|(?:Assoc|QOS)Max(?:Cpu|Node|Mem(?:ory)?|GRES|WallDuration|Bb|Billing|Energy)\w*PerJob\w*)$/;

/** A task that ended: its state, and what its exit code says besides. */
function ended(
  state: ShardState,
  reason: ShardReason | null,
  exitCode: number | null,
): Pick<ShardView, "state" | "reason" | "exitCode"> {
  if (state !== "failed" || reason !== "exit") return { state, reason, exitCode };
  if (exitCode === 124) return { state, reason: "timeout", exitCode };
  // Where no cgroups enforce it, the kernel ends what takes too much memory.
  return { state, reason: exitCode === 128 + KILLED ? "memory" : reason, exitCode };
}

/** The exit code of a program, or as shells tell it the signal that ended it. */
function codeOf(exit: number, signal: number): number {
  return signal === 0 ? exit : 128 + signal;
}

/** The exit code of what `squeue` tells: since 23.02 code and signal, `3:0` or `0:9`, before a wait status, 768 or 9. */
function exitCodeOf(status: string): number | null {
  const [, exit, signal] = /^(\d+):(\d+)$/.exec(status) ?? [];
  if (exit !== undefined) return codeOf(Number(exit), Number(signal));
  const value = Number(status);
  if (!Number.isInteger(value)) return null;
  return value >= 256 ? value >> 8 : value === 0 ? 0 : 128 + (value & 127);
}

function viewOf(index: number, word: string, more: Pick<ShardView, "exitCode" | "node" | "note">) {
  // `CANCELLED by 1000`, `COMPLETED+`.
  const name = /^[A-Z_]+/.exec(word)?.[0] ?? "";
  const over = OVER[name];
  const { node, note } = more;
  // What a node left behind is no code of the program.
  const exitCode = OF_ENGINE.has(name) ? null : more.exitCode;
  if (over !== undefined) return { index, ...ended(...over, exitCode), node, note: null };
  const running = RUNNING.has(name);
  if (!running && NEVER.test(note ?? "")) {
    return {
      index,
      state: "failed" as const,
      reason: "unstartable" as const,
      exitCode: null,
      node,
      note,
    };
  }
  return {
    index,
    state: running ? "running" as const : "waiting" as const,
    reason: running ? null : "waits" as const,
    exitCode: null,
    node,
    note: running || SILENT.has(note ?? "") ? null : note,
  };
}

/** The tasks of the lines of `squeue -h -r -O` with {@linkcode COLUMNS}, by their indexes. */
export function readQueue(text: string): ReadonlyMap<number, ShardView> {
  const views = new Map<number, ShardView>();
  for (const line of text.split("\n")) {
    const [index = "", state = "", status = "", node = "", reason = ""] = line.split("|")
      .map((cell) => cell.trim());
    if (!/^\d+$/.test(index)) continue;
    views.set(
      Number(index),
      viewOf(Number(index), state, {
        exitCode: exitCodeOf(status),
        node: node === "" ? null : node,
        note: reason === "" ? null : reason,
      }),
    );
  }
  return views;
}

/** The tasks of the lines of `sacct -X -n -P -o jobid,state,exitcode,nodelist`. */
export function readAccounts(text: string): ReadonlyMap<number, ShardView> {
  const views = new Map<number, ShardView>();
  for (const line of text.split("\n")) {
    const [job = "", state = "", code = "", node = ""] = line.split("|");
    for (const index of indexesOf(job)) {
      views.set(
        index,
        viewOf(index, state, {
          exitCode: exitCodeOf(code),
          node: node === "" || node === "None assigned" ? null : node,
          note: null,
        }),
      );
    }
  }
  return views;
}

/** The tasks of a job as `sacct` names them: `5_3`, or those that never began together, `5_[0-2,7%4]`, `5_[0-8:2]`. */
function indexesOf(job: string): readonly number[] {
  const [, one, several] = /^\d+_(?:(\d+)|\[([\d,:-]+)(?:%\d+)?\])$/.exec(job) ?? [];
  return (one ?? several ?? "").split(",").flatMap((part) => {
    const [, first, last, step = "1"] =
      /^(\d{1,6})(?:-(\d{1,6})(?::([1-9]\d{0,5}))?)?$/.exec(part) ?? [];
    if (first === undefined) return [];
    const count = Math.floor((Number(last ?? first) - Number(first)) / Number(step)) + 1;
    return Array.from({ length: Math.max(0, count) }, (_, at) => Number(first) + at * Number(step));
  });
}
