/** What a rollback has to do in the shared files of a root (PACK-62): entry by entry, as for files. */

import type { Files } from "../../../../base/system/mod.ts";
import { type Fields, fieldsOf } from "../../../../base/object.ts";
import { decodeText, encodeText, wholeBytes } from "../../content.ts";
import { pathIn } from "../../io.ts";
import {
  editEntriesOf,
  entryHash,
  isTrouble,
  readTable,
} from "../../../../state/entries/document.ts";
import { sharedFileError } from "../../shared.ts";
import { keyOf, type SharedFile } from "../../../../state/entries/types.ts";
import { sharedFilesOf } from "../../target/shared_files.ts";
import {
  type Copy,
  entryCopy,
  type History,
  type PastManifest,
  type TargetRoot,
} from "../history.ts";
import { LINK, madeOf, readShared } from "./plan.ts";
import type { RecordedChange } from "../snapshot.ts";
import type { ManagedEntry, RootManifest } from "../target_manifest.ts";
import type { Write } from "../transaction.ts";

/** What the plan of a shared file is made of. */
interface Input {
  readonly files: Files;
  readonly history: History;
  /** The id of the goal. */
  readonly goal: string;
  readonly place: TargetRoot;
  /** Whether the goal was a run for this root's target; if not, nothing is taken away. */
  readonly covered: boolean;
}

interface SharedRollback {
  readonly write: Write | null;
  readonly copies: readonly Copy[];
  /** What the manifest has to list afterwards. */
  readonly listed: readonly ManagedEntry[];
  readonly warnings: readonly string[];
}

/** Plans the shared files of a root, those of which nothing was or is ours left out. */
export async function planSharedRollback(
  input: Input,
  then: PastManifest | "unknown" | null,
  present: RootManifest,
): Promise<SharedRollback[]> {
  const plans: SharedRollback[] = [];
  for (const shared of sharedFilesOf(input.place.target)) {
    const here = ({ path }: ManagedEntry) => path === shared.file;
    const past = then === null || then === "unknown" ? [] : then.shared.filter(here);
    const plan = await planFile(input, shared, { past, present: present.shared.filter(here) });
    if (plan !== null) plans.push(plan);
  }
  return plans;
}

/** What a shared file was and is to have of ours. */
interface Entries {
  readonly past: readonly ManagedEntry[];
  readonly present: readonly ManagedEntry[];
}

/** What a shared file has to have again. */
interface Goal {
  /** The values of entries by name; undefined for one that has to go. */
  readonly wanted: ReadonlyMap<string, Fields | undefined>;
  readonly listed: Map<string, ManagedEntry>;
  readonly copies: readonly Copy[];
}

async function planFile(
  input: Input,
  shared: SharedFile,
  entries: Entries,
): Promise<SharedRollback | null> {
  const { files, history, goal, place } = input;
  const path = pathIn(place.root, shared.file);
  const touched = history.firstEntryChangesSince(goal, place.target, path);
  if (entries.past.length + entries.present.length + touched.size === 0) return null;
  const found = await readShared(files, path, shared);
  const { wanted, listed, copies } = await goalOf(input, shared, entries, touched);
  const { changes, warnings } = changesOf({ shared, path, found }, wanted, {
    owners: new Map(entries.present.map((entry) => [entry.name, entry])),
    listed,
  });
  const write = changes.size === 0 ? null : await writeOf(place, { shared, path, found }, {
    changes,
    entries,
    edited: warnings.length > 0,
  });
  return { write, copies, listed: [...listed.values()], warnings };
}

/** What the goal had in the file, and what was there before others came. */
async function goalOf(
  input: Input,
  shared: SharedFile,
  { past, present }: Entries,
  touched: ReadonlyMap<string, RecordedChange>,
): Promise<Goal> {
  const { history, goal, place, covered } = input;
  const path = pathIn(place.root, shared.file);
  const wanted = new Map<string, Fields | undefined>();
  const listed = new Map<string, ManagedEntry>();
  const copies: Copy[] = [];
  for (const entry of past) {
    const about = { target: place.target, path, name: entry.name, sha256: entry.sha256 };
    const value = await history.entryOf(about, goal);
    wanted.set(entry.name, value);
    listed.set(entry.name, entry);
    copies.push(entryCopy({ ...about, value }));
  }
  for (const [name, change] of covered ? touched : []) {
    if (!wanted.has(name)) wanted.set(name, await valueBefore(input, shared, change, name));
  }
  for (const entry of covered ? [] : present) {
    if (!listed.has(entry.name)) listed.set(entry.name, entry);
  }
  return { wanted, listed, copies };
}

/** A shared file as it is now. */
interface Now {
  readonly shared: SharedFile;
  readonly path: string;
  readonly found: Awaited<ReturnType<typeof readShared>>;
}

/** Which entries are not as they have to be. One that is not ours any more stays, and is taken out of `listed`. */
function changesOf(
  { shared, path, found }: Now,
  wanted: Goal["wanted"],
  { owners, listed }: Pick<Goal, "listed"> & {
    readonly owners: ReadonlyMap<string, ManagedEntry>;
  },
): { readonly changes: ReadonlyMap<string, Fields | undefined>; readonly warnings: string[] } {
  const changes = new Map<string, Fields | undefined>();
  const warnings: string[] = [];
  for (const [name, value] of wanted) {
    const there = found.entries.get(name);
    const hash = there === undefined ? null : entryHash(there);
    if (hash === (value === undefined ? null : entryHash(value))) continue;
    const owner = owners.get(name);
    const key = `"${keyOf(shared, name)}" in "${path}"`;
    if (hash !== null && owner === undefined) {
      listed.delete(name);
      if (value !== undefined) warnings.push(`${key} is not managed any more and is left as it is`);
      continue;
    }
    if (hash !== null && owner?.sha256 !== hash) {
      warnings.push(
        `${key} was edited since it was deployed; the rollback discards that and keeps a copy in its snapshot`,
      );
    }
    changes.set(name, value);
  }
  return { changes, warnings };
}

async function writeOf(
  { target, root }: TargetRoot,
  { shared, path, found }: Now,
  { changes, entries: { past, present }, edited }: {
    readonly changes: ReadonlyMap<string, Fields | undefined>;
    readonly entries: Entries;
    readonly edited: boolean;
  },
): Promise<Write> {
  if (found.disk.kind === "symlink") throw sharedFileError(path, LINK);
  const made = madeOf(shared, found, [...present, ...past]);
  const now = await editEntriesOf(shared, found.text, changes, made);
  if ("problem" in now) throw sharedFileError(path, now);
  return {
    target,
    path,
    root,
    op: now.text === null ? "rollback_delete" : "rollback_restore",
    expected: found.disk.sha256,
    after: now.text === null
      ? { kind: "absent" }
      : { kind: "file", bytes: encodeText(now.text), executable: false },
    entries: [...changes].map(([name, value]) => ({
      key: keyOf(shared, name),
      op: value === undefined ? "delete" : "update",
    })),
    ...(edited ? { edited: true } : {}),
  };
}

/** The value that an entry had before a change; undefined where it had none. */
async function valueBefore(
  { files, history, goal }: Input,
  shared: SharedFile,
  change: RecordedChange,
  name: string,
): Promise<Fields | undefined> {
  const past = await history.before(change, goal);
  if (past.kind !== "file") return undefined;
  const table = await readTable(shared, decodeText(await wholeBytes(files, past.bytes)) ?? "");
  const value = isTrouble(table) ? undefined : table.entries.get(name);
  return value === undefined ? undefined : fieldsOf(value);
}
