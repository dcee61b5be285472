/**
 * Reads a snapshot, or a stash that git made, back into a view.
 *
 * Three git processes, a fourth where there are untracked files.
 */

import { AmofError } from "../../base/error.ts";
import type { Runner } from "../call/runner.ts";
import { textOf } from "../odd_names.ts";
import { readRemarks, type Remarks, usualPermissions } from "./stream.ts";
import { byPath, type ChangedPath, type Entry, type IndexEntry, type View } from "./view.ts";

/** A snapshot that was read. */
export interface Stored {
  readonly commit: string;
  readonly view: View;
  /** The commit with the untracked files, or null. */
  readonly untracked: string | null;
  /** What tells the snapshot from others; null for a stash that git made. */
  readonly id: string | null;
}

const ABSENT = "000000";

interface Difference {
  readonly path: string;
  readonly from: Entry | null;
  readonly to: Entry | null;
}

/** What differs between two commits. One process. */
export async function differences(
  git: Runner,
  from: string,
  to: string,
): Promise<Difference[]> {
  const output = await git.mustBytes(
    ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--end-of-options", from, to],
    { access: "read" },
    `read the kept changes of "${git.name}"`,
  );
  const parts = textOf(output).split("\0");
  const found: Difference[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [fromMode = "", toMode = "", fromOid = "", toOid = ""] = (parts[at] ?? "").slice(1)
      .split(" ");
    found.push({
      path: parts[at + 1] ?? "",
      from: fromMode === ABSENT ? null : { mode: fromMode, oid: fromOid },
      to: toMode === ABSENT ? null : { mode: toMode, oid: toOid },
    });
  }
  return found;
}

async function filesOf(
  git: Runner,
  commit: string,
): Promise<Map<string, Entry>> {
  const output = await git.read(
    ["ls-tree", "-r", "-z", "--full-tree", commit],
    `read the kept files of "${git.name}"`,
  );
  return new Map(
    output.split("\0").filter((line) => line !== "").map((line) => {
      const [mode = "", , oid = ""] = line.slice(0, line.indexOf("\t")).split(" ");
      return [line.slice(line.indexOf("\t") + 1), { mode, oid }] as const;
    }),
  );
}

/** Puts what the trees say and what the message says together. */
function joined(
  index: readonly Difference[],
  work: readonly Difference[],
  untracked: ReadonlyMap<string, Entry>,
  remarks: Remarks | null,
): ChangedPath[] {
  const staged = new Map(index.map((entry) => [entry.path, entry]));
  const changed = new Map(work.map((entry) => [entry.path, entry]));
  const stages = new Map(Object.entries(remarks?.stages ?? {}));
  const permissions = new Map(Object.entries(remarks?.permissions ?? {}));
  const announced = new Set(remarks?.intent_to_add);
  const names = new Set([
    ...staged.keys(),
    ...changed.keys(),
    ...untracked.keys(),
    ...stages.keys(),
    ...announced,
  ]);
  return byPath([...names].map((path): ChangedPath => {
    const head = staged.get(path)?.from ?? changed.get(path)?.from ?? null;
    const unmerged = stages.get(path)?.map(([stage, mode, oid]) => ({
      stage: stage as 1 | 2 | 3,
      mode,
      oid,
    }));
    const inIndex: IndexEntry = unmerged ??
      (announced.has(path)
        ? "intent_to_add"
        : staged.has(path)
        ? staged.get(path)?.to ?? null
        : head);
    const onTop = changed.has(path) ? changed.get(path)?.to ?? null : head;
    const file = untracked.get(path) ?? (remarks !== null && inIndex === null ? null : onTop);
    const said = permissions.get(path);
    const bits = remarks === null || file === null || file.mode === "120000"
      ? null
      : said === undefined
      ? usualPermissions(file.mode)
      : Number.parseInt(said, 8);
    return { path, head, index: inIndex, work: file, permissions: bits };
  })).filter(({ head, index: inIndex, work: file }) =>
    [head, inIndex, file].every((entry) =>
      entry === null || typeof entry !== "object" || !("mode" in entry) || entry.mode !== "160000"
    )
  );
}

/** Reads a snapshot by its commit. */
export async function readSnapshot(
  git: Runner,
  commit: string,
): Promise<Stored> {
  const text = await git.read(
    ["cat-file", "commit", commit],
    `read the kept changes of "${git.name}"`,
  );
  const end = text.indexOf("\n\n");
  const parents = [...text.slice(0, end).matchAll(/^parent ([0-9a-f]+)$/gm)]
    .map((match) => match[1] ?? "");
  const [head, index, untracked] = parents;
  if (head === undefined || index === undefined) {
    throw new AmofError(
      "git_failed",
      `Cannot read the kept changes of "${git.name}": ${commit} is not a stash`,
      {
        hint: "See what is there: git stash list",
        details: { repo: git.name },
      },
    );
  }
  const remarks = readRemarks(text.slice(end + 2));
  return {
    commit,
    view: {
      head,
      exact: remarks !== null,
      paths: joined(
        await differences(git, head, index),
        await differences(git, head, commit),
        untracked === undefined ? new Map() : await filesOf(git, untracked),
        remarks,
      ),
    },
    untracked: untracked ?? null,
    id: remarks?.id ?? null,
  };
}
