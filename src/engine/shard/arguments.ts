/** How a shard is started, as arguments of this program (SHARD-1). */

import type { Submission } from "../port.ts";
import { defined } from "../../base/object.ts";
import { USUAL_VARIABLES } from "../../runs/changing.ts";
import type { Environment } from "../../base/system/mod.ts";

/** What differs from engine to engine and from shard to shard; the last two may be names of shell variables there. */
interface ShardPlacement {
  /** Where the plan lies for the shard. */
  readonly plan: string;
  /** Where its lines go, or null for standard output alone. */
  readonly results: string | null;
  /** The file that its end is written into in few bytes; absent for none. */
  readonly summary?: string;
  readonly index: string;
  readonly start: string;
}

/** The arguments behind the program's name. */
export function shardArguments(
  { run, plan, key, shards, profile }: Submission,
  { plan: path, results, summary, index, start }: ShardPlacement,
): readonly string[] {
  return [
    "shard",
    "run",
    "--run",
    run,
    "--plan",
    path,
    "--sha256",
    plan.sha256,
    "--key",
    key,
    "--index",
    index,
    "--of",
    String(shards),
    "--begun",
    start,
    "--attempts",
    String(profile.attempts),
    ...(results === null ? [] : ["--results", results]),
    ...(summary === undefined ? [] : ["--summary", summary]),
    ...(profile.scratch === null ? [] : ["--scratch", profile.scratch]),
    // Written down by a version that knew of none, it is absent.
    ...((profile.mirrors ?? null) === null ? [] : ["--mirrors", profile.mirrors ?? ""]),
  ];
}

// What shards get of the environment of whoever submits: a list, never all of it (ENGINE-5).

/** What git cannot do without where a remote asks who it is. */
const OF_GIT = ["SSH_AUTH_SOCK", "GIT_CONFIG_GLOBAL", "GIT_SSH_COMMAND", "NO_COLOR"] as const;

/** A shard keeps nothing: where amof does here means nothing there. */
const USUAL = USUAL_VARIABLES.filter((name) => name !== "AMOF_HOME");

/** Marks what an array has started where its engine is not the one that ends all of it: the value is its run. */
export const ARRAY_VARIABLE = "AMOF_ARRAY";

/** The variables of a shard that are set here; nothing of git asks a person there. */
export function passedOn(
  env: Pick<Environment, "get">,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const values = [...USUAL, ...OF_GIT, ...names].map((name) => [name, env.get(name)] as const);
  return { ...defined(Object.fromEntries(values)), GIT_TERMINAL_PROMPT: "0" };
}
