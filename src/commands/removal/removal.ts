/**
 * Takes a workspace away so that an interruption leaves all of it or none of it.
 *
 * The directory is first renamed to a hidden neighbour, where nobody works, and looked at once more there: until
 * then everything can be taken back. Only behind that point anything is deleted.
 */

import { basename, dirname, join } from "@std/path";
import { AmofError, reasonOf } from "../../base/error.ts";
import { moveDirectory } from "../../base/system/move_directory.ts";
import { count } from "../../base/text/words.ts";
import { operation } from "../../runs/steps/mod.ts";
import { isSame } from "../../base/policy/consent.ts";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { digestOf, type RepoStock, type Stock } from "../../workspace/removal/mod.ts";
import { recordFile } from "../../workspace/tickets/mod.ts";
import { amongDigest } from "../../workspace/tickets/changing.ts";
import { findWorkspace } from "../../workspace/mod.ts";

const TRASH = /^\..+\.amof-removed-[0-9a-f]{8}$/;

type Trashed = {
  /** The workspace, absolute. */
  readonly directory: string;
  /** The place beside it that things are deleted from. */
  readonly aside: string;
  /** What of the workspace goes, relative; absent where all of it does. */
  readonly paths?: readonly string[];
};

/** What is where before and after it was set aside. */
function trashMoves({ directory, aside, paths }: Trashed): { place: string; at: string }[] {
  return paths?.map((path) => ({ place: join(directory, path), at: join(aside, path) })) ??
    [{ place: directory, at: aside }];
}

/** Renames the workspace, or clones in it, to the place they are deleted from. */
const moveToTrash = operation<Trashed>({
  name: "set_workspace_aside",
  describe: ({ directory, paths }) =>
    `Set ${paths === undefined ? basename(directory) : count(paths.length, "clone")} aside`,
  async act({ system: { files } }, trashed) {
    for (const { place, at } of trashMoves(trashed)) {
      if (await files.lstat(at) !== null) continue;
      await files.makeDirectory(dirname(at));
      await files.rename(place, at);
    }
  },
  async undo({ system: { files } }, trashed) {
    for (const { place, at } of trashMoves(trashed)) {
      await moveDirectory(files, at, place, () =>
        new AmofError(
          "would_lose_work",
          `Cannot put ${basename(place)} back: something new is at ${place}`,
          { hint: `It is in ${at}\nMove away what is in its place, then repeat` },
        ));
    }
    // Directories on the way to clones, which are empty now.
    if (trashed.paths !== undefined) await files.removeTree(trashed.aside);
  },
});

type Looked = { readonly name: string; readonly path: string; readonly digest: string };

/** Makes sure that nothing was added to the workspace since it was looked at. */
const checkTrashed = operation<{
  readonly aside: string;
  readonly repos: readonly Looked[];
  /** What lay among the clones of a ticket, and where those are; absent for the workspace itself, which git looks at. */
  readonly among?: { readonly paths: readonly string[]; readonly digest: string };
  /** The flag that commands need to mean these clones; absent for the workspace itself. */
  readonly scope?: string;
}>({
  name: "check_workspace_aside",
  describe: () => "Check that nothing was added meanwhile",
  async act(ctx, { aside, repos, among, scope = "" }) {
    if (
      among !== undefined &&
      !isSame(await amongDigest(ctx.system, aside, among.paths), among.digest)
    ) {
      throw new AmofError(
        "would_lose_work",
        "Cannot remove the workspace: files were added among its clones meanwhile; everything is as it was",
        { hint: "Look at them, then repeat the command" },
      );
    }
    for (const { name, path, digest } of repos) {
      const now = await digestOf(ctx, join(aside, path), name);
      if (isSame(now, digest)) continue;
      throw new AmofError(
        "would_lose_work",
        `Cannot remove "${name}": it has changed meanwhile; everything is as it was`,
        { hint: `Look at it: amof status${scope}\nThen repeat`, details: { repo: name } },
      );
    }
  },
});

/** Makes git forget the worktree whose directory is gone. */
const forgetWorktree = operation<{ readonly root: string; readonly directory: string }>({
  name: "forget_worktree",
  touches: ({ root }) => [root],
  describe: ({ directory }) => `Unregister the worktree ${basename(directory)}`,
  async act(ctx, { root, directory }) {
    const repository = ctx.git.at(root);
    if (!await repository.worktrees.has(directory)) return;
    if (await ctx.system.files.lstat(directory) !== null) {
      throw new AmofError(
        "would_lose_work",
        `Cannot unregister the worktree: something new is at ${directory}`,
        { hint: "Move it away, then repeat" },
      );
    }
    await repository.worktrees.remove(directory, true);
  },
});

/** Deletes a branch of the control repository unless somebody has moved it. */
const dropBranch = operation<
  { readonly root: string; readonly branch: string; readonly commit: string }
>({
  name: "drop_branch",
  touches: ({ root }) => [root],
  describe: ({ branch }) => `Delete the branch ${branch}`,
  async act(ctx, { root, branch, commit }) {
    const ref = `refs/heads/${branch}`;
    const repository = ctx.git.at(root);
    if (await repository.refs.resolve(ref) === null) return;
    if (!await repository.refs.deleteUnused(ref, commit)) {
      ctx.report.log("warn", `The branch ${branch} stays: it was moved or checked out meanwhile`);
    }
  },
});

/**
 * Removes the record from the workspace of a ticket that was moved to the trash. From now on it is no ticket
 * any more, and whoever finds it may delete it.
 */
const dropRecord = operation<{ readonly aside: string }>({
  name: "drop_ticket_record",
  touches: ({ aside }) => [aside],
  describe: () => "Forget the ticket",
  async act(ctx, { aside }) {
    const { files } = ctx.system;
    // A link would lead to a file of somebody else.
    const own = (await files.lstat(join(aside, ".amof")))?.kind === "directory";
    const file = recordFile(aside);
    if (own && (await files.lstat(file))?.kind === "file") await files.remove(file);
  },
});

/**
 * Deletes what was moved to the trash. What cannot be deleted stays, and `amof doctor` reports it. The
 * workspace is gone either way, and a file without permission must not hold up every later command.
 */
export const emptyTrash = operation<{ readonly aside: string }>({
  name: "delete_workspace_aside",
  describe: () => "Delete the files",
  async act(ctx, { aside }) {
    if (!TRASH.test(basename(aside))) {
      throw new TypeError(`"${basename(aside)}" is no place to delete`);
    }
    try {
      await ctx.system.files.removeTree(aside);
    } catch (error) {
      ctx.report.log("warn", `Could not delete all of ${aside}: ${reasonOf(error)}`, {
        type: "leftover",
      });
    }
  },
});

/**
 * What removals of a workspace could not delete, absolute: hidden neighbours that no workspace can come back from.
 * One git process where there are any.
 */
export async function undeleted(ctx: CommandContext, manifest: Manifest): Promise<string[]> {
  const directory = join(ctx.root, manifest.workspaceDir);
  const parent = dirname(directory);
  const prefix = `.${basename(directory)}.amof-removed-`;
  const found = (await ctx.system.files.list(parent)).map((entry) => entry.name)
    .filter((name) => name.startsWith(prefix) && TRASH.test(name));
  if (found.length === 0) return [];
  const { worktree } = await findWorkspace(ctx, ctx.root, manifest);
  // If git still knows the workspace and its directory is gone, what was set aside may be that workspace.
  return worktree?.prunable === true ? [] : found.map((name) => join(parent, name));
}

/** Where a workspace goes before it is deleted. */
function trashOf(ctx: ExecuteContext, directory: string): string {
  return join(dirname(directory), `.${basename(directory)}.amof-removed-${ctx.system.ids.hex(8)}`);
}

/** The steps that set clones of a workspace aside and look at them once more, and where they go; all can be taken back. */
export function asideSteps(
  ctx: ExecuteContext,
  { directory, clones, scope }: {
    /** The workspace, absolute. */
    readonly directory: string;
    readonly clones: readonly Looked[];
    /** The flag that commands need to mean these clones, or nothing. */
    readonly scope: string;
  },
): { readonly steps: JournalStep[]; readonly aside: string } {
  const aside = trashOf(ctx, directory);
  const paths = clones.map(({ path }) => path);
  return {
    aside,
    steps: [
      moveToTrash.step({ directory, aside, paths }),
      checkTrashed.step({ aside, repos: clones, scope }),
    ],
  };
}

/** What is looked at once more behind the renaming: what could be read before. */
function lookedAt(repos: readonly RepoStock[], digests: TicketRemoval["digests"]): Looked[] {
  return repos.filter((repo) => repo.problem === null)
    .map(({ name, path }) => ({ name, path, digest: digests[name] ?? "" }));
}

/** What is to be taken away with a ticket. */
interface TicketRemoval {
  /** Absolute. */
  readonly directory: string;
  readonly stock: Stock;
  /** Repository to digest, as the removal was confirmed. */
  readonly digests: Readonly<Record<string, string>>;
  /** The places of the clones, relative. */
  readonly paths: readonly string[];
  /** What lay among them, as `amongDigest` has it. */
  readonly among: string;
  /** The flag that commands need to mean these clones, such as ` --ticket PROJ-1`. */
  readonly scope: string;
}

/** As {@linkcode removalSteps} for the workspace of a ticket, which is no working copy of the control repository. */
export function ticketRemovalSteps(
  ctx: ExecuteContext,
  { directory, stock, digests, paths, among, scope }: TicketRemoval,
): { readonly undoable: JournalStep[]; readonly final: JournalStep[]; readonly aside: string } {
  const aside = trashOf(ctx, directory);
  return {
    aside,
    undoable: [
      moveToTrash.step({ directory, aside }),
      checkTrashed.step({
        aside,
        repos: lookedAt(stock.repos, digests),
        among: { paths, digest: among },
        scope,
      }),
    ],
    final: [dropRecord.step({ aside }), emptyTrash.step({ aside })],
  };
}

/** What commands that made or removed workspaces of tickets have left beside the base workspace, absolute. */
interface TicketRemains {
  /** What nobody can come back from: parts of what was made, or of what was removed. */
  readonly rubbish: readonly string[];
  /** Workspaces that were set aside and still are whole tickets, with where they were. */
  readonly aside: readonly { readonly place: string; readonly from: string }[];
}

const REMAINS = /^\.(.+@.+)\.amof-(?:new|removed)-[0-9a-f]{8}$/;

/** Looks for what is left of making and removing workspaces of tickets. No process. */
export async function ticketRemains(
  { system: { files }, root }: Pick<CommandContext, "system" | "root">,
  { workspaceDir }: Pick<Manifest, "workspaceDir">,
): Promise<TicketRemains> {
  const base = join(root, workspaceDir);
  const parent = dirname(base);
  const rubbish: string[] = [];
  const aside: { place: string; from: string }[] = [];
  for (const { name, kind } of await files.list(parent)) {
    const ticket = REMAINS.exec(name)?.[1];
    if (kind !== "directory" || !ticket?.startsWith(`${basename(base)}@`)) continue;
    const place = join(parent, name);
    const from = join(parent, ticket);
    const whole = TRASH.test(name) && await files.lstat(recordFile(place)) !== null;
    if (whole) aside.push({ place, from });
    else rubbish.push(place);
  }
  return { rubbish: rubbish.sort(), aside };
}

/** The operations of removing a workspace. */
export const REMOVAL_OPERATIONS = [
  moveToTrash,
  checkTrashed,
  forgetWorktree,
  dropBranch,
  dropRecord,
  emptyTrash,
];

/** What is to be taken away. */
interface Removal {
  readonly root: string;
  /** Absolute. */
  readonly directory: string;
  /** What is in the workspace now. */
  readonly stock: Stock;
  /** Repository to digest, as the removal was confirmed. */
  readonly digests: Readonly<Record<string, string>>;
  /** The workspace branch where it is to be deleted, or null. */
  readonly branch: { readonly name: string; readonly commit: string } | null;
}

/** The steps of a removal, how many of them can be taken back, and where the files go first. */
export function removalSteps(
  ctx: ExecuteContext,
  removal: Removal,
): { readonly undoable: JournalStep[]; readonly final: JournalStep[]; readonly aside: string } {
  const { root, directory, branch, stock, digests } = removal;
  const aside = trashOf(ctx, directory);
  const gone = stock.control === null;
  const control = stock.control === null ? [] : [stock.control];
  const looked = lookedAt([...control, ...stock.repos], digests);
  return {
    aside,
    undoable: gone ? [] : [
      moveToTrash.step({ directory, aside }),
      ...(looked.length === 0 ? [] : [checkTrashed.step({ aside, repos: looked })]),
    ],
    final: [
      forgetWorktree.step({ root, directory }),
      ...(branch === null
        ? []
        : [dropBranch.step({ root, branch: branch.name, commit: branch.commit })]),
      ...(gone ? [] : [emptyTrash.step({ aside })]),
    ],
  };
}
