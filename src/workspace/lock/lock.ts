/** The lock of an ecosystem: which commit each repository is at, `ecosystems/<name>/lock.json`. */

import { isObject } from "../../base/object.ts";
import { isBranchName, SLUG } from "../../base/ids.ts";
import { isUnsafeUrl } from "../../git/mod.ts";

/** The version of the file format. */
const LOCK_VERSION = 1;

/** A repository of a lock. */
export interface LockedRepo {
  readonly name: string;
  readonly url: string;
  /** The base branch of the manifest. */
  readonly branch: string;
  readonly commit: string;
  /** Where it lies in the workspace; absent for the usual place. */
  readonly path?: string;
  readonly readonly?: boolean;
  readonly tags?: readonly string[];
  readonly depends_on?: readonly string[];
}

interface Lock {
  readonly version: number;
  readonly ecosystem: string;
  readonly made_at: string;
  readonly repos: readonly LockedRepo[];
  /** Names of groups with their repositories; absent where the manifest has none. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
}

/** Where the lock of an ecosystem is, relative to the control repository. */
export function lockFile(ecosystem: string): string {
  return `ecosystems/${ecosystem}/lock.json`;
}

/** The text of a lock. */
export function lockText(lock: Omit<Lock, "version">): string {
  const { ecosystem, made_at, repos, groups = {} } = lock;
  const all: Lock = {
    version: LOCK_VERSION,
    ecosystem,
    made_at,
    repos,
    ...(Object.keys(groups).length === 0 ? {} : { groups }),
  };
  return `${JSON.stringify(all, null, 2)}\n`;
}

function areTexts(value: unknown): boolean {
  return value === undefined ||
    (Array.isArray(value) && value.every((item) => typeof item === "string"));
}

/** Why an entry is none, or null. Anybody may have written the file. */
function problemOf(repo: unknown): string | null {
  if (!isObject(repo) || typeof repo["name"] !== "string" || !SLUG.test(repo["name"])) {
    return "a repository has no name";
  }
  const { name, url, branch, commit, path } = repo;
  if (typeof url !== "string" || url === "" || isUnsafeUrl(url)) return `"${name}" has no address`;
  if (typeof branch !== "string" || !isBranchName(branch)) return `"${name}" has no branch`;
  if (typeof commit !== "string" || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) {
    return `"${name}" has no commit`;
  }
  if (path !== undefined && typeof path !== "string") return `"${name}" has no path`;
  return areTexts(repo["tags"]) && areTexts(repo["depends_on"]) ? null : `"${name}" is damaged`;
}

/** Reads the text of a lock; answers why not when it is none. */
export function readLock(text: string): Lock | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not valid JSON";
  }
  if (!isObject(value) || !Array.isArray(value["repos"])) return "it holds no list of repositories";
  if (value["version"] !== LOCK_VERSION) return "it is of another version";
  for (const repo of value["repos"]) {
    const problem = problemOf(repo);
    if (problem !== null) return problem;
  }
  const groups = value["groups"] ?? {};
  if (!isObject(groups) || !Object.values(groups).every(areTexts)) return "its groups are damaged";
  return value as unknown as Lock;
}
