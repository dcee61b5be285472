/** How a shard is started, as arguments of this program (SHARD-1). */

import type { Submission } from "../port.ts";

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
