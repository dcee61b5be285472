/**
 * What would have to change in files that are shared with users and other programs (PACK-62).
 *
 * Of such a file only entries are ours, one by one; the manifest of the root lists them. So what is planned, reviewed,
 * adopted and taken away is an entry, and what is written is the file around it.
 */

import { bytesOf, compareBytes, decodeText, encodeText } from "../../content.ts";
import { sha256 } from "../../../../base/hash.ts";
import { hiddenCharacters, markName } from "../../../../base/text/sanitize.ts";
import { type Fields, fieldsOf } from "../../../../base/object.ts";
import type { Files } from "../../../../base/system/mod.ts";
import { pathIn, withPosix } from "../../io.ts";
import type { TargetName } from "../../names.ts";
import {
  editEntriesOf,
  entryHash,
  isTrouble,
  readTable,
} from "../../../../state/entries/document.ts";
import { sharedFileError } from "../../shared.ts";
import {
  eventOf,
  isListed,
  keyOf,
  LISTS,
  type Made,
  type MadeFor,
  type SharedFile,
  tableOf,
  type Trouble,
} from "../../../../state/entries/types.ts";
import { whatHookRuns } from "../../target/hooks.ts";
import { sharedFilesOf } from "../../target/shared_files.ts";
import type { Desired, DesiredEntry } from "../desired.ts";
import { type OnDisk, readOnDisk } from "../disk.ts";
import type { Managed } from "../managed.ts";
import type { Change, EntryChange } from "../plan.ts";
import { refusalOf, type Refusals } from "../programs.ts";
import type { ManagedEntry, RootManifest } from "../target_manifest.ts";

/** A shared file with the entries that should be in it. */
export interface SharedPlan {
  readonly target: TargetName;
  readonly root: string;
  /** Absolute. */
  readonly path: string;
  readonly shared: SharedFile;
  readonly desired: readonly DesiredEntry[];
  /** What the manifest has to list. */
  readonly listed: readonly ManagedEntry[];
  readonly change: Change | null;
  /** What the file will hold; null for no file, undefined where it stays as it is. */
  readonly after: Uint8Array | null | undefined;
}

/** A shared file as it was found. */
interface SharedOnDisk {
  readonly disk: OnDisk;
  readonly text: string | null;
  /** Everything in it. */
  readonly whole: Fields;
  readonly entries: ReadonlyMap<string, unknown>;
}

/** Why a link is not edited: in its place would be a file, and what it leads to would fall behind. */
export const LINK: Trouble = {
  problem: "it is a link, and a deploy would put a file in its place",
  line: null,
};

/** Reads a shared file. Throws `E_SHARED_FILE_INVALID` for one that cannot be read. */
export async function readShared(
  files: Files,
  path: string,
  shared: SharedFile,
): Promise<SharedOnDisk> {
  const disk = await readOnDisk(files, path);
  if (disk.bytes === null) return { disk, text: null, whole: {}, entries: new Map() };
  const bytes = bytesOf(disk.bytes);
  const text = bytes === null ? null : decodeText(bytes);
  if (text === null) {
    const problem = bytes === null ? "it is too large" : "it is not valid UTF-8";
    throw sharedFileError(path, { problem, line: null });
  }
  const table = await readTable(shared, text);
  if (isTrouble(table)) throw sharedFileError(path, table);
  return { disk, text, ...table };
}

/** The shared files of a root with what is wanted in them; those of which nothing is listed or wanted are left out. */
function subjectsOf(manifest: RootManifest, desired: readonly DesiredEntry[]) {
  return sharedFilesOf(manifest.target).flatMap((shared) => {
    const path = pathIn(manifest.root, shared.file);
    const wanted = desired.filter((entry) =>
      entry.target === manifest.target && entry.root === manifest.root && entry.path === path
    );
    const listed = manifest.shared.some((entry) => entry.path === shared.file);
    return wanted.length === 0 && !listed ? [] : [{ shared, wanted, path }];
  });
}

/** Plans every shared file of a session. Throws `E_SHARED_FILE_INVALID`, `E_IO_*`. */
export async function planShared(
  files: Files,
  desired: Desired,
  managed: Managed,
  refusals: Refusals,
): Promise<SharedPlan[]> {
  const plans: SharedPlan[] = [];
  for (const manifest of managed.manifests) {
    for (const subject of subjectsOf(manifest, desired.entries)) {
      plans.push(await planFile(files, manifest, { ...subject, refusals }));
    }
  }
  return plans;
}

/** Plans one shared file: sets what is wanted and takes away what is listed and wanted no more. */
export async function planFile(
  files: Files,
  manifest: Pick<RootManifest, "target" | "root" | "shared">,
  { shared, wanted, path, refusals }: {
    readonly shared: SharedFile;
    readonly wanted: readonly DesiredEntry[];
    readonly path: string;
    readonly refusals: Refusals;
  },
): Promise<SharedPlan> {
  const found = await readShared(files, path, shared);
  const mine = manifest.shared.filter((entry) => entry.path === shared.file);
  const listed = new Map(mine.map((entry) => [entry.name, entry]));
  const changes = new Map<string, Fields | undefined>();
  const entries: EntryChange[] = [];
  for (const one of wanted) {
    const change = changeOf(one, found, listed.get(one.name));
    if (change === null) continue;
    const refused = refusalOf(one, refusals);
    entries.push(refused === null ? change : { ...change, refused });
    changes.set(one.name, one.value);
  }
  for (const [name, entry] of listed) {
    if (wanted.some((one) => one.name === name) || !found.entries.has(name)) continue;
    entries.push(removalOf(shared, entry, found.entries.get(name)));
    changes.set(name, undefined);
  }
  const made = madeOf(shared, found, mine);
  const common = {
    target: manifest.target,
    root: manifest.root,
    path,
    shared,
    desired: wanted,
    listed: wanted.map(({ name, sha256, moduleIds }) => ({
      path: shared.file,
      name,
      sha256,
      moduleIds,
      made: made(name),
    })),
  };
  if (changes.size === 0) return { ...common, change: null, after: undefined };
  if (found.disk.kind === "symlink") {
    throw sharedFileError(path, LINK);
  }
  const edited = await editEntriesOf(shared, found.text, changes, made);
  if ("problem" in edited) throw sharedFileError(path, edited);
  const after = edited.text === null ? null : encodeText(edited.text);
  entries.sort((a, b) => compareBytes(a.key, b.key));
  return {
    ...common,
    change: fileChange(manifest.target, path, { found, after, entries }),
    after,
  };
}

/** What of a file exists because of our entries: said by the manifest, or because it is not there yet. */
export function madeOf(
  shared: SharedFile,
  { text, whole }: Pick<SharedOnDisk, "text" | "whole">,
  listed: readonly ManagedEntry[],
): MadeFor {
  if (text === null || listed.some(({ made }) => made === "file")) return () => "file";
  return (name): Made => {
    const table = tableOf(shared, name);
    const others = listed.filter((entry) => tableOf(shared, entry.name) === table);
    if (!(table in whole) || others.some(({ made }) => made === "table")) return "table";
    if (!isListed(shared, name)) return null;
    const event = eventOf(name);
    return !(event in fieldsOf(whole[LISTS])) ||
        others.some((entry) => entry.made === "list" && eventOf(entry.name) === event)
      ? "list"
      : null;
  };
}

function changeOf(
  wanted: DesiredEntry,
  { entries }: SharedOnDisk,
  owner: ManagedEntry | undefined,
): EntryChange | null {
  const { shared, name, moduleIds, runs, remote } = wanted;
  const present = entries.get(name);
  const before = present === undefined ? null : entryHash(present);
  if (before === wanted.sha256) return null;
  const common = {
    key: keyOf(shared, name),
    module_ids: moduleIds,
    before_sha256: before,
    after_sha256: wanted.sha256,
    runs,
    ...(remote === null ? {} : { from: remote }),
    ...(hiddenIn(wanted) === null ? {} : { hidden_characters: true as const }),
  };
  if (before === null) return { ...common, op: "create" };
  return {
    ...common,
    op: "update",
    update_kind: owner === undefined ? "adopt_update" : "managed_update",
    ...(owner !== undefined && owner.sha256 !== before ? { locally_modified: true as const } : {}),
  };
}

function removalOf(shared: SharedFile, owner: ManagedEntry, present: unknown): EntryChange {
  const before = entryHash(present);
  return {
    op: "delete",
    key: keyOf(shared, owner.name),
    module_ids: owner.moduleIds,
    before_sha256: before,
    after_sha256: null,
    ...(isListed(shared, owner.name)
      ? { stops: whatHookRuns(eventOf(owner.name), fieldsOf(present)) }
      : {}),
    ...(owner.sha256 === before ? {} : { locally_modified: true as const }),
  };
}

function hiddenIn({ name, value }: DesiredEntry) {
  return hiddenCharacters(`${name}\n${JSON.stringify(value)}`);
}

function fileChange(
  target: TargetName,
  path: string,
  { found, after, entries }: {
    readonly found: SharedOnDisk;
    readonly after: Uint8Array | null;
    readonly entries: readonly EntryChange[];
  },
): Change {
  const adopts = entries.some((entry) => entry.update_kind === "adopt_update");
  const op = found.text === null ? "create" : after === null ? "delete" : "update";
  return {
    target,
    op,
    ...withPosix("path", path),
    before_sha256: found.disk.sha256,
    after_sha256: after === null ? null : sha256(after),
    ...(op === "update"
      ? { update_kind: adopts ? "adopt_update" as const : "managed_update" as const }
      : {}),
    reason: op === "create"
      ? "file missing"
      : op === "delete"
      ? "no longer managed"
      : adopts
      ? "would overwrite unmanaged existing entry"
      : "entries differ",
    ...(entries.some((entry) => entry.locally_modified) ? { locally_modified: true } : {}),
    ...(entries.some((entry) => entry.hidden_characters) ? { hidden_characters: true } : {}),
    entries,
  };
}

/** What people should know about changed entries. */
export function entryWarnings(plans: readonly SharedPlan[]): string[] {
  return plans.flatMap(({ path, change }) =>
    (change?.entries ?? []).flatMap((entry) => {
      const key = `"${markName(entry.key)}" in "${path}"`;
      return [
        ...(entry.refused === undefined ? [] : [`${key} will be refused: ${entry.refused}`]),
        ...(entry.from === undefined || entry.op === "delete"
          ? []
          : [`${key} comes from ${entry.from} and ${markName(entry.runs ?? "")}`]),
        ...(entry.locally_modified
          ? [`${key} was edited since it was deployed; the ${entry.op} would discard that`]
          : []),
        ...(entry.hidden_characters ? [`${key} would have hidden characters`] : []),
      ];
    })
  );
}
