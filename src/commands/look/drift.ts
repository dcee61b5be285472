/**
 * Where a workspace and its manifest differ (WORKSPACE-4): an edit that has no effect, clones that have left
 * the manifest, commits of the control repository that only one side has.
 */

import { basename, dirname, join } from "@std/path";
import { type Git, isUnsafeUrl } from "../../git/mod.ts";
import { SLUG } from "../../base/ids.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, fixLine, shellWord } from "../../base/text/words.ts";
import { editorFolders } from "../../workspace/mod.ts";
import { addCommand } from "../advice/command_lines.ts";
import { addressKey, unsentRelease, withoutCredentials } from "../../workspace/clones/mod.ts";
import { lockFile, type Manifest, manifestFile } from "../../workspace/manifest/mod.ts";
import { pullThere } from "../advice/clone.ts";

/** Something that has come apart. */
interface Drift {
  readonly detail: string;
  /** What to do about it. */
  readonly fix: string;
  /** The repository that is not where the manifest says, where it is about one that lies elsewhere. */
  readonly repo?: string;
}

/** The world, git and the control repository. */
interface Tools {
  readonly system: System;
  readonly git: Git;
  readonly root: string;
}

/** What messages call the control repository. */
const CONTROL = "control repository";

/** Clones that a message names. */
const MOST_NAMED = 5;

/**
 * An edit of the manifest in the workspace, which has no effect: only the file of the control repository
 * counts. That of the workspace is in a working copy of the same repository. It may be older, and does no harm
 * then. No process where the two are the same, else at most four.
 */
export async function uncountedEdit(
  { system, git, root }: Tools,
  manifest: Manifest,
  workspace: string,
): Promise<Drift | null> {
  const file = manifestFile(manifest.name);
  const [counts, aside] = [join(root, file), join(workspace, file)];
  const own = await system.files.readText(aside);
  if (own === null || own === await system.files.readText(counts)) return null;
  const committed = await git.at(workspace).commits.fileAt("HEAD", file);
  if (committed === null || new TextDecoder().decode(committed) !== own) {
    return {
      detail: `the manifest was edited in the workspace, where it does not count: ${
        join(manifest.workspaceDir, file)
      }`,
      fix:
        `bring the edit into ${file} of the control repository\ncompare the two: git diff --no-index ${
          shellWord(counts)
        } ${shellWord(aside)}`,
    };
  }
  const [here, there] = await Promise.all([
    git.at(root).refs.resolve("HEAD"),
    git.at(workspace).refs.resolve("HEAD"),
  ]);
  const ahead = here !== null && there !== null &&
    await git.at(workspace, manifest.name).sending.hasChanged(file, {
      side: there,
      other: here,
    });
  return !ahead ? null : {
    detail:
      `commits on ${manifest.workspaceBranch} change the manifest, which counts only as the control repository has it checked out`,
    fix: `merge them there: git -C ${shellWord(root)} merge ${shellWord(manifest.workspaceBranch)}`,
  };
}

/** Clones in the workspace that the manifest does not name any more, relative to it. No process. */
async function strayClones(
  system: System,
  manifest: Manifest,
  workspace: string,
): Promise<string[]> {
  const known = new Set(manifest.repos.map(({ path }) => path.toLowerCase()));
  const parents = new Set(["repos", ...manifest.repos.map(({ path }) => dirname(path))]);
  const candidates = new Set(await editorFolders(system, workspace, manifest));
  for (const parent of parents) {
    // The top directory of the workspace holds the control repository's own files, not clones.
    if (parent === ".") continue;
    for (const { name, kind } of await system.files.list(join(workspace, parent))) {
      if (kind === "directory") candidates.add(`${parent}/${name}`);
    }
  }
  const found: string[] = [];
  for (const path of candidates) {
    if (known.has(path.toLowerCase())) continue;
    if (await system.files.lstat(join(workspace, path, ".git")) !== null) found.push(path);
  }
  return found.sort();
}

/** A clone that the manifest does not name, relative to the workspace, and the address of its `origin`. */
interface Stray {
  readonly path: string;
  readonly url: string | null;
}

/** Whether the manifest has the address of a clone for a repository in another place. */
function isOfOther({ repos }: Pick<Manifest, "repos">, { url }: Pick<Stray, "url">): boolean {
  return url !== null && repos.some((repo) => addressKey(repo.url) === addressKey(url));
}

/** What names a clone in the manifest again; null where its address or its name cannot stand there. */
function namingAgain({ repos }: Manifest, { path, url }: Stray): string | null {
  const name = basename(path);
  const isTaken = isOfOther({ repos }, { url }) ||
    repos.some((repo) => repo.name.toLowerCase() === name.toLowerCase());
  return isTaken || !SLUG.test(name) || url === null || isUnsafeUrl(url)
    ? null
    : `name ${name} in the manifest again: ${
      addCommand({ name, url: withoutCredentials(url), path })
    }`;
}

/** The repositories that are not where the manifest says, but under another name, each with the command that moves it back. */
async function movedClones(
  system: System,
  { repos }: Manifest,
  workspace: string,
  strays: readonly Stray[],
): Promise<(Drift & { readonly path: string })[]> {
  const found: (Drift & { readonly path: string })[] = [];
  for (const { name, path: place, url } of repos.filter(({ enabled }) => enabled)) {
    const same = strays.filter((stray) =>
      stray.url !== null && addressKey(stray.url) === addressKey(url)
    );
    const [only] = same;
    if (only === undefined || same.length > 1) continue;
    if (await system.files.lstat(join(workspace, place)) !== null) continue;
    const [from, to] = [only.path, place].map((path) => shellWord(join(workspace, path)));
    found.push({
      path: only.path,
      repo: name,
      detail: `the clone of ${name} was moved to ${
        cleanLine(only.path, 80)
      }, and a sync would make another one`,
      fix: `mv ${from} ${to}`,
    });
  }
  return found;
}

/** How many commits of a clone no remote is known to have; 0 where git does not tell. One process. */
function onlyThere(git: Git, directory: string): Promise<number> {
  return git.at(directory, basename(directory)).history.localOnlyCount().catch(() => 0);
}

/** Clones that no command looks after any more. Two processes for each of the first of them. */
async function leftManifest(
  { system, git }: Omit<Tools, "root">,
  manifest: Manifest,
  workspace: string,
): Promise<(Drift & { readonly unsent?: number })[]> {
  const paths = await strayClones(system, manifest, workspace);
  const known = await Promise.all(
    paths.slice(0, MOST_NAMED).map(async (path): Promise<Stray> => {
      const { remotes } = git.at(join(workspace, path), basename(path));
      return { path, url: await remotes.address("origin").catch(() => null) };
    }),
  );
  const moved = await movedClones(system, manifest, workspace, known);
  const isMoved = (path: string) => moved.some((one) => one.path === path);
  const strays = paths.filter((path) => !isMoved(path));
  const [first] = strays;
  if (first === undefined) return moved;
  const named = strays.slice(0, MOST_NAMED).map((path) => cleanLine(path, 80)).join(", ");
  const more = strays.length > MOST_NAMED ? ` and ${strays.length - MOST_NAMED} more` : "";
  const directory = shellWord(join(workspace, first));
  const left = known.filter(({ path }) => !isMoved(path));
  const naming = left.map((stray) => namingAgain(manifest, stray)).filter((line) => line !== null);
  const isNamed = naming.length === 0 && left.every((stray) => isOfOther(manifest, stray));
  const them = strays.length === 1 ? "it" : "them";
  const commits = await Promise.all(
    left.map(({ path }) => onlyThere(git, join(workspace, path))),
  );
  const all = commits.reduce((sum, one) => sum + one, 0);
  const kept = left.flatMap(({ path }, index) =>
    (commits[index] ?? 0) === 0
      ? []
      : [`send what is only there: git -C ${shellWord(join(workspace, path))} push origin HEAD`]
  );
  const names = naming.length > 0 ? naming : isNamed ? [] : [`name ${them} in the manifest again`];
  const look = [
    `See what is not committed there: git -C ${directory} status`,
    `See which commits are only there: git -C ${directory} log --branches --not --remotes`,
    `Then delete ${directory}`,
  ];
  return [...moved, {
    unsent: all,
    detail: `${count(strays.length, "clone")} that the manifest does not name: ${named}${more}${
      all === 0 ? "" : `, with ${count(all, "commit")} that no remote has`
    }; nothing syncs or pushes ${them}`,
    // Whoever took it out of the manifest may have meant that, and what is only here goes first.
    fix: (all === 0 ? [...names, ...look] : [
      ...kept,
      ...look,
      ...names.map((line) => `Or ${line}`),
    ]).join("\n"),
  }];
}

/** A release goes with its tag, and its record says then that it went. */
const WITH_TAG = "amof release push";

/** The command that sends what is only in the control repository. At most one process. */
export async function controlPush(
  { git, root }: Omit<Tools, "system">,
  branch: string,
): Promise<string> {
  const repository = git.at(root, CONTROL);
  const [tip, without] = [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  const isThere = (await repository.refs.peek([without])).has(without);
  return isThere && await unsentRelease(repository, { tip, without, records: true }) !== null
    ? WITH_TAG
    : `git -C ${shellWord(root)} push --follow-tags origin ${shellWord(branch)}`;
}

/**
 * The control repository and the branch of `origin` that it follows, as last fetched: by that a team shares the manifest,
 * the lock and the records of releases. No process where both are the same or it follows none, else one.
 */
export async function controlDrift({ git, root }: Omit<Tools, "system">): Promise<Drift | null> {
  const { branches, refs, history } = git.at(root, CONTROL);
  const branch = await branches.current();
  if (branch === null || !(await branches.following()).has(branch)) return null;
  const [own, upstream] = [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`];
  const tips = await refs.peek([own, upstream]);
  const [here, there] = [tips.get(own), tips.get(upstream)];
  if (here === undefined || there === undefined || here === there) return null;
  const apart = await history.apart(here, there);
  if (apart === null) return null;
  const { one: ahead, other: behind } = apart;
  const name = cleanLine(`origin/${branch}`, 60);
  if (behind === 0) {
    const line = await controlPush({ git, root }, branch);
    return {
      detail: `the control repository has ${count(ahead, "commit")} that ${name} does not have`,
      fix: `${
        line === WITH_TAG ? "send the release with its tag" : "send what is new there"
      }: ${line}`,
    };
  }
  const apartBy = ahead === 0 ? "" : `${count(ahead, "commit")} ahead of and `;
  return {
    detail: `the control repository is ${apartBy}${count(behind, "commit")} behind ${name}`,
    fix: `take that in: ${
      pullThere(root, { branch }, ahead === 0 ? "--ff-only" : "--rebase=merges")
    }`,
  };
}

/** Everything that has come apart. */
export async function drifts(
  tools: Tools,
  manifest: Manifest,
  workspace: string,
): Promise<Drift[]> {
  const found = [
    await uncountedEdit(tools, manifest, workspace),
    ...await leftManifest(tools, manifest, workspace),
    await controlDrift(tools),
  ];
  return found.filter((drift) => drift !== null);
}

/**
 * What whoever sends or ends the work of a workspace is told of clones that left the manifest: commits there that no
 * remote has. A workspace of a ticket's own has its clones by the ticket. No process where there are no such clones.
 */
export async function unsentOutside(
  { ticket, ...tools }: Omit<Tools, "root"> & { readonly ticket: string | null },
  manifest: Manifest,
  workspace: string,
): Promise<string[]> {
  const found = ticket === null ? await leftManifest(tools, manifest, workspace) : [];
  return found.filter(({ unsent = 0 }) => unsent > 0).map(driftText);
}

/** A drift as one warning, with what mends it below. */
export function driftText({ detail, fix }: Drift): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${fixLine(fix)}`;
}

/**
 * The commits of an ecosystem's lock by the names of its repositories, null for one that only follows its branch; nothing
 * without a lock that can be read. One file, and what understands it is loaded where it is there.
 */
export async function lockedCommits(
  { system, root }: Pick<Tools, "system" | "root">,
  ecosystem: string,
): Promise<ReadonlyMap<string, string | null>> {
  const text = await system.files.readText(join(root, lockFile(ecosystem))).catch(() => null);
  if (text === null) return new Map();
  const lock = (await import("../../workspace/lock/mod.ts")).readLock(text);
  return new Map(
    typeof lock === "string" ? [] : lock.repos.map(({ name, commit = null }) => [name, commit]),
  );
}
