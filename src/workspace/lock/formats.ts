/**
 * Locks in the forms of other tools. What a form cannot say is told; reading it back makes the same ecosystem as far
 * as it can say it.
 */

import type { LockedRepo } from "./lock.ts";

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
