/** The records of release trains, `releases/trains/<train>.json` in the control repository. */

import { join } from "@std/path";
import { fieldsOf, isObject, jsonIn } from "../../../base/object.ts";
import type { System } from "../../../base/system/mod.ts";
import { recordFile, RECORDS } from "../record.ts";

/** Where they lie, relative to the control repository. */
export const TRAINS = `${RECORDS}/trains`;

/** What became of one repository; a type alias, so that it counts as plain JSON. */
export type TrainEntry = {
  /** Without a `v`. */
  readonly version: string;
  readonly tag: string;
  readonly previous_tag: string | null;
  readonly branch: string;
  /** The released commit. */
  readonly commit: string;
  /** Whether it was released by this train, or only pushed because an earlier one could not. */
  readonly action: "release" | "push";
  readonly pushed: boolean;
  readonly push_error: string | null;
};

/** A train. Times are ISO 8601 in UTC. */
export type TrainRecord = {
  readonly schema_version: 1;
  readonly train: string;
  readonly ecosystem: string;
  readonly timestamp: string;
  readonly action: "bump" | "promote";
  /** Null unless the action is `bump`. */
  readonly bump_part: string | null;
  /** The stage that was asked for. */
  readonly stage: string;
  readonly author: string;
  readonly origin: string;
  readonly message: string | null;
  /** By name, in manifest order. */
  readonly repos: Readonly<Record<string, TrainEntry>>;
  /** Why others stayed behind, by name. */
  readonly left_out: Readonly<Record<string, string>>;
};

/** The file of a train, relative to the control repository. */
export function trainPath(train: string): string {
  return `${TRAINS}/${train}.json`;
}

/** The record of a train, or null when there is none that can be read. */
export async function readTrain(
  system: System,
  root: string,
  train: string,
): Promise<TrainRecord | null> {
  const text = await recordFile(system, join(root, trainPath(train)));
  if (text === null) return null;
  const record = jsonIn(text);
  return isTrain(record) && record.train === train ? record : null;
}

function isTrain(value: unknown): value is TrainRecord {
  const { train, ecosystem, repos } = fieldsOf(value);
  return typeof train === "string" && typeof ecosystem === "string" && isObject(repos);
}

/**
 * The newest train of an ecosystem, or null; with `before` the newest of those before that one. Names begin with the
 * time, so that the last one is the newest.
 */
export async function newestTrain(
  system: System,
  root: string,
  ecosystem: string,
  before?: string,
): Promise<TrainRecord | null> {
  const entries = await system.files.list(join(root, TRAINS));
  for (const { name } of entries.toReversed()) {
    if (!name.endsWith(".json")) continue;
    const train = name.slice(0, -".json".length);
    if (before !== undefined && train >= before) continue;
    const record = await readTrain(system, root, train);
    if (record?.ecosystem === ecosystem) return record;
  }
  return null;
}

/** Whether a train released nothing, and could not push what the one before it could not, for the same reasons. */
export async function saysNothingNew(
  system: System,
  root: string,
  { train, ecosystem, repos }: TrainRecord,
): Promise<boolean> {
  const before = await newestTrain(system, root, ecosystem, train);
  return before !== null && Object.entries(repos).every(([name, entry]) => {
    const known = before.repos[name];
    return entry.action === "push" && !entry.pushed && known?.pushed === false &&
      known.tag === entry.tag && known.commit === entry.commit &&
      known.push_error === entry.push_error;
  });
}
