/**
 * Where a workspace and its manifest have come apart: an edit that counts nowhere, clones that have left the manifest,
 * commits of the control repository that only one side has (WORKSPACE-4).
 */

import { basename, dirname, join } from "@std/path";
import { type Git, isUnsafeUrl } from "../git/mod.ts";
import { SLUG } from "../base/ids.ts";
import type { System } from "../base/system/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { count, fixLine, shellWord } from "../base/text/words.ts";
import { editorFolders } from "./editor.ts";
import { addCommand } from "./manifest/command.ts";
import { withoutCredentials } from "./clones/address.ts";
import { lockFile, type Manifest, manifestFile } from "./manifest/manifest.ts";
import { pullThere } from "./refusal.ts";

/** Something that has come apart. */
interface Drift {
  readonly detail: string;
  /** What to do about it. */
  readonly fix: string;
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
 * An edit of the manifest in the workspace. Only the file of the control repository counts; that of the workspace,
 * which is a working copy of the same repository, may be older and does no harm then. No process where the two are
 * the same, else at most four.
 */
export async function editedAside(
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

/** What names a clone in the manifest again; null where its address or its name cannot stand there. One process. */
async function namingAgain(
  git: Git,
  { repos }: Manifest,
  { workspace, path }: { readonly workspace: string; readonly path: string },
): Promise<string | null> {
  const name = basename(path);
  const isTaken = repos.some((repo) => repo.name.toLowerCase() === name.toLowerCase());
  if (isTaken || !SLUG.test(name)) return null;
  const url = await git.at(join(workspace, path), name).remotes.address("origin").catch(() => null);
  return url === null || isUnsafeUrl(url)
    ? null
    : `name ${name} in the manifest again: ${
      addCommand({ name, url: withoutCredentials(url), path })
    }`;
}

/** Clones that no command looks after any more. A process for each of the first of them. */
async function leftManifest(
  { system, git }: Tools,
  manifest: Manifest,
  workspace: string,
): Promise<Drift | null> {
  const strays = await strayClones(system, manifest, workspace);
  const [first] = strays;
  if (first === undefined) return null;
  const named = strays.slice(0, MOST_NAMED).map((path) => cleanLine(path, 80)).join(", ");
  const more = strays.length > MOST_NAMED ? ` and ${strays.length - MOST_NAMED} more` : "";
  const directory = shellWord(join(workspace, first));
  const again = await Promise.all(
    strays.slice(0, MOST_NAMED).map((path) => namingAgain(git, manifest, { workspace, path })),
  );
  const naming = again.filter((line) => line !== null);
  const them = strays.length === 1 ? "it" : "them";
  return {
    detail: `${
      count(strays.length, "clone")
    } that the manifest does not name: ${named}${more}; nothing syncs or pushes ${them}`,
    fix: `${
      naming.length === 0 ? `name ${them} in the manifest again` : naming.join("\n")
    }\nSee what is not committed there: git -C ${directory} status\nSee which commits are only there: git -C ${directory} log --branches --not --remotes\nThen delete ${directory}`,
  };
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
    return {
      detail: `the control repository has ${count(ahead, "commit")} that ${name} does not have`,
      // Releases go with their tags.
      fix: `send what is new there: git -C ${shellWord(root)} push --follow-tags origin ${
        shellWord(branch)
      }`,
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
    await editedAside(tools, manifest, workspace),
    await leftManifest(tools, manifest, workspace),
    await controlDrift(tools),
  ];
  return found.filter((drift) => drift !== null);
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
  const lock = (await import("./lock/mod.ts")).readLock(text);
  return new Map(
    typeof lock === "string" ? [] : lock.repos.map(({ name, commit = null }) => [name, commit]),
  );
}
