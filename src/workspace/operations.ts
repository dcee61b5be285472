/**
 * The journaled steps that workspaces are made and unmade of. Each can be taken back after an interruption
 * at any point, and takes back only what it made.
 */

import { sha } from "../base/ids.ts";
import { basename, dirname, join } from "@std/path";
import { AmofError } from "../base/error.ts";
import { ioErrorFacts } from "../base/io_error.ts";
import { operation } from "../runs/steps/mod.ts";
import { linkOut } from "../base/system/within.ts";
import type { ExecuteContext } from "../contract/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { count } from "../base/text/words.ts";
import { adoptClones } from "./clones/adopted.ts";
import { cloneAll, rememberOutcome } from "./clones/clone.ts";
import { loadManifest, type Manifest } from "./manifest/manifest.ts";
import { AWAY_OPERATIONS } from "./tickets/away.ts";
import { freeTicket } from "./tickets/ports.ts";
import { stateFile } from "./state.ts";
import { removeStale } from "./removal/temporaries.ts";
import { rememberPush } from "./clones/remember_merged.ts";
import { repairClone, repairRepository } from "./clones/repair.ts";
import type { Git } from "../git/mod.ts";
import type { JournalStep } from "../state/store/mod.ts";
import type { System } from "../base/system/mod.ts";
import { repoDirectory } from "./workspace.ts";

/** What a control repository must not track (WORKSPACE-2), anchored so that nothing else is hidden. */
function patterns(manifest: Manifest): string[] {
  // With a slash at its end a pattern does not hide a link, which an adopted clone is.
  const firsts = manifest.repos.flatMap(({ path }) =>
    path.includes("/") ? [`/${path.split("/")[0] ?? ""}/`] : [`/${path}/`, `/${path}`]
  );
  return [
    ...new Set([
      `/${manifest.workspaceDir}/`,
      "/repos/",
      ...firsts,
      "/context/",
      "/.amof/",
      "/amof.*.code-workspace",
    ]),
  ];
}

/** What hides the workspaces of tickets, those that are being made and removed too (TICKET-11). */
function ticketPatterns({ workspaceDir }: Pick<Manifest, "workspaceDir">): string[] {
  const at = workspaceDir.lastIndexOf("/") + 1;
  const [above, name] = [workspaceDir.slice(0, at), workspaceDir.slice(at)];
  return [`/${above}${name}@*/`, `/${above}.${name}@*/`];
}

async function excludeFile(git: Git, root: string): Promise<string | null> {
  const common = await git.at(root).commonDirectory();
  return common === null ? null : join(common, "info", "exclude");
}

function withLines(text: string | null, lines: readonly string[]): string {
  const kept = text ?? "";
  const there = new Set(kept.split(/\r?\n/));
  const missing = lines.filter((line) => !there.has(line));
  if (missing.length === 0) return kept;
  return `${kept}${kept === "" || kept.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`;
}

/**
 * Hides a workspace from the status of the control repository. All ecosystems write into the same file: each adds its
 * own lines to what is there by then. `keep` names the workspace, which stays hidden while it holds anything.
 */
export const hideWorkspace = operation<
  {
    readonly root: string;
    readonly file: string;
    readonly before: string | null;
    readonly lines: readonly string[];
    readonly keep: string;
  }
>({
  name: "hide_workspace",
  touches: ({ root }) => [root],
  describe: () => "Keep workspace files out of the control repository's status",
  async act(ctx, { root, file, lines }) {
    await ctx.git.at(root).inTurn(async () => {
      const now = await ctx.system.files.readText(file);
      const after = withLines(now, lines);
      if (after !== now) await ctx.system.files.write(file, after);
    });
  },
  async undo(ctx, { root, file, before, lines, keep }) {
    const { files } = ctx.system;
    await ctx.git.at(root).inTurn(async () => {
      if ((await files.list(keep)).length > 0) return;
      // A file that others have changed meanwhile stays as it is.
      if (await files.readText(file) !== withLines(before, lines)) return;
      if (before === null) await files.remove(file);
      else await files.write(file, before);
    });
  },
});

/** The change to `info/exclude`, which all worktrees share, that hides a workspace; null when nothing is missing. */
export async function planIgnore(
  system: System,
  git: Git,
  root: string,
  manifest: Manifest,
): Promise<{ file: string; before: string | null; lines: readonly string[] } | null> {
  const file = await excludeFile(git, root);
  if (file === null) return null;
  const before = await system.files.readText(file);
  const lines = [...patterns(manifest), ...ticketPatterns(manifest)];
  return withLines(before, lines) === (before ?? "") ? null : { file, before, lines };
}

/**
 * The step that hides the workspaces of tickets from the status of the control repository, where nothing does so yet.
 * It is not taken back: other tickets may rely on it by then, and by itself it hides nothing.
 */
export async function hideTickets(
  { system, git, root }: { readonly system: System; readonly git: Git; readonly root: string },
  manifest: Manifest,
): Promise<JournalStep[]> {
  const file = await excludeFile(git, root);
  const lines = ticketPatterns(manifest);
  const before = file === null ? null : await system.files.readText(file);
  if (file === null || withLines(before, lines) === (before ?? "")) return [];
  return [hideWorkspace.step({ root, file, before, lines, keep: root })];
}

/** Writes a state as text, or removes the file for null: for steps that are taken back to the letter. */
async function writeStateText(
  system: System,
  workspace: string,
  text: string | null,
): Promise<void> {
  if (text === null) await system.files.remove(stateFile(workspace));
  else await system.files.write(stateFile(workspace), text);
}

/** Replaces the workspace state. */
export const writeState = operation<
  { readonly workspace: string; readonly before: string | null; readonly after: string }
>({
  name: "write_state",
  touches: ({ workspace }) => [workspace],
  describe: () => "Write the workspace state",
  act: (ctx, { workspace, after }) => writeStateText(ctx.system, workspace, after),
  async undo(ctx, { workspace, before }) {
    // Where the workspace itself is gone there is nothing to write into.
    if (await ctx.system.files.lstat(workspace) === null) return;
    await writeStateText(ctx.system, workspace, before);
  },
});

/** Moves a damaged state file aside. */
export const moveDamagedState = operation<{ readonly workspace: string; readonly aside: string }>({
  name: "set_state_aside",
  describe: ({ aside }) => `Keep the damaged state as ${basename(aside)}`,
  async act(ctx, { workspace, aside }) {
    const { files } = ctx.system;
    if (await files.lstat(aside) === null) await files.rename(stateFile(workspace), aside);
  },
  async undo(ctx, { workspace, aside }) {
    const { files } = ctx.system;
    if (await files.lstat(aside) !== null) await files.rename(aside, stateFile(workspace));
  },
});

/** Replaces a file of our own making; `keep` names a directory that makes the replacement stay while it holds anything. */
export const replaceFile = operation<
  {
    readonly file: string;
    readonly before: string | null;
    readonly after: string;
    readonly what: string;
    readonly keep: string | null;
  }
>({
  name: "replace_file",
  describe: ({ what }) => what,
  act: (ctx, { file, after }) => ctx.system.files.write(file, after),
  async undo(ctx, { file, before, after, keep }) {
    const { files } = ctx.system;
    if (keep !== null && (await files.list(keep)).length > 0) return;
    // A file that others have changed meanwhile stays as it is.
    if (await files.readText(file) !== after) return;
    if (before === null) await files.remove(file);
    else await files.write(file, before);
  },
});

/** Makes directories that are not there yet, outermost first; taken back as far as they are empty. */
export const makeDirectories = operation<{ readonly paths: readonly string[] }>({
  name: "make_directories",
  describe: ({ paths }) => `Make the directory ${basename(paths.at(-1) ?? "")}`,
  async act(ctx, { paths }) {
    for (const path of paths) await ctx.system.files.makeDirectory(path);
  },
  async undo(ctx, { paths }) {
    for (const path of paths.toReversed()) {
      if ((await ctx.system.files.list(path)).length > 0) continue;
      try {
        await ctx.system.files.remove(path);
      } catch (error) {
        // Another ecosystem may be creating something in it at the same moment.
        if (ioErrorFacts(error)?.kind !== "not_empty") throw error;
      }
    }
  },
});

/** Forgets a worktree whose directory is gone. */
export const forgetVanished = operation<{ readonly root: string; readonly directory: string }>({
  name: "forget_vanished_worktree",
  touches: ({ root }) => [root],
  describe: ({ directory }) => `Forget the vanished worktree ${basename(directory)}`,
  act: (ctx, { root, directory }) => ctx.git.at(root).worktrees.forget(directory),
});

/** Links a workspace to the control repository again that was moved with it. It is not taken back: there it is. */
export const relinkWorktree = operation<{ readonly root: string; readonly directory: string }>({
  name: "relink_worktree",
  touches: ({ root, directory }) => [root, directory],
  describe: ({ directory }) => `Mend the link of ${basename(directory)}`,
  act: (ctx, { root, directory }) => ctx.git.at(root).worktrees.relink(directory),
});

type WorktreeArguments = {
  readonly root: string;
  readonly directory: string;
  readonly branch: string;
  /** Whether the branch is made too. */
  readonly create: boolean;
  /** The commit a made branch begins at. */
  readonly base: string;
  /** Whether the directory was there before, empty. */
  readonly existed: boolean;
};

async function takeBackWorktree(ctx: ExecuteContext, args: WorktreeArguments): Promise<void> {
  const { root, directory } = args;
  if (!await ctx.git.at(root).worktrees.has(directory)) return;
  const complete = await ctx.git.at(directory).hasIndex();
  // When git is killed after writing the last file, the worktree is complete and still locked.
  const locked = await ctx.git.at(root).worktrees.isBeingMade(directory);
  if (complete) {
    await ctx.system.files.remove(stateFile(directory));
    // Git would delete ignored files, clones among them, without a word.
    const [kept] = await ctx.git.at(directory).files.untracked();
    if (kept !== undefined) {
      throw new AmofError(
        "would_lose_work",
        `Left the workspace alone: it holds ${cleanLine(kept)}`,
      );
    }
  }
  if (complete && locked) {
    const { changes } = await ctx.git.at(directory, basename(directory)).status();
    if (changes.length > 0) {
      throw new AmofError(
        "would_lose_work",
        `Left the workspace alone: ${cleanLine(changes[0]?.path ?? "a file")} was changed`,
      );
    }
  }
  // A checkout that was killed half-way holds only files that git wrote, so it may be removed by force.
  await ctx.git.at(root).worktrees.remove(directory, !complete || locked);
}

/** Adds the worktree of a workspace. */
export const addWorktree = operation<WorktreeArguments>({
  name: "add_worktree",
  touches: ({ root, directory }) => [root, directory],
  describe: ({ branch, create }) => `${create ? "Create" : "Attach"} ${branch}`,
  async act(ctx, { root, directory, branch, create, base }) {
    // Git would follow a link that has appeared since somebody looked.
    if (await linkOut(ctx.system.files, root, directory) !== null) {
      throw new AmofError(
        "file_failed",
        `Cannot make the workspace at ${directory}: a link leads out of the control repository there`,
        { hint: "Put a directory in the place of that link, then repeat" },
      );
    }
    await ctx.git.at(root).worktrees.add({ path: directory, branch, from: create ? base : null });
  },
  async undo(ctx, args) {
    await takeBackWorktree(ctx, args);
    if (args.existed) await ctx.system.files.makeDirectory(args.directory);
    // The branch is deleted only if it still points to the commit it was made at and is checked out nowhere.
    if (args.create) {
      await ctx.git.at(args.root).refs.deleteUnused(`refs/heads/${args.branch}`, args.base);
    }
  },
});

/**
 * Removes a clone that was made moments ago, unless somebody has worked in it since: then it throws
 * `would_lose_work` and leaves it alone.
 */
async function removeFreshClone(
  ctx: ExecuteContext,
  workspace: string,
  repo: { readonly name: string; readonly path: string },
): Promise<void> {
  const target = await repoDirectory(ctx.system, workspace, repo);
  const repository = ctx.git.at(target, repo.name);
  const status = await repository.status("all");
  const unpushed = status.head === null ? 0 : await repository.history.localOnlyCount();
  const changed = status.changes.length + status.submodules.length;
  if (changed > 0 || status.stashes > 0 || unpushed > 0) {
    throw new AmofError("would_lose_work", `Left "${repo.name}" alone: somebody has worked in it`, {
      hint: "Push or remove it by hand",
      details: { repo: repo.name },
    });
  }
  await ctx.system.files.removeTree(target);
}

/** Clones repositories in parallel. Unless those that work are to be kept, all are taken back when one fails. */
export const cloneRepos = operation<
  {
    readonly workspace: string;
    /** Without their addresses, which may hold credentials: the manifest has them. */
    readonly repos: readonly { readonly name: string; readonly path: string }[];
    /** Whether those that work are kept when others fail; nobody is asked where it is absent. */
    readonly keep_going?: boolean | string;
    /** Whether the workspace holds other clones. */
    readonly others?: boolean;
  }
>({
  name: "clone_repos",
  // The clones lie in the workspace, which therefore cannot be removed while one of them stays.
  touches: ({ workspace }) => [workspace],
  describe: ({ repos }) => `Clone ${count(repos.length, "repository", "repositories")}`,
  async act(ctx, { workspace, repos: wanted, keep_going, others }) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const repos = manifest.repos.filter((repo) => wanted.some(({ name }) => name === repo.name));
    const options = { keepGoing: keep_going ?? false, others: others ?? false };
    rememberOutcome(ctx, await cloneAll(ctx, workspace, repos, options));
  },
  async undo(ctx, { workspace, repos }) {
    const kept: unknown[] = [];
    for (const repo of repos) {
      const place = join(workspace, repo.path);
      await removeStale(ctx, dirname(place), basename(place));
      if ((await ctx.system.files.list(place)).length === 0) continue;
      await removeFreshClone(ctx, workspace, repo).catch((error) => kept.push(error));
    }
    if (kept[0] !== undefined) throw kept[0];
  },
});

/** Deletes a branch on the remote that still points to a commit. */
export const deleteRemoteBranch = operation<
  {
    readonly repo: string;
    readonly directory: string;
    readonly branch: string;
    readonly commit: string;
  }
>({
  name: "delete_remote_branch",
  touches: ({ directory }) => [directory],
  describe: ({ repo, branch }) => `Delete ${branch} on the remote of ${repo}`,
  async act(ctx, { repo, directory, branch, commit }) {
    const repository = ctx.git.at(directory, repo);
    const there = await repository.remoteRefs.branches("origin");
    if (there.has(branch)) {
      await repository.remotes.deleteBranch({ branch, commit: sha(commit) });
    }
  },
  async undo(ctx, { directory, branch, commit }) {
    await ctx.git.at(directory).remotes.push({ commit: sha(commit), branch });
  },
});

/** The operations on workspaces. */
export const WORKSPACE_OPERATIONS = [
  writeState,
  moveDamagedState,
  replaceFile,
  hideWorkspace,
  repairClone,
  repairRepository,
  rememberPush,
  makeDirectories,
  forgetVanished,
  relinkWorktree,
  addWorktree,
  adoptClones,
  cloneRepos,
  deleteRemoteBranch,
  ...AWAY_OPERATIONS,
  freeTicket,
];
