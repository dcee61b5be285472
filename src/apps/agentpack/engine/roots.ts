/** Which root a file belongs to (PACK-10). */

import { isBelow, pathBelow } from "../../../base/paths.ts";
import { isTargetName, type TargetName } from "../names.ts";
import { compareBytes, firstDifference } from "../content.ts";
import { ioError, pathIn } from "../io.ts";
import {
  isOperatorFile,
  type ManifestEntry,
  readManifest,
  type RootManifest,
} from "./target_manifest.ts";
import type { Session } from "./session.ts";
import { isComplete, listRecords } from "./snapshot.ts";
import { count } from "../../../base/text/words.ts";
import { dirname, join } from "@std/path";
import type { Files } from "../../../base/system/mod.ts";

/** The root of a target that lies nearest above a path, or null when none does. */
export function rootOf<R extends { readonly target: TargetName; readonly root: string }>(
  roots: readonly R[],
  target: TargetName,
  path: string,
): R | null {
  let nearest: R | null = null;
  for (const candidate of roots) {
    if (candidate.target !== target || pathBelow(candidate.root, path) === null) continue;
    if (nearest === null || candidate.root.length > nearest.root.length) nearest = candidate;
  }
  return nearest;
}

/** One text for a target and a path, for maps. */
export function fileKey(target: TargetName, path: string): string {
  return `${target}\0${path}`;
}

// Files that were deployed into roots which the configuration no longer has (PACK-37): a target was removed, or an
// option switched off. Snapshots remember the roots, and their manifests still list the files.

/** How many of the newest records are asked for roots. */
const RECORDS = 50;

/** A root with files that nobody configures any more. */
export interface Orphan {
  readonly manifest: RootManifest;
  /** What its manifest lists, with absolute paths. */
  readonly files: readonly (ManifestEntry & { readonly absolute: string })[];
}

/** The orphaned roots of the session's project and home, sorted by target and root. */
export async function findOrphans(session: Session): Promise<Orphan[]> {
  const { files } = session.pack.system;
  const { records } = await listRecords(files, session.home, RECORDS);
  const current = new Set(session.allRoots.map(({ target, root }) => fileKey(target, root)));
  const configured = new Set(session.config.modules.map((module) => module.id));
  const candidates = new Map<string, Parameters<typeof readManifest>[1]>();
  for (const { record } of records) {
    if (!isComplete(record) || record.repo !== session.home.repo) continue;
    for (const { target, root } of record.roots ?? []) {
      // Roots in other projects are configured when somebody works there.
      const elsewhere = record.project_root !== undefined &&
        record.project_root !== session.project.root && isBelow(record.project_root, root);
      if (!isTargetName(target) || elsewhere || current.has(fileKey(target, root))) continue;
      candidates.set(fileKey(target, root), { target, root });
    }
  }
  const orphans: Orphan[] = [];
  for (const place of candidates.values()) {
    const manifest = await readManifest(files, place);
    if (manifest.state !== "present") continue;
    const deployed = manifest.entries.filter((entry) =>
      !isOperatorFile(entry.moduleIds, configured)
    ).map((entry) => ({ ...entry, absolute: pathIn(place.root, entry.path) }));
    if (deployed.length + manifest.shared.length > 0) orphans.push({ manifest, files: deployed });
  }
  return orphans.sort((a, b) =>
    firstDifference(
      compareBytes(a.manifest.target, b.manifest.target),
      compareBytes(a.manifest.root, b.manifest.root),
    )
  );
}

/** One warning for each orphaned root. */
export async function orphanWarnings(session: Session): Promise<string[]> {
  return (await findOrphans(session)).map(({ manifest, files }) =>
    `"${manifest.root}" of ${manifest.target} is no longer configured but still has ${
      [
        ...(files.length === 0 ? [] : [count(files.length, "deployed file")]),
        ...(manifest.shared.length === 0
          ? []
          : [count(manifest.shared.length, "deployed entry", "deployed entries")]),
      ].join(" and ")
    }; see: orphans remove`
  );
}

// Linked directories between a root and a file: one that leads out of the root is written through by nobody (PACK-31).

/** A file below a root. */
interface Placed {
  readonly root: string;
  readonly path: string;
}

/** The link above a file that leads out of its root, or null. The root itself may be a link, and so may what is above it. */
async function escapingLink(files: Files, { root, path }: Placed): Promise<string | null> {
  const realRoot = await files.realPath(root);
  if (realRoot === null) return null;
  let at = root;
  for (const part of (pathBelow(root, path) ?? "").split("/").slice(0, -1)) {
    at = join(at, part);
    const info = await files.lstat(at);
    if (info === null) return null;
    if (info.kind !== "symlink") continue;
    const real = await files.realPath(at);
    if (real === null || !isBelow(realRoot, real)) return at;
  }
  return null;
}

/** Refuses a path that is not below its root, or that a link leads out of it. Throws `E_IO_INVALID_PATH`. */
export async function refuseEscape(files: Files, root: string, path: string): Promise<void> {
  const facts = { path, kind: "invalid_path" } as const;
  if (pathBelow(root, path) === null) {
    throw ioError("E_IO_INVALID_PATH", `"${path}" is not below "${root}"`, facts);
  }
  const link = await escapingLink(files, { root, path });
  if (link === null) return;
  throw ioError(
    "E_IO_INVALID_PATH",
    `Cannot use "${path}": the link "${link}" leads out of "${root}"`,
    { ...facts, hint: "Move the link away: a deploy makes a directory in its place" },
  );
}

/** What people should know of changes of which a link would make a deploy fail, once for each link. */
export async function escapeWarnings(files: Files, changes: readonly Placed[]): Promise<string[]> {
  const links = new Map<string, string>();
  const looked = new Set<string>();
  for (const { root, path } of changes) {
    if (looked.has(dirname(path))) continue;
    looked.add(dirname(path));
    const link = await escapingLink(files, { root, path });
    if (link !== null) links.set(link, root);
  }
  return [...links].map(([link, root]) =>
    `"${link}" is a link that leads out of "${root}"; no deploy writes through it, move it away first`
  );
}
