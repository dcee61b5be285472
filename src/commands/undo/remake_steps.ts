/** The steps by which the workspace of a ticket is made again: aside, and published by one rename (UNDO-10). */

import { basename, dirname, join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { sha } from "../../base/ids.ts";
import { operation } from "../../runs/steps/mod.ts";
import { PORT_COUNT } from "../../state/store/mod.ts";
import { variableLines } from "../../base/text/shells.ts";
import { saveRecord, type TicketRecord, type TicketRepo } from "../../workspace/tickets/mod.ts";
import {
  buildClone,
  mirrorOf,
  releaseTicket,
  reservePorts,
  ticketVariables,
} from "../../workspace/tickets/changing.ts";
import { inPoolOf, ticketEditorText } from "../../workspace/mod.ts";
import { loadManifest, type Manifest } from "../../workspace/manifest/mod.ts";
import { Transfers } from "../../workspace/clones/changing.ts";
import {
  BOUNDS,
  type Gone,
  type GoneClone,
  objectStoreOf,
  packsOf,
  readOperation,
} from "./record.ts";
import { Checkpoints } from "../../git/checkpoint/mod.ts";

/** The workspace; a type alias, so that it counts as plain JSON. */
type Remaking = {
  /** The run that took it away. */
  readonly run: string;
  /** Where it was, absolute. */
  readonly directory: string;
  /** Where it is made, beside that. */
  readonly building: string;
};

async function goneOf(ctx: ExecuteContext, run: string): Promise<Gone> {
  const gone = (await readOperation(ctx.system, ctx.layout, run))?.gone;
  if (gone !== undefined) return gone;
  throw new AmofError(
    "operation_not_found",
    `Cannot find what run "${run.slice(0, 8)}" took away: it is no longer kept`,
    { details: { run_id: run } },
  );
}

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

/** Writes what amof keeps in the directory of a ticket: as it was, with the ports that it has now. */
async function writeDown(
  ctx: ExecuteContext,
  { building, directory }: Remaking,
  before: TicketRecord,
): Promise<void> {
  const { root, ecosystem } = ctx;
  const { ticket_id: ticket } = before;
  const base = await reservePorts(ctx, { directory, root, ecosystem, ticket });
  const record = { ...before, env: { port_base: base, port_count: PORT_COUNT } };
  const variables = ticketVariables({ root, ecosystem, directory, record });
  const clones = Object.entries(record.repos).map(([name, { path }]) => ({ name, path }));
  await saveRecord(ctx.system, building, record);
  await ctx.system.files.write(
    join(building, ".amof", "env"),
    `${variableLines(variables, "dotenv").join("\n")}\n`,
  );
  await ctx.system.files.write(
    join(building, `amof.${ecosystem}.${ticket}.code-workspace`),
    ticketEditorText(ticket, clones),
  );
}

/** Throws where something has come to the place of the workspace. */
async function requireFree({ system }: ExecuteContext, directory: string): Promise<void> {
  if (await system.files.lstat(directory) === null) return;
  throw new AmofError(
    "workspace_exists",
    `Cannot put the ticket at ${directory}: something else has come there meanwhile`,
    { hint: "Move it away, then: amof doctor --repair", details: { path: directory } },
  );
}

/** Makes all clones aside as they were, and what says that they are a ticket. */
export const remakeTicket = operation<Remaking>({
  name: "undo_remake_ticket",
  touches: ({ building }) => [building],
  describe: ({ directory }) => `Make ${basename(directory)} again`,
  async act(ctx, where) {
    const { run, building } = where;
    const { ticket, record, clones, deleted } = await goneOf(ctx, run);
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
    await requireFree(ctx, where.directory);
  },
  async undo(ctx, { building, directory }) {
    await ctx.system.files.removeTree(building);
    // A directory that could not be removed keeps what it holds.
    if (await ctx.system.files.lstat(directory) === null) await releaseTicket(ctx, directory);
  },
});

/** Puts what was made at its place: from then on the ticket is there, whole, and anybody may work in it. */
export const placeRemade = operation<Remaking>({
  name: "undo_place_ticket",
  touches: ({ building, directory }) => [building, directory],
  describe: ({ directory }) => `Put it at ${basename(directory)}`,
  async act(ctx, { building, directory }) {
    const { files } = ctx.system;
    // A rename that was followed by a kill.
    if (await files.lstat(building) === null) return;
    await requireFree(ctx, directory);
    await files.rename(building, directory);
    await files.flushDirectory(dirname(directory));
  },
});

/** Remembers the clones as they were made again. */
export const sealRemade = operation<{ readonly clones: readonly string[] }>({
  name: "undo_seal_ticket",
  touches: () => [],
  describe: () => "Seal the clones",
  async act(ctx, { clones }) {
    await ctx.seals.seal([...clones]);
  },
});

/** The steps of making a workspace again. */
export const REMAKE_OPERATIONS = [remakeTicket, placeRemade, sealRemade] as const;
