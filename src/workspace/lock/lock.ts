/** The lock of an ecosystem: which commit each repository is at, `ecosystems/<name>/lock.json`. */

import { isObject, jsonIn } from "../../base/object.ts";
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

/** A repository in the file: the list of another tool may leave one on its branch, or not name the branch of a commit. */
interface LockEntry extends Omit<LockedRepo, "branch" | "commit"> {
  readonly branch?: string;
  /** Absent where it is at no commit, and only follows its branch. */
  readonly commit?: string;
}

/** What stands in the file. */
export interface Lock {
  readonly version: number;
  readonly ecosystem: string;
  readonly made_at: string;
  readonly repos: readonly LockEntry[];
  /** Names of groups with their repositories; absent where the manifest has none. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
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
  if (branch !== undefined && (typeof branch !== "string" || !isBranchName(branch))) {
    return `"${name}" has no branch`;
  }
  const isCommit = typeof commit === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit);
  if (commit !== undefined && !isCommit) return `"${name}" has no commit`;
  if (path !== undefined && typeof path !== "string") return `"${name}" has no path`;
  return areTexts(repo["tags"]) && areTexts(repo["depends_on"]) ? null : `"${name}" is damaged`;
}

/** Reads the text of a lock; answers why not when it is none. */
export function readLock(text: string): Lock | string {
  const value = jsonIn(text);
  if (value === undefined) return "it is not valid JSON";
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

/** The forms a lock can be written in. */
export const LOCK_FORMATS = ["amof", "repos", "west", "repo"] as const;

/** One of {@linkcode LOCK_FORMATS}. */
export type LockFormat = typeof LOCK_FORMATS[number];

/** A form of another tool. */
interface Written {
  readonly text: string;
  /** What it cannot say, one line each. */
  readonly notes: readonly string[];
}

function placeOf({ name, path }: LockedRepo): string {
  return path ?? `repos/${name}`;
}

/** What only amof reads: the other tools pass over it. */
function own({ branch, readonly, depends_on }: LockedRepo): Readonly<Record<string, unknown>> {
  return {
    branch,
    ...(readonly ? { readonly } : {}),
    ...(depends_on === undefined ? {} : { depends_on: [...depends_on] }),
  };
}

async function yaml(value: unknown): Promise<string> {
  const { stringify } = await import("@std/yaml");
  return stringify(value, { lineWidth: 200 });
}

async function asRepos(repos: readonly LockedRepo[]): Promise<Written> {
  const placeByName = new Map(repos.map((repo) => [repo.name, placeOf(repo)]));
  const repositories = Object.fromEntries(repos.map((repo) => [placeOf(repo), {
    type: "git",
    url: repo.url,
    version: repo.commit,
    ...own(repo),
    ...(repo.tags === undefined ? {} : { tags: [...repo.tags] }),
    // A list of this form calls a repository by its place.
    ...(repo.depends_on === undefined
      ? {}
      : { depends_on: repo.depends_on.map((name) => placeByName.get(name) ?? name) }),
  }]));
  return { text: await yaml({ repositories }), notes: [] };
}

async function asWest(repos: readonly LockedRepo[]): Promise<Written> {
  const projects = repos.map((repo) => ({
    name: repo.name,
    url: repo.url,
    revision: repo.commit,
    path: placeOf(repo),
    ...(repo.tags === undefined ? {} : { groups: [...repo.tags] }),
    userdata: { amof: own(repo) },
  }));
  return { text: await yaml({ manifest: { projects } }), notes: [] };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** The address with a scheme: repo takes `host:path` for a relative one. */
function withScheme(url: string): string {
  return url.replace(/^(?!\w+:\/\/)([^/:@]+@)?([^/:@]+):(?!\/\/)\/?(.+)$/, "ssh://$1$2/$3");
}

function asRepo(repos: readonly LockedRepo[]): Written {
  const notes: string[] = [];
  const remotes = new Map<string, string>();
  const projects = repos.map((repo) => {
    const url = withScheme(repo.url);
    if (url !== repo.url) notes.push(`${repo.name}: its address is written as ${url}`);
    if (repo.readonly) notes.push(`${repo.name}: that it is read-only`);
    if (repo.depends_on !== undefined) notes.push(`${repo.name}: what it depends on`);
    const at = url.lastIndexOf("/");
    const [base, last] = [url.slice(0, at), url.slice(at + 1)];
    const remote = remotes.get(base) ?? `remote-${remotes.size + 1}`;
    remotes.set(base, remote);
    const attributes: Readonly<Record<string, string>> = {
      name: last,
      path: placeOf(repo),
      remote,
      revision: repo.commit,
      upstream: `refs/heads/${repo.branch}`,
      ...(repo.tags === undefined ? {} : { groups: repo.tags.join(",") }),
    };
    return `  <project ${
      Object.entries(attributes).map(([name, value]) => `${name}="${escaped(value)}"`).join(" ")
    } />`;
  });
  const heads = [...remotes].map(([base, name]) =>
    `  <remote name="${name}" fetch="${escaped(base)}" />`
  );
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<manifest>",
    ...heads,
    ...projects,
    "</manifest>",
  ];
  return { text: `${lines.join("\n")}\n`, notes };
}

/** The repositories of a lock in a form of another tool. */
export function writeList(
  format: Exclude<LockFormat, "amof">,
  repos: readonly LockedRepo[],
): Promise<Written> | Written {
  if (format === "repos") return asRepos(repos);
  return format === "west" ? asWest(repos) : asRepo(repos);
}
