/** Where files differ from what is deployed, or would be. */

import type { Files } from "../../../base/system/mod.ts";
import {
  bytesOf,
  compareBytes,
  comparePaths,
  type Content,
  decodeText,
  firstDifference,
  hashOf,
  readContent,
  textOf,
} from "../content.ts";
import { pathBelow } from "../../../base/paths.ts";
import { unifiedDiff } from "../../../base/text/diff/unified.ts";
import { safePoint } from "../interrupt.ts";
import { pathIn, posix, type Twins, withPath, withPosix } from "../io.ts";
import { isTrouble, readTable } from "../../../state/entries/document.ts";
import { nameOf, type SharedFile } from "../../../state/entries/types.ts";
import { withoutSecrets } from "../../../state/entries/shown.ts";
import type { TargetName } from "../names.ts";
import type { Deployment } from "./deployment.ts";
import type { Change } from "./plan.ts";
import { fileKey, rootOf } from "./roots.ts";
import { isManifestName, type RootManifest } from "./target_manifest.ts";
import { inPieces, type Pieces } from "../../../base/async/pool.ts";
import { join } from "@std/path";
import { RESERVED } from "../source/tree.ts";

// What a plan changes inside the files, as unified diffs (PACK-52).

/** The longest text a diff is made of, in bytes. */
const MAX_BYTES = 102_400;

/** One change with its diff; the members are those of the JSON contract. */
export interface FileDiff extends Twins<"root" | "path"> {
  readonly target: TargetName;
  readonly op: Change["op"];
  /** Relative to the root. */
  readonly before_hash: string | null;
  readonly after_hash: string | null;
  /** Absent for contents that are no text or too long. */
  readonly unified?: string;
}

/** A hash with its algorithm, or null. */
function prefixed(hash: string | null): string | null {
  return hash === null ? null : `sha256:${hash}`;
}

/** The diffs of all changes of a deployment, in the order of the plan. */
export async function fileDiffs(
  { session, desired, plan, shared }: Deployment,
): Promise<{ readonly files: readonly FileDiff[]; readonly warnings: readonly string[] }> {
  const wanted = new Map(desired.files.map((file) => [fileKey(file.target, file.path), file]));
  const files: FileDiff[] = [];
  const warnings: string[] = [];
  for (const change of plan.changes) {
    await safePoint(session.pack.system.files);
    const root = rootOf(session.roots, change.target, change.path)?.root ?? null;
    const path = root === null ? change.path : pathBelow(root, change.path) ?? change.path;
    const before = change.before_sha256 === null
      ? new Uint8Array()
      : await contentAt(session.pack.system.files, change.path);
    const edited = shared.find((one) => one.change === change);
    const after = edited?.after ?? wanted.get(fileKey(change.target, change.path))?.bytes ??
      new Uint8Array();
    const plain = diffOf(change.op, posix(path), before, after);
    const unified = edited === undefined || plain === null
      ? plain
      : await maskedDiff(edited.shared, plain, [before, after]);
    if (unified === null) {
      warnings.push(`No diff of "${change.path}": it is not text, or longer than 100 kB`);
    }
    files.push({
      target: change.target,
      op: change.op,
      root: root ?? "<unknown>",
      root_posix: posix(root ?? "<unknown>"),
      ...withPosix("path", path),
      before_hash: prefixed(change.before_sha256),
      after_hash: prefixed(change.after_sha256),
      ...(unified === null ? {} : { unified }),
    });
  }
  return { files, warnings };
}

/** The diff of a shared file without the secrets that are in it, whoever put them there. */
export async function maskedDiff(
  shared: SharedFile,
  unified: string,
  contents: readonly Content[],
): Promise<string> {
  const values: unknown[] = [];
  for (const content of contents) {
    const table = await readTable(shared, decodeText(bytesOf(content) ?? new Uint8Array()) ?? "");
    if (!isTrouble(table)) values.push(table.whole);
  }
  return withoutSecrets(unified, ...values);
}

/** What is at a path now; nothing when it has gone since. */
export function contentAt(files: Files, path: string): Promise<Content> {
  return withPath("read", path, async () => {
    const size = (await files.stat(path))?.size;
    const content = size === undefined ? null : await readContent(files, path, size);
    return content ?? new Uint8Array();
  });
}

/** The unified diff of a file; null for contents that are no text or too long. */
export function diffOf(
  op: Change["op"],
  path: string,
  before: Content,
  after: Content,
): string | null {
  const [then, now] = [bytesOf(before), bytesOf(after)];
  if (then === null || now === null) return null;
  if (then.length > MAX_BYTES || now.length > MAX_BYTES) return null;
  const left = decodeText(then);
  const right = decodeText(now);
  if (left === null || right === null) return null;
  const to = op === "delete" ? "/dev/null" : `b/${path}`;
  return unifiedDiff(left, right, `a/${path}`, to);
}

// Where the disk differs from what was deployed (PACK-32).
//
// Items follow from the plan, which has compared every file already: only unmanaged files are looked for
// besides.

/** One difference; the members are those of the JSON contract. */
export interface DriftItem extends Twins<"path"> {
  readonly target: TargetName;
  readonly root?: string;
  readonly root_posix?: string;
  /** Of a shared file: the entry that differs, as `mcpServers.github`. */
  readonly key?: string;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly kind: "missing" | "modified" | "extra";
}

interface Drift {
  readonly items: readonly DriftItem[];
  /** Whether a root that should have files has no usable manifest. */
  readonly needsDeploy: boolean;
  /** Whether any root has a usable manifest. */
  readonly anyManifest: boolean;
  readonly warnings: readonly string[];
}

function isUsable(manifest: RootManifest): boolean {
  return manifest.state === "present" || manifest.state === "legacy";
}

/** Finds the differences of a deployment. */
export async function findDrift(deployment: Deployment): Promise<Drift> {
  const { session, desired, managed, plan } = deployment;
  const { files } = session.pack.system;
  const pause = () => safePoint(files);
  await pause();
  const changes = new Map(
    plan.changes.map((change) => [fileKey(change.target, change.path), change]),
  );
  const anyManifest = managed.manifests.some(isUsable);
  const items: DriftItem[] = [];
  const warnings: string[] = [];
  let needsDeploy = false;
  const order = [...managed.manifests].sort((a, b) =>
    firstDifference(compareBytes(a.target, b.target), compareBytes(posix(a.root), posix(b.root)))
  );
  for (const manifest of order) {
    await pause();
    const { target, root } = manifest;
    const here = (path: string) => rootOf(session.roots, target, path)?.root === root;
    const entries = entryItems(deployment, manifest);
    const wanted = desired.files.filter((file) => file.target === target && here(file.path))
      .map((file) => file.path);
    const listed = manifest.entries.map((entry) => pathIn(root, entry.path));
    if (!isUsable(manifest)) {
      if (wanted.length + entries.length === 0) continue;
      needsDeploy = true;
      if (anyManifest) {
        warnings.push(`No usable manifest in "${root}" of ${target}: not deployed yet`);
      }
      items.push(...await inPieces(itemsOf(target, root, wanted, changes), pause), ...entries);
      continue;
    }
    items.push(...await inPieces(itemsOf(target, root, listed, changes), pause));
    const known = new Set(manifest.shared.map(({ name }) => name));
    items.push(...entries.filter(({ key }) => known.has(nameOf(key))));
    const scan = session.roots.find((one) => one.target === target && one.root === root);
    if (scan?.scanExtras) items.push(...await extras(files, deployment, target, root));
  }
  if (!anyManifest && needsDeploy) {
    warnings.push("no target manifests found: nothing was deployed from here yet");
  }
  warnings.push(...await lineEndWarnings(deployment, items));
  return { items, needsDeploy, anyManifest, warnings };
}

function item(
  target: TargetName,
  root: string,
  path: string,
  facts: Pick<DriftItem, "kind" | "expected" | "actual">,
): DriftItem {
  return { target, ...withPosix("root", root), ...withPosix("path", path), ...facts };
}

/** The differences of paths that should be there or are ours, in the order of their components. */
function* itemsOf(
  target: TargetName,
  root: string,
  paths: readonly string[],
  changes: ReadonlyMap<string, Change>,
): Pieces<DriftItem[]> {
  const items: DriftItem[] = [];
  for (const path of new Set(paths)) {
    yield;
    const change = changes.get(fileKey(target, path));
    if (change === undefined) continue;
    const kind = change.op === "create" ? "missing" : change.op === "update" ? "modified" : "extra";
    items.push(item(target, root, path, {
      kind,
      expected: prefixed(change.after_sha256),
      actual: prefixed(change.before_sha256),
    }));
  }
  return items.sort((a, b) => comparePaths(a.path_posix, b.path_posix));
}

/** The differences of entries that should be in a shared file or are ours there. */
function entryItems(
  { shared }: Deployment,
  { target, root }: RootManifest,
): (DriftItem & { readonly key: string })[] {
  const mine = shared.filter((one) => one.target === target && one.root === root);
  return mine.flatMap(({ path, change }) =>
    (change?.entries ?? []).map((entry) => ({
      ...item(target, root, path, {
        kind: entry.op === "create" ? "missing" : entry.op === "update" ? "modified" : "extra",
        expected: prefixed(entry.after_sha256),
        actual: prefixed(entry.before_sha256),
      }),
      key: entry.key,
    }))
  );
}

async function extras(
  files: Files,
  { managed }: Deployment,
  target: TargetName,
  root: string,
): Promise<DriftItem[]> {
  const found: string[] = [];
  const walk = async (directory: string): Promise<void> => {
    for (const { name, kind } of await files.list(directory)) {
      if (RESERVED.includes(name)) continue;
      const path = join(directory, name);
      if (kind === "directory") await walk(path);
      else if (
        kind === "file" && !isManifestName(name) && !managed.files.has(fileKey(target, path))
      ) found.push(path);
    }
  };
  await walk(root);
  const sorted = found.sort((a, b) => comparePaths(posix(a), posix(b)));
  const items: DriftItem[] = [];
  for (const path of sorted) {
    const content = await readContent(files, path, (await files.stat(path))?.size);
    if (content === null) continue;
    const actual = prefixed(hashOf(content));
    items.push(item(target, root, path, { kind: "extra", expected: null, actual }));
  }
  return items;
}

/** Files that differ only in their line ends: most often git converted them (PACK-32). */
async function lineEndWarnings(
  { session, desired }: Deployment,
  items: readonly DriftItem[],
): Promise<string[]> {
  const wanted = new Map(desired.files.map((file) => [fileKey(file.target, file.path), file]));
  const warnings: string[] = [];
  for (const { target, path, kind } of items) {
    const file = kind === "modified" ? wanted.get(fileKey(target, path)) : undefined;
    const bytes = file === undefined ? null : bytesOf(file.bytes);
    if (bytes === null) continue;
    const disk = textOf(await contentAt(session.pack.system.files, path));
    const same = disk !== null &&
      disk.replaceAll("\r\n", "\n") === decodeText(bytes)?.replaceAll("\r\n", "\n");
    if (same) warnings.push(`"${path}" differs only in its line ends (CRLF instead of LF)`);
  }
  return warnings;
}
