/**
 * The records of archived workspaces, `ecosystems/<name>/archives/<name>-<UTC time>.json` in the control
 * repository (WORKSPACE-19).
 *
 * They lie among files that anybody may edit, so everything read from them is checked.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { type System, timestamp } from "../../base/system/mod.ts";
import { archivesOf } from "../../workspace/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, list } from "../../base/text/words.ts";
import { type ArchiveRecord, parseRecord } from "./record_text.ts";

/** A file among the archives: what it says, or why it cannot be read. */
export type Archive =
  & { readonly name: string; readonly file: string; readonly damaged: readonly string[] }
  & (
    | { readonly record: ArchiveRecord; readonly problem: null }
    | { readonly record: null; readonly problem: string }
  );

const FILE = /^[A-Za-z0-9][A-Za-z0-9._-]*\.json$/;
const MAX_BYTES = 4 * 1024 * 1024;

/** Where a new record goes, relative to the control repository: the time makes it unique. */
export function newFile(ecosystem: string, now: number): string {
  return `${archivesOf(ecosystem)}/${ecosystem}-${timestamp(now).replace(/[-:.]/g, "")}.json`;
}

/** All archives of an ecosystem, newest first; those that cannot be read come last. */
export async function readArchives(
  system: System,
  root: string,
  ecosystem: string,
): Promise<Archive[]> {
  const directory = archivesOf(ecosystem);
  const archives: Archive[] = [];
  for (const entry of await system.files.list(join(root, directory))) {
    if (entry.kind !== "file" || !FILE.test(entry.name)) continue;
    const file = `${directory}/${entry.name}`;
    const named = { name: entry.name.replace(/\.json$/, ""), file };
    const info = await system.files.lstat(join(root, file));
    const read = (info?.size ?? 0) > MAX_BYTES
      ? "it is too large"
      : parseRecord(await system.files.readText(join(root, file)) ?? "");
    archives.push(
      typeof read === "string"
        ? { ...named, record: null, damaged: [], problem: read }
        : { ...named, ...read, problem: null },
    );
  }
  const time = (archive: Archive) => Date.parse(archive.record?.archived_at ?? "") || 0;
  return archives.sort((a, b) => time(b) - time(a) || (a.name < b.name ? 1 : -1));
}

/** The archive with a name, the newest one without; throws `archive_not_found` or `state_corrupt`. */
export function chooseArchive(
  archives: readonly Archive[],
  ecosystem: string,
  name: string | undefined,
): Archive & { readonly record: ArchiveRecord } {
  const wanted = name?.replace(/\.json$/, "");
  const found = archives.find((archive) => wanted === undefined || archive.name === wanted);
  if (found === undefined) {
    const names = archives.map((archive) => archive.name);
    const near = wanted === undefined ? null : didYouMean(wanted, names);
    throw new AmofError(
      "archive_not_found",
      wanted === undefined
        ? `Cannot restore "${ecosystem}": it has no archive`
        : `Cannot find archive "${cleanLine(wanted, 80)}"${
          near === null ? "" : `; did you mean "${near}"?`
        }`,
      {
        hint: names.length === 0
          ? `Install it: amof -e ${ecosystem} install`
          : `Available: ${list(names.slice(0, 20))}`,
        details: { available: names.slice(0, 100) },
      },
    );
  }
  if (found.record === null) {
    throw new AmofError(
      "state_corrupt",
      `Cannot use the archive ${found.file}: ${found.problem}`,
      { hint: "Choose another one: amof archive list", details: { file: found.file } },
    );
  }
  return found;
}
