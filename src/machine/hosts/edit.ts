/**
 * What an installation makes of a host's file, and writing it. The rest of the file, links to it and its permissions
 * stay, and a backup lies beside it (HOST-4, HOST-5). Also what a file holds with nothing but these servers in it
 * (HOST-6).
 */

import { editEntriesOf, isTrouble, readTable } from "../../state/entries/document.ts";
import { shownText } from "../../state/entries/shown.ts";
import type { EntryChanges, SharedFile, Table, Trouble } from "../../state/entries/types.ts";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import type { System } from "../../base/system/mod.ts";
import { unifiedDiff } from "../../base/text/diff/unified.ts";
import type { Fields } from "../../base/object.ts";
import { factsOf, type Host } from "./host.ts";

/** The text of a file with these servers alone; with `json` also for a host whose files are TOML. */
export async function documentOf(
  host: Host,
  servers: ReadonlyMap<string, Fields>,
  { json = false }: { readonly json?: boolean } = {},
): Promise<string> {
  const shared = factsOf(host).file;
  const result = await editEntriesOf(
    json ? { ...shared, syntax: "json" } : shared,
    null,
    servers,
    () => "file",
  );
  if ("problem" in result || result.text === null) throw new TypeError("No text of these servers");
  return result.text;
}

/** What the name of a backup ends with. */
const BACKUP = ".amof-backup";

interface HostFile {
  /** As the host names it. */
  readonly path: string;
  /** Where it really lies, which a link may lead to. */
  readonly real: string;
  readonly isLink: boolean;
  /** Null where there is none. */
  readonly text: string | null;
  readonly mode: number | null;
  readonly table: Table;
}

/** The error of a file that cannot be used. */
function unusable(path: string, { problem, line }: Trouble): AmofError {
  return new AmofError(
    "file_failed",
    `Cannot use ${path}${line === null ? "" : `:${line}`}: ${problem}; it was left as it is`,
    { hint: "Correct it by hand, then repeat", details: { path, line } },
  );
}

function decoded(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unusable(path, { problem: "it is no UTF-8 text", line: null });
  }
}

/** Reads a file of a host; throws `file_failed` where it is none that can be edited. */
export async function readHostFile(
  { files }: Pick<System, "files">,
  path: string,
  shared: SharedFile,
): Promise<HostFile> {
  const real = await files.realPath(path);
  if (real === null) {
    if (await files.lstat(path) !== null) {
      throw unusable(path, { problem: "it is a link that leads nowhere", line: null });
    }
    const table = { whole: {}, entries: new Map() };
    return { path, real: path, isLink: false, text: null, mode: null, table };
  }
  const info = await files.stat(real);
  if (info?.kind !== "file") throw unusable(path, { problem: "it is no file", line: null });
  const text = decoded(path, await files.readBytes(real) ?? new Uint8Array());
  const table = await readTable(shared, text);
  if (isTrouble(table)) throw unusable(path, table);
  const mode = info.mode === null ? null : info.mode & 0o777;
  const isLink = (await files.lstat(path))?.kind === "symlink";
  return { path, real, isLink, text, mode, table };
}

/** What is to be done to a file. */
export interface HostChange {
  readonly file: HostFile;
  /** What it shall hold; null where it goes. */
  readonly after: string | null;
  /** What the backup beside it shall hold: null where there shall be none, undefined where it stays as it is. */
  readonly backup: string | null | undefined;
  /** As a person sees it: without what others wrote. */
  readonly diff: string;
}

/** Where the backup of a file lies. */
export function backupPath(path: string): string {
  return `${path}${BACKUP}`;
}

/** Makes the change of a file: entries come or, where they are undefined, go. `ours` are the names of all that are ours. */
export async function planChange(
  system: Pick<System, "files">,
  file: HostFile,
  { shared, ours, changes }: {
    readonly shared: SharedFile;
    readonly ours: readonly string[];
    readonly changes: EntryChanges;
  },
): Promise<HostChange> {
  const edit = async (text: string | null, wanted: EntryChanges, made: "file" | null) => {
    const result = await editEntriesOf(shared, text, wanted, () => made);
    if (isTroubled(result)) throw unusable(file.path, result);
    return result.text;
  };
  const present = new Map(
    [...file.table.entries].filter(([name]) => ours.includes(name)),
  ) as EntryChanges;
  const wanted = new Map(
    [...new Map([...present, ...changes])].filter(([, value]) => value !== undefined),
  );
  const goes = [...changes.values()].every((value) => value === undefined);
  const origin = await originOf(system, { file, shared, present, edit });
  const isNew = origin?.text === null && !file.isLink;
  let after: string | null;
  let backup: string | null | undefined;
  if (origin === undefined) {
    after = await edit(file.text, changes, null);
    backup = file.text ?? undefined;
  } else if (goes && wanted.size === 0) {
    after = isNew || origin.text !== null ? origin.text : await edit(file.text, changes, null);
    backup = origin.text === null ? undefined : null;
  } else after = await edit(origin.text, wanted, null);
  if (after === file.text) backup = undefined;
  const names = [...changes.keys()];
  const tables = [file.table, { whole: {}, entries: changes }];
  const shown = (text: string | null) =>
    text === null ? "" : shownText(shared, text, { names, tables });
  const [before, later] = await Promise.all([shown(file.text), shown(after)]);
  return { file, after, backup, diff: unifiedDiff(before, later, file.path, file.path).trimEnd() };
}

/**
 * What a file was before amof came: what its backup holds, or nothing, where nothing but our entries made the file of
 * it. Undefined where that cannot be told, because somebody has changed the file since then.
 */
async function originOf(
  system: Pick<System, "files">,
  { file, shared, present, edit }: {
    readonly file: HostFile;
    readonly shared: SharedFile;
    readonly present: EntryChanges;
    readonly edit: (
      text: string | null,
      wanted: EntryChanges,
      made: null,
    ) => Promise<string | null>;
  },
): Promise<{ readonly text: string | null } | undefined> {
  if (file.text === null || present.size === 0) return undefined;
  const saved = await readBackup(system, file, shared);
  const isOrigin = saved !== undefined &&
    [...present.keys()].every((name) => !saved.entries.has(name)) &&
    await edit(saved.text, present, null).catch(() => null) === file.text;
  return isOrigin ? { text: saved.text } : undefined;
}

function isTroubled(result: { readonly text: string | null } | Trouble): result is Trouble {
  return "problem" in result;
}

/** The backup of a file, with a null text where there is none; undefined where it cannot be read. */
async function readBackup(
  { files }: Pick<System, "files">,
  { path }: HostFile,
  shared: SharedFile,
): Promise<{ readonly text: string | null; readonly entries: Table["entries"] } | undefined> {
  const bytes = await files.readBytes(backupPath(path));
  if (bytes === null) return { text: null, entries: new Map() };
  try {
    const text = decoded(path, bytes);
    const table = await readTable(shared, text);
    return isTrouble(table) ? undefined : { text, entries: table.entries };
  } catch {
    return undefined;
  }
}

/** What stands for a text in facts: its hash, or null for no file. */
export function textHash(text: string | null): string | null {
  return text === null ? null : sha256(text);
}

/** Carries a change out; throws `confirmation_stale` where the file is no longer what it was made of. */
export async function writeChange(
  { files }: Pick<System, "files">,
  { file, after, backup }: HostChange,
): Promise<void> {
  const { path, real, text, mode } = file;
  const now = await files.readBytes(real);
  if ((now === null ? null : decoded(path, now)) !== text) {
    throw new AmofError(
      "confirmation_stale",
      `Cannot write ${path}: something else has just changed it; it was left as that wrote it`,
      { hint: "Repeat the command to see what it is now" },
    );
  }
  const how = mode === null ? {} : { mode };
  if (typeof backup === "string") await files.write(backupPath(path), backup, how);
  if (after === null) await files.remove(path);
  else await files.write(real, after, how);
  if (backup === null) await files.remove(backupPath(path));
}
