/**
 * Who borrows from a mirror. It is recorded twice: in the database, which also knows of mirrors that are gone,
 * and in the mirror itself. So nobody removes what is needed when the database is deleted (MIRROR-4).
 */

import { basename, dirname, join, relative } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { isObject, jsonIn } from "../../base/object.ts";
import type { Borrower } from "../../state/store/mod.ts";
import type { System } from "../../base/system/mod.ts";
import type { MirrorTools } from "./place.ts";

/** The directory in a mirror in which its borrowers stand, each in a file of its own. */
const BORROWERS = "amof-borrowers";
const NAME = /^[0-9a-f]{16}\.json$/;

type Tools = Pick<MirrorTools, "system">;

/**
 * Whether a clone that is recorded as a borrower needs the mirror. `living` does. `gone` does not, which
 * includes one that has become independent. `away` means that its control repository is not there either, so
 * that a disk may be missing.
 */
type BorrowerState = "living" | "gone" | "away";

/** A clone that is written down as a borrower. */
export interface BorrowerFound extends Omit<Borrower, "mirror"> {
  readonly state: BorrowerState;
}

/** Whether the clone in a directory reads from a mirror, as its own file says. */
async function reads({ files }: System, directory: string, mirror: string): Promise<boolean> {
  const alternates = await files.readText(join(directory, ".git", "objects", "info", "alternates"));
  const needed = join(mirror, "objects");
  return alternates?.split("\n").some((line) => line.trim() === needed) ?? false;
}

/** What the hidden neighbour of a ticket's place is called in which it is made, or put away. */
const BESIDE = /^\.amof-(?:new|archived)-[0-9a-f]{8}$/;

/** Where a clone may be while its ticket is made or put away: in a hidden neighbour of the ticket's place (TICKET-12). */
async function beside({ files }: System, { directory, ticket }: Borrower): Promise<string[]> {
  let place = directory;
  while (!basename(place).endsWith(`@${ticket}`)) {
    if (dirname(place) === place) return [];
    place = dirname(place);
  }
  const begins = `.${basename(place)}`;
  return (await files.list(dirname(place)))
    .filter(({ name }) => name.startsWith(begins) && BESIDE.test(name.slice(begins.length)))
    .map(({ name }) => join(dirname(place), name, relative(place, directory)));
}

/** Whether a clone that is written down needs its mirror. */
async function stateOf(system: System, borrower: Borrower): Promise<BorrowerState> {
  const { files } = system;
  const { directory, mirror, root } = borrower;
  if (await reads(system, directory, mirror)) return "living";
  for (const place of await beside(system, borrower)) {
    if (await reads(system, place, mirror)) return "living";
  }
  if (await files.lstat(directory) !== null) return "gone";
  return await files.lstat(root) === null ? "away" : "gone";
}

/** The file in which a clone stands, absolute. */
function fileOf({ mirror, directory }: Pick<Borrower, "mirror" | "directory">): string {
  return join(mirror, BORROWERS, `${sha256(directory).slice(0, 16)}.json`);
}

/** Writes down who borrows, where there is a mirror to write it into. */
async function mark(
  { system: { files } }: Tools,
  { mirror, directory, root, ecosystem, ticket }: Borrower,
): Promise<void> {
  if (await files.lstat(mirror) === null) return;
  const file = fileOf({ mirror, directory });
  const text = `${JSON.stringify({ directory, root, ecosystem, ticket })}\n`;
  if (await files.readText(file) !== text) await files.write(file, text);
}

async function marked({ system: { files } }: Tools, mirror: string): Promise<Borrower[]> {
  const found: Borrower[] = [];
  for (const { name } of await files.list(join(mirror, BORROWERS))) {
    if (!NAME.test(name)) continue;
    const borrower = borrowerIn(await files.readText(join(mirror, BORROWERS, name)) ?? "");
    if (borrower !== null) found.push({ mirror, ...borrower });
  }
  return found;
}

/** What the file of a borrower says; null where it is not one that was written here. */
function borrowerIn(text: string): Omit<Borrower, "mirror"> | null {
  const value = jsonIn(text);
  if (!isObject(value)) return null;
  const { directory, root, ecosystem, ticket } = value;
  return typeof directory === "string" && typeof root === "string" &&
      typeof ecosystem === "string" && typeof ticket === "string"
    ? { directory, root, ecosystem, ticket }
    : null;
}

async function add(
  ctx: Pick<ExecuteContext, "system" | "records">,
  borrower: Borrower,
): Promise<void> {
  ctx.records.borrowers.add(borrower);
  await mark(ctx, borrower);
}

/** Writes down what clones of the ticket in a directory borrow, also of those that are still to be made. */
export async function addBorrowers(
  ctx: Pick<ExecuteContext, "system" | "records" | "root" | "ecosystem">,
  { directory, ticket, borrows }: {
    readonly directory: string;
    readonly ticket: string;
    /** The paths of the clones below that directory, and their mirrors, absolute. */
    readonly borrows: readonly { readonly path: string; readonly mirror: string }[];
  },
): Promise<void> {
  const { root, ecosystem } = ctx;
  for (const { path, mirror } of borrows) {
    await add(ctx, { mirror, directory: join(directory, path), root, ecosystem, ticket });
  }
}

/**
 * Who borrows from a mirror, by directory: whom the database knows, and who stands in the mirror besides and has not
 * gone. No process.
 */
export async function borrowersFound(
  { system }: Tools,
  mirror: string,
  known: readonly Borrower[],
): Promise<BorrowerFound[]> {
  const found: BorrowerFound[] = [];
  const look = async (borrower: Borrower, isKnown: boolean) => {
    const { directory, root, ecosystem, ticket } = borrower;
    const state = await stateOf(system, borrower);
    if (isKnown || state !== "gone") found.push({ directory, root, ecosystem, ticket, state });
  };
  for (const borrower of known) await look(borrower, true);
  const directories = new Set(known.map(({ directory }) => directory));
  for (const borrower of await marked({ system }, mirror)) {
    if (!directories.has(borrower.directory)) await look(borrower, false);
  }
  return found.sort((a, b) => a.directory < b.directory ? -1 : 1);
}

/** Makes the database and the mirror say the same: who is gone is forgotten, whoever is left stands in both. */
export async function settleBorrowers(
  ctx: Pick<ExecuteContext, "system" | "records">,
  mirror: string,
  found: readonly BorrowerFound[],
): Promise<void> {
  const { files } = ctx.system;
  for (const { directory, state } of found) {
    if (state === "gone") ctx.records.borrowers.remove(directory);
  }
  const needed = found.filter(({ state }) => state !== "gone");
  const left = new Set(needed.map(({ directory }) => basename(fileOf({ mirror, directory }))));
  for (const { name } of await files.list(join(mirror, BORROWERS))) {
    if (NAME.test(name) && !left.has(name)) await files.remove(join(mirror, BORROWERS, name));
  }
  for (const { directory, root, ecosystem, ticket } of needed) {
    await add(ctx, { mirror, directory, root, ecosystem, ticket });
  }
}

/** Writes into a mirror who borrows from it, as far as it does not say so. */
export async function markAll(
  tools: Tools,
  mirror: string,
  borrowers: readonly Omit<Borrower, "mirror">[],
): Promise<void> {
  for (const borrower of borrowers) await mark(tools, { ...borrower, mirror });
}
