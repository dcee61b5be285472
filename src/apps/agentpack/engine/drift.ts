/**
 * Where the disk differs from what was deployed (PACK-32).
 *
 * Items follow from the plan, which has compared every file already: only unmanaged files are looked for
 * besides.
 */

import { inPieces, type Pieces } from "../../../base/async/pool.ts";
import {
  bytesOf,
  compareBytes,
  comparePaths,
  decodeText,
  firstDifference,
  hashOf,
  readContent,
  textOf,
} from "../content.ts";
import { join } from "@std/path";
import type { Files } from "../../../base/system/mod.ts";
import { safePoint } from "../interrupt.ts";
import { pathIn, posix, type Twins, withPosix } from "../io.ts";
import type { TargetName } from "../names.ts";
import { nameOf } from "../../../state/entries/types.ts";
import { RESERVED } from "../source/tree.ts";
import type { Deployment } from "./deployment.ts";
import { contentAt, prefixed } from "./file_diff.ts";
import type { Change } from "./plan.ts";
import { fileKey, rootOf } from "./roots.ts";
import { isManifestName, type RootManifest } from "./target_manifest.ts";

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
