/** What a rollback has to do in one root (PACK-35). */

import { hashOf as contentHash } from "../content.ts";
import { basename } from "@std/path";
import { pathBelow } from "../../../base/paths.ts";
import { sha256 } from "../../../base/hash.ts";
import type { Files } from "../../../base/system/mod.ts";
import { pathIn, readBytes } from "../io.ts";
import type { TargetName } from "../names.ts";
import { type After, type OnDisk, parseMode, readOnDisk } from "./disk.ts";
import {
  type Copy,
  fileAfter,
  type History,
  type PastManifest,
  type TargetRoot,
} from "./history.ts";
import type { RecordedChange } from "./snapshot.ts";
import {
  editEntries,
  isManifestName,
  type ManagedEntry,
  type ManifestEntry,
  manifestPath,
  readManifest,
  type RootManifest,
  sameShared,
  withSharedEntries,
} from "./target_manifest.ts";
import { planSharedRollback } from "./shared/rollback.ts";
import type { Write } from "./transaction.ts";

/** What the plan of a root is made of. */
interface RollbackInput {
  readonly files: Files;
  readonly history: History;
  /** The id of the goal. */
  readonly goal: string;
  readonly place: TargetRoot;
  /** The first change of each destination of this root since the goal. */
  readonly changes: readonly RecordedChange[];
  /** Whether the goal kept the contents it deployed. */
  readonly kept: boolean;
  /**
   * Whether the goal was a run for this root's target. If not, files get back what the newest run for that
   * target had deployed by then, but none is deleted.
   */
  readonly covered: boolean;
}

/** What has to be done. */
export interface RootPlan {
  readonly writes: readonly Write[];
  readonly copies: readonly Copy[];
  readonly warnings: readonly string[];
}

/** What was there at the goal: a manifest, none, or nobody knows. */
type Then = PastManifest | "unknown" | null;

interface Draft extends RootPlan {
  readonly writes: Write[];
  readonly copies: Copy[];
  readonly warnings: string[];
}

/** Plans one root. Throws `E_SNAPSHOT_INVALID` when a content that is needed is gone. */
export async function planRoot(input: RollbackInput): Promise<RootPlan> {
  const { files, history, goal, place } = input;
  const plan: Draft = { writes: [], copies: [], warnings: [] };
  const then = input.kept ? await history.manifestAsOf(place, goal) : "unknown";
  if (!input.covered && (then === "unknown" || then === null)) return plan;
  const present = await readManifest(files, place);
  const wanted = await wantedFiles(input, then);
  const foreign = await planFiles(input, plan, { present, wanted });
  const kept = input.covered
    ? []
    : present.entries.filter((entry) => !wanted.has(pathIn(place.root, entry.path)));
  const shared = await planSharedRollback(input, then, present);
  for (const one of shared) {
    plan.warnings.push(...one.warnings);
    if (one.write !== null) plan.writes.push(one.write);
    plan.copies.push(...one.copies);
  }
  const manifest = await manifestAfter(input, then, {
    foreign,
    kept,
    shared: shared.flatMap(({ listed }) => listed),
  });
  const path = manifestPath(place.root, place.target);
  const current = await readBytes(files, path);
  const hash = current === null ? null : sha256(current);
  if (manifest !== null && hash !== hashOf(manifest)) {
    plan.writes.push(toWrite(place, path, hash, manifest));
  }
  for (const write of plan.writes) {
    // Whole shared files are not ours to keep.
    if (write.after.kind !== "file" || write.entries !== undefined) continue;
    plan.copies.push({ target: place.target, path: write.path, bytes: write.after.bytes });
  }
  return plan;
}

/** What each file of a root has to be, by path. */
async function wantedFiles(
  { files, history, goal, place, changes, covered }: RollbackInput,
  then: Then,
): Promise<ReadonlyMap<string, After>> {
  const wanted = new Map<string, After>();
  for (const file of then === "unknown" ? [] : then?.files ?? []) {
    const { bytes, mode } = await history.contentOf(place.target, file.path, file.sha256, goal);
    const touched = changes.find((change) => change.path === file.path);
    wanted.set(file.path, fileAfter(bytes, await modeThen(files, file.path, touched, mode)));
  }
  for (const change of covered ? changes : []) {
    if (wanted.has(change.path) || isManifestName(basename(change.path))) continue;
    wanted.set(change.path, await history.before(change, goal));
  }
  return wanted;
}

/** Plans the writes of files; answers those that are not ours and stay. */
async function planFiles(
  { files, history, place }: RollbackInput,
  { writes, warnings }: Draft,
  { present, wanted }: {
    readonly present: RootManifest;
    readonly wanted: ReadonlyMap<string, After>;
  },
): Promise<readonly string[]> {
  const managed = managedNow(present, history);
  const deployed = new Map(
    present.entries.map((entry) => [pathIn(place.root, entry.path), entry.sha256]),
  );
  const foreign: string[] = [];
  for (const [path, after] of wanted) {
    const disk = await readOnDisk(files, path);
    if (isAlready(disk, after)) continue;
    if (isForeign(disk, after, managed.has(path))) {
      if (after.kind === "absent") continue;
      warnings.push(`"${path}" is not managed any more and is left as it is`);
      foreign.push(path);
      continue;
    }
    const edited = deployed.has(path) && deployed.get(path) !== disk.sha256 &&
      disk.kind !== "absent";
    if (edited) {
      warnings.push(
        `"${path}" was edited since it was deployed; the rollback discards that and keeps a copy in its snapshot`,
      );
    }
    writes.push({ ...toWrite(place, path, disk.sha256, after), ...(edited ? { edited } : {}) });
  }
  return foreign;
}

/**
 * The mode a file gets: the one it had before it was first touched since the goal. One that nobody touched
 * keeps its own, and one that is gone gets what was recorded for it.
 */
async function modeThen(
  files: Files,
  path: string,
  touched: RecordedChange | undefined,
  recorded: number | null,
): Promise<number | null> {
  const before = parseMode(touched?.before_mode);
  if (before !== null) return before;
  return await files.lstat(path) === null ? recorded : null;
}

/** The paths of a root that are ours now: those of its manifest, or of the last run that wrote one. */
function managedNow(manifest: RootManifest, history: History): ReadonlySet<string> {
  const usable = manifest.state === "present" || manifest.state === "legacy";
  return new Set(
    usable
      ? manifest.entries.map((entry) => pathIn(manifest.root, entry.path))
      : history.lastListed(manifest),
  );
}

/** What the manifest has to be; null leaves it as it is. */
async function manifestAfter(
  input: RollbackInput,
  then: Then,
  { foreign, kept, shared }: {
    readonly foreign: readonly string[];
    readonly kept: readonly ManifestEntry[];
    readonly shared: readonly ManagedEntry[];
  },
): Promise<After | null> {
  const { place } = input;
  if (then === null) return { kind: "absent" };
  if (then !== "unknown") {
    const below = foreign.map((path) => pathBelow(place.root, path) ?? "");
    const edited = editEntries(then.bytes, below, kept);
    return fileAfter(
      sameShared(then.shared, shared) ? edited : withSharedEntries(edited, shared),
      null,
    );
  }
  const path = manifestPath(place.root, place.target);
  const change = input.changes.find((change) => change.path === path);
  return change === undefined ? null : await input.history.before(change, input.goal);
}

function hashOf(after: After): string | null {
  return after.kind === "file" ? contentHash(after.bytes) : null;
}

function isAlready(disk: OnDisk, after: After): boolean {
  if (after.kind === "symlink") return disk.kind === "symlink" && disk.link === after.link;
  if (after.kind === "absent") return disk.kind === "absent";
  return disk.kind === "file" && disk.sha256 === hashOf(after) &&
    (after.mode === undefined || disk.mode === null || disk.mode === after.mode);
}

/** Whether something stands there that is not ours and that would not stay the same. */
function isForeign(disk: OnDisk, after: After, managed: boolean): boolean {
  return disk.kind !== "absent" && !managed &&
    (disk.sha256 === null || disk.sha256 !== hashOf(after));
}

function toWrite(
  place: { readonly target: TargetName; readonly root: string },
  path: string,
  expected: string | null,
  after: After,
): Write {
  return {
    target: place.target,
    path,
    root: place.root,
    op: after.kind === "absent" ? "rollback_delete" : "rollback_restore",
    expected,
    after,
  };
}
