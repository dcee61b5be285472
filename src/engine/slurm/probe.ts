/** Looks whether a Slurm cluster can be used, and what it has (ENGINE-6). */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import type { Limits } from "../port.ts";
import type { Profile } from "../profile.ts";
import { asks, saidBy, slurm } from "./call.ts";

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
