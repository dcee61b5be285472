/**
 * The audit records of releases, `releases/<tag>.json` (RELEASE-12).
 *
 * A record is written and committed after the push, because only then is known whether it arrived: the tagged
 * commit itself cannot say so.
 */

import { join } from "@std/path";
import { fieldsOf, jsonIn } from "../../base/object.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { ladderTags } from "./ladder.ts";

/** Where records lie, relative to the repository. */
export const RECORDS = "releases";
/** How the subject of a commit begins that holds nothing but a record. */
export const RECORD_SUBJECT = "chore(release): record ";

/** What happened in one release. Times are ISO 8601 in UTC. */
export interface ReleaseRecord {
  readonly schema_version: 1;
  /** Without a `v`. */
  readonly version: string;
  readonly tag: string;
  readonly previous_tag: string | null;
  readonly timestamp: string;
  readonly action: "init" | "bump" | "promote";
  /** Null unless the action is `bump`. */
  readonly bump_part: string | null;
  /** Null for a stable version, as is its number. */
  readonly stage: string | null;
  readonly stage_num: number | null;
  readonly branch: string;
  /** The commit before the release. */
  readonly commit: string;
  readonly author: string;
  readonly commits_since_previous: number;
  /** At most 50. */
  readonly commit_subjects: readonly string[];
  readonly files_updated: readonly string[];
  readonly origin: string;
  readonly dry_run: false;
}

/** A record with what is known only after the push. */
export interface FinalRecord extends ReleaseRecord {
  /** The commit the tag points to. */
  readonly release_commit: string;
  /** Whether branch and tag are on the remote. */
  readonly pushed: boolean;
  /** Why not, when it was tried. */
  readonly push_error: string | null;
}

/** The file of a record, relative to the repository. */
export function recordPath(tag: string): string {
  return `${RECORDS}/${tag}.json`;
}

/** Whether a path is that of a record. */
export function isRecordPath(path: string): boolean {
  return /^releases\/[^/]+\.json$/.test(path);
}

/** The tag that a record of this path is about. */
export function recordTag(path: string): string {
  return path.replace(/^.*\/|\.json$/g, "");
}

/** The text of a record. */
export function recordText(record: object): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** The largest record that is read, in bytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Why records cannot be kept in a directory of a repository, or null: what is written behind a symbolic link
 * would land elsewhere.
 */
export async function recordProblem(
  system: System,
  directory: string,
  below = RECORDS,
): Promise<string | null> {
  let at = directory;
  for (const part of below.split("/")) {
    at = join(at, part);
    const info = await system.files.lstat(at);
    if (info === null) return null;
    if (info.kind !== "directory") return `${below} is not a directory of the repository`;
  }
  return null;
}

/** The text of a record; null when there is none, or what is there is not one. */
export async function recordFile(system: System, path: string): Promise<string | null> {
  const info = await system.files.lstat(path);
  if (info?.kind !== "file" || info.size > MAX_BYTES) return null;
  return await system.files.readText(path);
}

/** The record of a tag, or null when there is none that can be read. */
export async function readReleaseRecord(
  system: System,
  directory: string,
  tag: string,
): Promise<FinalRecord | null> {
  const text = await recordFile(system, join(directory, recordPath(tag)));
  if (text === null) return null;
  const record = jsonIn(text);
  return isRecord(record) && record.tag === tag ? record : null;
}

function isRecord(value: unknown): value is FinalRecord {
  const { version, tag } = fieldsOf(value);
  return typeof tag === "string" && typeof version === "string";
}

/** The records of a repository, the highest version first; what names no version is passed over. */
export async function recordsInOrder(system: System, directory: string): Promise<FinalRecord[]> {
  const records = await readRecords(system, directory);
  return ladderTags(records.map(({ tag }) => tag)).flatMap(({ tag }) =>
    records.filter((record) => record.tag === tag)
  );
}

/** The records of a repository in no order; files that are none are passed over. */
export async function readRecords(system: System, directory: string): Promise<FinalRecord[]> {
  const records: FinalRecord[] = [];
  for (const { name, kind } of await system.files.list(join(directory, RECORDS))) {
    if (kind !== "file" || !name.endsWith(".json")) continue;
    const record = await readReleaseRecord(system, directory, name.slice(0, -".json".length));
    if (record !== null) records.push(record);
  }
  return records;
}

/** The records that are not committed, relative to the control repository. One git process where it has records. */
export async function openRecords({ git, root, system }: CommandContext): Promise<string[]> {
  if (root === "" || await system.files.lstat(join(root, RECORDS)) === null) return [];
  const { changes } = await git.at(root).status("all");
  const open: string[] = [];
  for (const { path } of changes.filter(({ path }) => isRecordPath(path))) {
    if (await readReleaseRecord(system, root, recordTag(path)) !== null) open.push(path);
  }
  return open;
}
