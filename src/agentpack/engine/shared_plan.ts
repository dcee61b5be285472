/**
 * What would have to change in files that are shared with users and other programs (PACK-62).
 *
 * Of such a file only entries are ours, one by one; the manifest of the root lists them. So what is planned, reviewed,
 * adopted and taken away is an entry, and what is written is the file around it.
 *
 * @module
 */

import { bytesOf } from "../content.ts";
import { compareBytes, decodeText, encodeText } from "../bytes.ts";
import { sha256 } from "../../hash.ts";
import { hiddenCharacters, markName } from "../../text/hidden.ts";
import type { Fields } from "../../object.ts";
import type { Files } from "../../system/mod.ts";
import { pathIn, posix } from "../io.ts";
import type { TargetName } from "../names.ts";
import {
  editEntriesOf,
  entryHash,
  isTrouble,
  readTable,
  sharedFileError,
} from "../shared/document.ts";
import type { Made, SharedFile, Trouble } from "../shared/types.ts";
import { sharedFileOf } from "../target/mcp.ts";
import type { Desired, DesiredEntry } from "./desired.ts";
import { lookAt, type OnDisk } from "./disk.ts";
import type { Managed } from "./managed.ts";
import type { Change, EntryChange } from "./plan.ts";
import { refusalOf, type Refusals } from "./programs.ts";
import type { ManagedEntry, RootManifest } from "./target_manifest.ts";

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
export interface SharedOnDisk {
  readonly disk: OnDisk;
  readonly text: string | null;
  readonly entries: ReadonlyMap<string, unknown> | null;
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
  const disk = await lookAt(files, path);
  if (disk.bytes === null) return { disk, text: null, entries: null };
  const bytes = bytesOf(disk.bytes);
  const text = bytes === null ? null : decodeText(bytes);
  if (text === null) {
    const problem = bytes === null ? "it is too large" : "it is not valid UTF-8";
    throw sharedFileError(path, { problem, line: null });
  }
  const table = await readTable(shared, text);
  if (isTrouble(table)) throw sharedFileError(path, table);
  return { disk, text, entries: table.entries };
}

/** The shared file of a root with what is listed and wanted in it; null where nothing is. */
function subjectOf(manifest: RootManifest, desired: readonly DesiredEntry[]) {
  const shared = sharedFileOf(manifest.target);
  const wanted = desired.filter(({ target, root }) =>
    target === manifest.target && root === manifest.root
  );
  if (shared === null || wanted.length + manifest.shared.length === 0) return null;
  return { shared, wanted, path: pathIn(manifest.root, shared.file) };
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
    const subject = subjectOf(manifest, desired.entries);
    if (subject === null) continue;
    plans.push(await planFile(files, manifest, { ...subject, refusals }));
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
  const listed = new Map(manifest.shared.map((entry) => [entry.name, entry]));
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
    if (wanted.some((one) => one.name === name) || !found.entries?.has(name)) continue;
    entries.push(removalOf(shared, entry, found.entries.get(name)));
    changes.set(name, undefined);
  }
  const made = madeOf(found, manifest.shared);
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
      made,
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
function madeOf({ text, entries }: SharedOnDisk, listed: readonly ManagedEntry[]): Made {
  if (text === null || listed.some(({ made }) => made === "file")) return "file";
  if (entries === null || listed.some(({ made }) => made === "table")) return "table";
  return null;
}

/** The key by which an entry is named: `mcpServers.github`. */
function keyOf(shared: SharedFile, name: string): string {
  return `${shared.table}.${name}`;
}

function changeOf(
  wanted: DesiredEntry,
  { entries }: SharedOnDisk,
  owner: ManagedEntry | undefined,
): EntryChange | null {
  const { shared, name, moduleIds, runs, remote } = wanted;
  const present = entries?.get(name);
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
    path,
    path_posix: posix(path),
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
