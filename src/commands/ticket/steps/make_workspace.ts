/** The journaled steps that make the workspace of a ticket: aside, and published by one rename (TICKET-12). */

import { basename, join } from "@std/path";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { operation } from "../../../runs/steps/mod.ts";
import { addBorrowers } from "../../../workspace/mirrors/mod.ts";
import { loadRecord, type TicketDraft, type TicketRepo } from "../../../workspace/tickets/mod.ts";
import {
  buildClone,
  type ClonePlan,
  placeWorkspace,
  releaseTicket,
  reservePorts,
  writeTicket,
} from "../../../workspace/tickets/changing.ts";
import { inPoolOf, ticketEditorText } from "../../../workspace/mod.ts";
import { loadManifest } from "../../../workspace/manifest/mod.ts";
import { Transfers } from "../../../workspace/clones/changing.ts";
import { count } from "../../../base/text/words.ts";
import { carryInto, type CarryPlace } from "./carried.ts";

type Making = {
  /** Where it will be, absolute. */
  readonly directory: string;
  /** Where it is made, beside that. */
  readonly building: string;
};

/** Reserves what a ticket holds on this machine besides its files: ports, and the mirrors its clones need. */
export const reserveTicket = operation<
  Pick<Making, "directory"> & {
    readonly ticket: string;
    /** What each clone borrows from. */
    readonly borrows: readonly { readonly path: string; readonly mirror: string }[];
  }
>({
  name: "reserve_ticket",
  touches: () => [],
  describe: ({ ticket }) => `Reserve what ${ticket} needs`,
  async act(ctx, { directory, ticket, borrows }) {
    const { root, ecosystem } = ctx;
    await reservePorts(ctx, { directory, root, ecosystem, ticket });
    await addBorrowers(ctx, { directory, ticket, borrows });
  },
  async undo(ctx, { directory }) {
    // A directory that was published and could not be removed keeps what it holds.
    if (await ctx.system.files.lstat(directory) === null) await releaseTicket(ctx, directory);
  },
});

/** Makes all clones. */
export const buildTicket = operation<
  Making & {
    readonly ticket: string;
    readonly clones: readonly ClonePlan[];
    readonly standalone: boolean;
  }
>({
  name: "build_ticket",
  touches: ({ building }) => [building],
  describe: ({ clones }) => `Make ${count(clones.length, "clone")}`,
  async act(ctx, { building, directory, ticket, clones, standalone }) {
    await ctx.system.files.removeTree(building);
    await ctx.system.files.makeDirectory(building);
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const transfers = new Transfers(ctx.transfers);
    const terms = { directory: building, standalone, ticket, place: directory, transfers };
    await inPoolOf(ctx, "cloning", clones, async (plan) => {
      if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
      const repo = manifest.repos.find(({ name }) => name === plan.name);
      if (repo === undefined) throw new TypeError(`"${plan.name}" has left the manifest`);
      await buildClone(ctx, terms, repo, plan);
    });
  },
  async undo(ctx, { building }) {
    await ctx.system.files.removeTree(building);
  },
});

/** Copies ignored files into the clones. */
export const carryFiles = operation<
  Pick<Making, "building"> & {
    readonly places: readonly (CarryPlace & { readonly path: string })[];
  }
>({
  name: "carry_files",
  touches: ({ building }) => [building],
  describe: ({ places }) =>
    `Copy ignored files of ${count(places.length, "repository", "repositories")}`,
  async act(ctx, { building, places }) {
    await inPoolOf(ctx, "copying", places, async ({ path, ...place }) => {
      await carryInto(ctx, place, join(building, path));
    });
  },
});

/** What a record says before the clones are looked at. */
type Draft = Pick<TicketDraft, "ticket_id" | "ecosystem" | "created_at" | "phase"> & {
  readonly clones: readonly ClonePlan[];
};

/** What the record of a ticket says of a base branch that is not the manifest's (TICKET-19). */
export async function chosenBases(
  { system, root, ecosystem }: Pick<ExecuteContext, "system" | "root" | "ecosystem">,
): Promise<(name: string, base: string) => Pick<TicketRepo, "chosen">> {
  const { repos } = await loadManifest(system, root, ecosystem);
  return (name, base) =>
    repos.some((repo) => repo.name === name && repo.branch === base) ? {} : { chosen: true };
}

/** Writes what amof keeps in the directory of a ticket: with the ports that it has now. */
export async function writeDown(
  ctx: ExecuteContext,
  { building, directory }: Making,
  record: TicketDraft,
): Promise<void> {
  const { ticket_id: ticket, ecosystem, repos } = record;
  const clones = Object.entries(repos).map(([name, { path }]) => ({ name, path }));
  await writeTicket(ctx, { place: building, directory }, record);
  await ctx.system.files.write(
    join(building, `amof.${ecosystem}.${ticket}.code-workspace`),
    ticketEditorText(ticket, clones),
  );
}

/** Writes what amof keeps in the directory of a ticket that was made. */
export const writeRecord = operation<Making & { readonly record: Draft }>({
  name: "write_ticket_record",
  touches: ({ building }) => [building],
  describe: ({ record }) => `Write down what ${record.ticket_id} is`,
  async act(ctx, { building, directory, record: { clones, ...record } }) {
    const chosen = await chosenBases(ctx);
    const repos = await Promise.all(clones.map(async (plan) => {
      const { name, path, role, branch, base, mirror } = plan;
      const head = `refs/heads/${branch}`;
      const start = (await ctx.git.at(join(building, path), name).refs.peek([head])).get(head);
      if (start === undefined) throw new TypeError(`"${name}" has no commit on ${branch}`);
      return [name, { path, role, branch, base, ...chosen(name, base), start, mirror }] as const;
    }));
    const whole = { ...record, version: 1 as const, repos: Object.fromEntries(repos) };
    await writeDown(ctx, { building, directory }, whole);
  },
});

/** Whether a clone is as it was made: on its branch, with nothing of anybody in it. */
export async function isCloneUntouched(
  ctx: ExecuteContext,
  directory: string,
  { name, branch }: { readonly name: string; readonly branch: string },
): Promise<boolean> {
  const clone = ctx.git.at(directory, name);
  const status = await clone.status("all");
  return status.branch === branch && status.changes.length === 0 &&
    status.submodules.length === 0 && status.stashes === 0 &&
    await clone.history.localOnlyCount() === 0;
}

/** What lies at the top of a ticket that nobody has worked in. */
async function isUntouched(ctx: ExecuteContext, directory: string): Promise<boolean> {
  const { files } = ctx.system;
  // A record that cannot be read is not the one that was written.
  const record = await loadRecord(ctx.system, directory).catch(() => null);
  if (record === null) return false;
  const clones = Object.entries(record.repos);
  const editor = `amof.${record.ecosystem}.${record.ticket_id}.code-workspace`;
  const ours = new Set([
    ".amof",
    editor,
    ...clones.map(([, { path }]) => path.split("/")[0] ?? ""),
  ]);
  const entries = await files.list(directory);
  if (entries.some(({ name }) => !ours.has(name))) return false;
  for (const [name, { path, branch }] of clones) {
    if (!await isCloneUntouched(ctx, join(directory, path), { name, branch })) return false;
  }
  return true;
}

/** Publishes what was made: from now on the ticket is there, whole. */
export const placeTicket = operation<Making>({
  name: "place_ticket",
  touches: ({ building, directory }) => [building, directory],
  describe: ({ directory }) => `Put it at ${basename(directory)}`,
  act: ({ system }, { building, directory }) => placeWorkspace(system, building, directory),
  async undo(ctx, { building, directory }) {
    const { files } = ctx.system;
    if (await files.lstat(building) !== null || await files.lstat(directory) === null) return;
    if (await isUntouched(ctx, directory)) return await files.rename(directory, building);
    ctx.report.log("warn", `${basename(directory)} stays: somebody has worked in it already`);
  },
});

/** Remembers the clones as they were made, so that it shows what somebody changes in their settings (SEAL-1). */
export const sealTicket = operation<
  Pick<Making, "directory"> & { readonly clones: readonly string[] }
>({
  name: "seal_ticket",
  touches: () => [],
  describe: ({ clones }) => `Seal ${count(clones.length, "clone")}`,
  async act(ctx, { directory, clones }) {
    await ctx.seals.seal(clones.map((path) => join(directory, path)));
  },
});

/** The steps a workspace of a ticket is made of. */
export const TICKET_WORKSPACE_OPERATIONS = [
  reserveTicket,
  buildTicket,
  carryFiles,
  writeRecord,
  placeTicket,
  sealTicket,
];
