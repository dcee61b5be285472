/** Makes the workspace of a ticket again that a run has taken away (UNDO-10): whether that can be done, and the work. */

import { basename, dirname, join } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { sha } from "../../base/ids.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";
import { Checkpoints } from "../../git/checkpoint/mod.ts";
import { operation } from "../../runs/steps/mod.ts";
import { hideTickets } from "../../workspace/changing.ts";
import { Transfers } from "../../workspace/clones/changing.ts";
import { loadManifest, type Manifest } from "../../workspace/manifest/mod.ts";
import { findWorkspace, inPoolOf, loadState } from "../../workspace/mod.ts";
import {
  bringMirrors,
  buildClone,
  mirrorOf,
  placeTaken,
  releaseTicket,
} from "../../workspace/tickets/changing.ts";
import { ticketDirectory, type TicketRepo } from "../../workspace/tickets/mod.ts";
import { placeTicket, sealTicket, writeDown } from "../ticket/steps/make_workspace.ts";
import {
  BOUNDS,
  type Gone,
  type GoneClone,
  objectStoreOf,
  type OperationRecord,
  packsOf,
} from "./record.ts";
import { forgetOperation, recordOf } from "./steps.ts";
import { impossible } from "./unmake.ts";

/** An operation that took the workspace of a ticket away. */
type OfGone = OperationRecord & { readonly gone: Gone };

/** What comes back, and what a confirmation of that is bound to. */
export interface RemadeFact {
  readonly ticket_id: string;
  /** How it is taken away again: the flags of the run that has done so. */
  readonly flags: string;
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string | null;
    readonly commit: string | null;
    /** Other local branches. */
    readonly branches: readonly string[];
  }[];
  /** What stays as it is, one sentence each. */
  readonly stays: readonly string[];
  /** The hash of everything that was kept. */
  readonly digest: string;
}

/** Whether an operation took the workspace of a ticket away. */
export function isOfGone(record: OperationRecord): record is OfGone {
  return record.gone !== undefined;
}

/** Throws where the manifest no longer has what was in the workspace, at its place. */
function requireKnown(ctx: CommandContext, manifest: Manifest, record: OfGone): void {
  const entries = Object.entries(record.gone.record.repos);
  const lost = entries.filter(([name, { path }]) => {
    const repo = manifest.repos.find((one) => one.name === name);
    return repo === undefined || !repo.enabled || repo.path !== path ||
      mirrorOf(ctx, repo) === null;
  });
  if (lost.length === 0) return;
  throw impossible(
    record,
    `${few(lost.map(([name]) => `"${name}"`), 5)} left the manifest since, or is elsewhere in it`,
    `Start it out of what is on remotes: amof ticket start ${record.gone.ticket} --workspace`,
  );
}

/** Looks whether the workspace can come back; throws `undo_impossible` where something else is there by now. No process. */
export async function planRemaking(ctx: CommandContext, record: OfGone): Promise<RemadeFact> {
  const { ticket: id, flags = "", clones, deleted } = record.gone;
  const { system, root } = ctx;
  const manifest = await loadManifest(system, root, ctx.ecosystem);
  requireKnown(ctx, manifest, record);
  const directory = ticketDirectory(root, manifest, id);
  const state = await loadState(system, join(root, manifest.workspaceDir));
  if (Object.hasOwn(state?.tickets ?? {}, id)) {
    throw impossible(
      record,
      `ticket ${id} was started in the base workspace since`,
      `End it first: amof ticket end ${id}`,
    );
  }
  if (await system.files.lstat(directory) !== null) {
    throw impossible(
      record,
      `something is at ${directory} since`,
      "See what it is: amof ticket list",
    );
  }
  return {
    ticket_id: id,
    flags,
    workspace: `${manifest.workspaceDir}@${id}`,
    repos: clones.map(({ name, picture: checkpoint }) => ({
      name,
      branch: checkpoint.branch,
      commit: checkpoint.head,
      branches: Object.keys(checkpoint.refs).filter((ref) =>
        ref.startsWith("refs/heads/") && ref !== `refs/heads/${checkpoint.branch}`
      ).map((ref) => ref.slice("refs/heads/".length)),
    })),
    stays: deleted.map(({ repo, branch }) =>
      `${repo}: ${branch} is deleted on its remote, and not pushed again`
    ),
    digest: sha256(canonicalJson(record.gone)),
  };
}

/** What is said of it before. */
export function remakingEffects({ workspace, repos, stays }: RemadeFact): string[] {
  return [
    `Make ${workspace} again, with ${count(repos.length, "clone")}`,
    ...repos.map(({ name, branch, commit, branches }) =>
      [
        `${name}: ${branch === null ? "on no branch" : `on ${cleanLine(branch, 60)}`} at ${
          commit?.slice(0, 8) ?? "no commit"
        }`,
        ...(branches.length === 0
          ? []
          : [`with ${few(branches.map((one) => cleanLine(one, 60)), 5)}`]),
      ].join(", ")
    ),
    ...stays.map((line) => `Stays: ${cleanLine(line, 200)}`),
  ];
}

/** Makes the workspace again: all of it, or nothing but mirrors. */
export async function remake(ctx: ExecuteContext, record: OfGone): Promise<void> {
  const { ticket, record: { repos } } = record.gone;
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const { directory: base, worktree } = await findWorkspace(ctx, ctx.root, manifest);
  const notes: string[] = [];
  await bringMirrors(
    ctx,
    worktree === null || worktree.prunable ? null : base,
    manifest.repos.filter(({ name }) => Object.hasOwn(repos, name)),
    { what: `undo run ${record.run_id.slice(0, 8)}`, offline: false, notes },
  );
  for (const note of notes) ctx.report.log("warn", note);
  const directory = ticketDirectory(ctx.root, manifest, ticket);
  const building = join(
    dirname(directory),
    `.${basename(directory)}.amof-new-${ctx.system.ids.hex(8)}`,
  );
  const where = { run: record.run_id, directory, building };
  const before = [...await hideTickets(ctx, manifest), remakeTicket.step(where)];
  const clones = Object.values(repos).map(({ path }) => path);
  await ctx.perform([
    ...before,
    placeTicket.step({ building, directory }),
    sealTicket.step({ directory, clones }),
    forgetOperation.step({ run: record.run_id }),
  ], before.length);
}

// The steps by which the workspace of a ticket is made again: aside, and published by one rename (UNDO-10).

/** The workspace; a type alias, so that it counts as plain JSON. */
type Remaking = {
  /** The run that took it away. */
  readonly run: string;
  /** Where it was, absolute. */
  readonly directory: string;
  /** Where it is made, beside that. */
  readonly building: string;
};

/** What the making of all clones has in common. */
interface Terms extends Remaking, Pick<Gone, "ticket" | "deleted"> {
  readonly manifest: Manifest;
  readonly transfers: Transfers;
}

/** Puts the commits that were kept of a clone into it. No process. */
async function supply(
  ctx: ExecuteContext,
  run: string,
  { name, clone }: { readonly name: string; readonly clone: string },
): Promise<void> {
  const { files } = ctx.system;
  const from = packsOf(ctx.layout, run, name);
  const to = join(clone, ".git", "objects", "pack");
  for (const { name: file } of await files.list(from)) {
    const there = join(to, file);
    if (await files.lstat(there) === null) await files.duplicate(join(from, file), there);
  }
}

/** Brings branches, tags and what is checked out to how they were, in a clone that nobody has seen yet. */
async function bringNames(
  ctx: ExecuteContext,
  { run, building, deleted }: Terms,
  { clone: { name, picture: checkpoint, upstreams }, path }: {
    readonly clone: GoneClone;
    readonly path: string;
  },
): Promise<void> {
  const made = ctx.git.at(join(building, path), name);
  const from = await made.part(Checkpoints).take(BOUNDS);
  // Tags that have come since are nobody's loss.
  const tags = Object.entries(from.refs).filter(([ref]) => ref.startsWith("refs/tags/"));
  const refs = { ...Object.fromEntries(tags), ...checkpoint.refs };
  const to = { ...from, head: checkpoint.head, branch: checkpoint.branch, refs };
  await made.part(Checkpoints).bring({
    from,
    to,
    bounds: BOUNDS,
    objects: objectStoreOf(ctx.layout, run, name),
  });
  // This fails where the parents of the commits are in no repository any more.
  for (const ref of Object.keys(checkpoint.refs).filter((one) => one.startsWith("refs/heads/"))) {
    await made.history.unpushedCount(ref);
  }
  for (const [local, { name: upstream, commit }] of Object.entries(upstreams)) {
    const ref = `refs/remotes/${upstream}`;
    const isDeleted = deleted.some((one) =>
      one.repo === name && `origin/${one.branch}` === upstream
    );
    // The mirror may not have heard of it; what the run itself deleted there is not to look as if it were there.
    if (commit !== null && !isDeleted) await made.refs.create(ref, sha(commit));
    if (await made.refs.resolve(ref) !== null) await made.branches.setUpstream(local, upstream);
  }
}

async function remakeClone(
  ctx: ExecuteContext,
  terms: Terms,
  { clone, there }: { readonly clone: GoneClone; readonly there: TicketRepo },
): Promise<void> {
  const { run, building, directory, ticket, manifest, transfers } = terms;
  const { name, picture: checkpoint, mirror } = clone;
  const repo = manifest.repos.find((entry) => entry.name === name);
  const { head } = checkpoint;
  if (repo === undefined || head === null) throw new TypeError(`"${name}" cannot be made again`);
  const { path, role, base } = there;
  const branch = checkpoint.branch ?? there.branch;
  const start = checkpoint.refs[`refs/heads/${branch}`] ?? head;
  await buildClone(
    ctx,
    {
      directory: building,
      standalone: mirror === null,
      ticket,
      place: directory,
      transfers,
      supply: (clone) => supply(ctx, run, { name, clone }),
    },
    repo,
    { name, path, role, branch, base, mirror: mirrorOf(ctx, repo), start, track: false },
  );
  await bringNames(ctx, terms, { clone, path });
}

/** Makes all clones aside as they were, and what says that they are a ticket. */
export const remakeTicket = operation<Remaking>({
  name: "undo_remake_ticket",
  touches: ({ building }) => [building],
  describe: ({ directory }) => `Make ${basename(directory)} again`,
  async act(ctx, where) {
    const { run, building } = where;
    const { gone } = await recordOf(ctx, run);
    if (gone === undefined) throw new TypeError(`Run ${run} took no workspace away`);
    const { ticket, record, clones, deleted } = gone;
    await ctx.system.files.removeTree(building);
    await ctx.system.files.makeDirectory(join(building, ".amof"));
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const terms = { ...where, ticket, manifest, deleted, transfers: new Transfers(ctx.transfers) };
    await inPoolOf(ctx, "cloning", clones, async (clone) => {
      if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
      const there = record.repos[clone.name];
      if (there !== undefined) await remakeClone(ctx, terms, { clone, there });
    });
    await writeDown(ctx, where, record);
    if (await ctx.system.files.lstat(where.directory) !== null) throw placeTaken(where.directory);
  },
  async undo(ctx, { building, directory }) {
    await ctx.system.files.removeTree(building);
    // A directory that could not be removed keeps what it holds.
    if (await ctx.system.files.lstat(directory) === null) await releaseTicket(ctx, directory);
  },
});
