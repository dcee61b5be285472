/** The workspaces of ecosystems: linked worktrees of the control repository with the clones below them. */

import { dirname, join } from "@std/path";
import { type AbsPath, absPath, SLUG } from "../base/ids.ts";
import { AmofError } from "../base/error.ts";
import { branchInUse, type Git, type Worktree } from "../git/mod.ts";
import { isBelow } from "../base/paths.ts";
import type { System } from "../base/system/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { shellWord } from "../base/text/words.ts";
import { adoptedBy, restoreSteps } from "./clones/adopting.ts";
import { firstCommit, loadManifest, type Manifest } from "./manifest/manifest.ts";
import { loadState, type WorkspaceState } from "./state.ts";
import { begunElsewhere, withFollowed } from "./tickets/bases.ts";
import { findTicketWorkspace, requireTicketWorkspace, ticketDirectory } from "./tickets/record.ts";
import type { CommandContext } from "../contract/mod.ts";

/** Whether one of the worktrees is the workspace of the ecosystem. */
export function isInstalled(
  worktrees: readonly Worktree[],
  root: string,
  manifest: Manifest,
): boolean {
  const directory = join(root, manifest.workspaceDir);
  return worktrees.some((entry) =>
    !entry.prunable && (entry.path === directory || entry.branch === manifest.workspaceBranch)
  );
}

/**
 * Whether an ecosystem, or the ticket that is meant, has a workspace; null when its manifest cannot be read. No process,
 * but for one where refs are no files.
 */
export async function hasWorkspace(
  ctx: Pick<CommandContext, "system" | "root" | "git"> & { readonly ticket?: string | null },
  name: string,
): Promise<boolean | null> {
  const { system, root, ticket = null } = ctx;
  if (ticket !== null) return await hasTicketWorkspace(system, root, name, ticket);
  if (await system.files.lstat(join(root, "worktrees", name, ".git")) !== null) return true;
  try {
    const manifest = await loadManifest(system, root, name);
    return isInstalled(await ctx.git.at(root).worktrees.linked(), root, manifest);
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return null;
  }
}

/** Where the records of archived workspaces lie, relative to the control repository (WORKSPACE-19). */
export function archivesOf(ecosystem: string): string {
  return `ecosystems/${ecosystem}/archives`;
}

/** Whether an ecosystem has a workspace that was put away; what the record says is not looked at. No process. */
export async function hasArchive(
  system: CommandContext["system"],
  root: string,
  ecosystem: string,
): Promise<boolean> {
  const entries = await system.files.list(join(root, archivesOf(ecosystem)));
  return entries.some(({ kind, name }) => kind === "file" && name.endsWith(".json"));
}

async function hasTicketWorkspace(
  system: CommandContext["system"],
  root: string,
  name: string,
  ticket: string,
): Promise<boolean | null> {
  try {
    const manifest = await loadManifest(system, root, name);
    return await findTicketWorkspace(system, root, manifest, ticket) !== null;
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return null;
  }
}

/** Where the workspace of an ecosystem is, or would be. */
export interface WorkspacePlace {
  /** Absolute. */
  readonly directory: string;
  /** The registered worktree at that place or on the workspace branch; null when not installed. */
  readonly worktree: Worktree | null;
  /** Whether the workspace is there, and git looks for it elsewhere: the control repository was moved, or copied. */
  readonly moved: boolean;
}

/** What is said of a workspace whose link leads to the place that it was moved from. */
export const MOVED =
  "it was moved with the control repository, and its link leads to the old place";

/** An installed workspace. */
export interface Workspace {
  /** Absolute. */
  readonly directory: string;
  readonly branch: string | null;
  /** Null when the state file is missing. */
  readonly state: WorkspaceState | null;
}

/** The world and git, as every function here needs them. */
interface Tools {
  readonly system: System;
  readonly git: Git;
  /** The ticket whose workspace is meant; null or absent for the base workspace. */
  readonly ticket?: string | null;
}

/**
 * Finds the workspace of an ecosystem, or that of the ticket that is meant, which is no worktree. No process, but for one
 * where there is none, and one where refs are no files.
 */
export async function findWorkspace(
  tools: Tools,
  root: string,
  manifest: Manifest,
): Promise<WorkspacePlace> {
  const ticket = tools.ticket ?? null;
  if (ticket !== null) {
    return { directory: ticketDirectory(root, manifest, ticket), worktree: null, moved: false };
  }
  const directory = join(root, manifest.workspaceDir);
  const real = await tools.system.files.realPath(directory) ?? directory;
  const { worktrees } = tools.git.at(root);
  const linked = await worktrees.linked();
  const here = linked.find((entry) => entry.path === real || entry.path === directory);
  if (here !== undefined) return { directory: here.path, worktree: here, moved: false };
  const from = await worktrees.movedFrom(real);
  const moved = linked.find(({ path }) => path === from);
  if (moved !== undefined) {
    return { directory: real, worktree: { ...moved, prunable: true }, moved: true };
  }
  const worktree = linked.find((entry) => entry.branch === manifest.workspaceBranch) ?? null;
  // Where there is none, nothing else may tell that git cannot work here.
  if (worktree === null) {
    await worktrees.requireUsable();
    return { directory, worktree, moved: false };
  }
  // A control repository that was moved looks for its workspace where nothing is, or another one has its own.
  const prunable = worktree.prunable || await worktrees.isForeign(worktree.path);
  return {
    directory: prunable ? directory : worktree.path,
    worktree: { ...worktree, prunable },
    moved: false,
  };
}

/**
 * The error of an ecosystem whose workspace cannot be used because it is not there. `there` says whether one is
 * archived, or its list not committed. `back` is how a workspace is restored whose directory is gone.
 */
export function notInstalled(
  name: string,
  { worktree, moved }: WorkspacePlace,
  { there = "nothing", back = null }: {
    readonly there?: "archive" | "list" | "nothing";
    readonly back?: Awaited<ReturnType<typeof restoreSteps>> | null;
  } = {},
): AmofError {
  const amof = `amof -e ${name}`;
  const [add, commit] = firstCommit(name);
  const [problem, hint] = moved
    ? [MOVED, `Mend the link: ${amof} install --repair`]
    : worktree !== null
    ? ["its directory is gone", back?.hint ?? `Install it: ${amof} install --repair`]
    : [
      "it is not installed",
      there === "archive"
        ? `Bring back what was archived: ${amof} archive restore\nBegin anew: ${amof} install`
        : `${
          there === "list" ? `Add its list: ${add}\nThen commit it: ${commit}\n` : ""
        }Install it: ${amof} install`,
    ];
  return new AmofError(
    "workspace_not_installed",
    `Cannot use the workspace of "${name}": ${problem}`,
    { hint, details: { ecosystem: name, ...(moved ? { repair: true } : {}), ...back?.details } },
  );
}

/**
 * The installed workspace, or that of the ticket that is meant; throws `workspace_not_installed`, for a ticket
 * `ticket_not_found`. Costs what {@linkcode findWorkspace} costs.
 */
export async function requireWorkspace(
  tools: Tools,
  root: string,
  manifest: Manifest,
): Promise<Workspace> {
  const ticket = tools.ticket ?? null;
  if (ticket !== null) {
    const found = await requireTicketWorkspace(tools.system, root, manifest, ticket);
    return {
      directory: found.directory,
      branch: null,
      state: await loadState(tools.system, found.directory),
    };
  }
  const place = await findWorkspace(tools, root, manifest);
  if (place.worktree === null || place.worktree.prunable) {
    // A workspace that was brought back, and discarded since, leaves its archive.
    const hasAny = place.worktree === null &&
      await hasArchive(tools.system, root, manifest.name);
    const isBegun = await tools.git.at(root).refs.resolve("HEAD") !== null;
    const back = place.worktree === null || place.moved
      ? null
      : await restoreSteps(tools.system, root, {
        name: manifest.name,
        directory: place.worktree.path,
      });
    const there = hasAny ? "archive" : isBegun ? "nothing" : "list";
    throw notInstalled(manifest.name, place, { there, back });
  }
  return {
    directory: place.directory,
    branch: place.worktree.branch,
    state: await followedState(tools, place.directory, manifest),
  };
}

/**
 * The state of the base workspace, with the base branches of tickets as they are now (TICKET-19). A clone that cannot be
 * read changes nothing.
 */
export async function followedState(
  { system, git }: Pick<Tools, "system" | "git">,
  workspace: string,
  { repos }: Manifest,
): Promise<WorkspaceState | null> {
  let state = await loadState(system, workspace);
  if (state === null) return null;
  const elsewhere = begunElsewhere(state, repos);
  for (const repo of repos.filter(({ name }) => elsewhere.has(name))) {
    try {
      const directory = await repoDirectory(system, workspace, repo);
      state = await withFollowed(state, repo, git.at(directory, repo.name));
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    }
  }
  return state;
}

/**
 * Throws when a branch of the control repository is in use anywhere but in a workspace: there it may neither be
 * attached nor deleted. No process.
 */
export async function refuseUsedElsewhere(
  { git }: Tools,
  root: string,
  place: WorkspacePlace,
  { branch, what }: {
    readonly branch: string;
    readonly what: string;
  },
): Promise<void> {
  const use = (await git.at(root).worktrees.uses())
    .find((entry) =>
      entry.branch === branch && entry.path !== place.directory &&
      entry.path !== place.worktree?.path
    );
  if (use !== undefined) throw branchInUse(what, use, root);
}

/** The error of a link whose clone is no longer where it was when it was adopted. */
function leftAdoption(
  { name, path }: { readonly name: string; readonly path: string },
  place: string,
  link: string,
  /** Where the link leads now; null for nowhere. */
  now: string | null,
): AmofError {
  // It is found by its address, whatever it is called now.
  const home = shellWord(now ?? dirname(place));
  return new AmofError(
    "git_failed",
    `Cannot use "${name}": its clone was adopted from ${cleanLine(place, 200)}, and ${
      now === null ? "is not there" : `its link leads to ${cleanLine(now, 200)}`
    }`,
    {
      hint: [
        `Remove the link: rm ${shellWord(link)}`,
        `Use it where it is now, with the directory that has it: amof install --repair --repo ${name} --adopt ${home}`,
        "Or clone it anew: amof install --repair",
      ],
      details: { repo: name, path, kind: "not_found" },
    },
  );
}

/** Throws where nothing is at the place of a clone that was adopted: what is its owner's is not cloned unasked (ADOPT-4). */
export async function requireAdopted(
  system: System,
  workspace: string,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<void> {
  const place = (await adoptedBy(system, workspace))[path];
  if (place === undefined) return;
  const isThere = (await system.files.stat(place))?.kind === "directory";
  const repair = "amof install --repair";
  throw new AmofError(
    "git_failed",
    `Cannot use "${name}": its clone was adopted from ${cleanLine(place, 200)}, and ${
      isThere ? "the link to it" : "it"
    } is gone`,
    {
      hint: [
        `${
          isThere ? "Adopt it again" : "Use it where it is now, with the directory that has it"
        }: ${repair} --repo ${name} --adopt ${shellWord(dirname(place))}`,
        `Or clone it anew: ${repair} --repo ${name}`,
      ],
      details: { repo: name, path, kind: "not_found" },
    },
  );
}

/**
 * The absolute directory of a repository's clone, which for an adopted one lies outside of the workspace.
 *
 * Throws `manifest_invalid` when a symbolic link leads it out of the workspace: the manifest cannot say
 * so, but what lies on the disk can.
 */
export async function repoDirectory(
  system: System,
  workspace: string,
  repo: { readonly name: string; readonly path: string },
): Promise<AbsPath> {
  const place = join(workspace, repo.path);
  // In the usual case no links are involved, and one look is enough.
  if (await system.files.realPath(place) === place) return absPath(place);
  const base = await system.files.realPath(workspace);
  if (base === null) return absPath(place);
  const directory = join(base, repo.path);
  let existing = directory;
  let real = await system.files.realPath(existing);
  while (real === null && existing !== base) {
    if ((await system.files.lstat(existing))?.kind === "symlink") break; // it leads nowhere
    existing = dirname(existing);
    real = await system.files.realPath(existing);
  }
  if (real === null || !isBelow(base, real)) {
    const adopted = (await adoptedBy(system, workspace))[repo.path] ?? null;
    if (adopted !== null && adopted === real) return absPath(adopted);
    if (adopted !== null) throw leftAdoption(repo, adopted, directory, real);
    throw new AmofError(
      "manifest_invalid",
      `Cannot use the directory of "${repo.name}": ${repo.path} leads out of the workspace`,
      {
        hint: "Remove the symbolic link at that place",
        details: { repo: repo.name, path: repo.path },
      },
    );
  }
  return absPath(directory);
}

// Ecosystems whose directory is a link: git keeps the link alone, so nothing behind it is read, and it is named.

/** The names in `ecosystems` that are links, sorted as they are listed. */
export async function linkedEcosystems(system: System, root: string): Promise<string[]> {
  const entries = await system.files.list(join(root, "ecosystems"));
  return entries.filter(({ name, kind }) => kind === "symlink" && SLUG.test(name))
    .map(({ name }) => name);
}

/** What is said of such a link, and what puts the directory itself in its place. */
export function linkedText(root: string, name: string): readonly [detail: string, fix: string] {
  const link = join(root, "ecosystems", name);
  const [old, place] = [shellWord(link), shellWord(`${link}.link`)];
  return [
    `ecosystems/${name} is a link, and git keeps nothing of what it leads to`,
    `Put a copy in its place: mv ${old} ${place} && cp -R ${place}/. ${old} && rm ${place}`,
  ];
}

/** Throws where the ecosystem of this name is a link; with null where any is. */
export async function refuseLinked(
  system: System,
  root: string,
  name: string | null,
): Promise<void> {
  const linked = (await linkedEcosystems(system, root)).find((one) =>
    name === null || one === name
  );
  if (linked === undefined) return;
  const [detail, hint] = linkedText(root, linked);
  throw new AmofError("ecosystem_not_found", `Cannot find ecosystem "${linked}": ${detail}`, {
    hint,
    details: { ecosystem: linked },
  });
}
