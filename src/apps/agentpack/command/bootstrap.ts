/**
 * `bootstrap`: installs the operator files (PACK-57). They are merged into the manifests of their roots, and
 * deploys leave them alone.
 */

import { byTargetAndPath, bytesOf, compareBytes, decodeText } from "../content.ts";
import { join } from "@std/path";
import { sha256 } from "../../../base/hash.ts";
import { pathBelow } from "../../../base/paths.ts";
import { type Act, choice, declare, flag, type Look, members } from "../declare/command.ts";
import { changeCounts, changeLine, isUnchanged, lines } from "../declare/show.ts";
import { checkAdoption } from "../engine/deployment.ts";
import { octal, readOnDisk } from "../engine/disk.ts";
import type { HeldLock } from "../engine/journal.ts";
import { type Change, type ChangeSummary, summarize } from "../engine/plan.ts";
import { recordBase } from "../engine/snapshot.ts";
import { loadSession, type Session } from "../engine/session.ts";
import {
  manifestBytes,
  type ManifestEntry,
  manifestPath,
  readManifest,
  type RootManifest,
  sameEntries,
} from "../engine/target_manifest.ts";
import { commit, newSnapshotId, type Write } from "../engine/transaction.ts";
import { withPosix } from "../io.ts";
import { formatNanos, type Scope, SCOPES, type TargetName } from "../names.ts";
import { type OperatorFile, operatorFiles, operatorVersion } from "../operator/assets.ts";
import type { Answer } from "../pack.ts";

/** `data` of `bootstrap`. */
export interface BootstrapData {
  readonly applied: boolean;
  readonly reason?: "no_changes" | "dry_run";
  readonly snapshot_id?: string;
  readonly targets: readonly TargetName[];
  readonly scope: Scope;
  readonly changes: readonly Change[];
  readonly summary: ChangeSummary;
}

/** What is to be done in one root. */
interface RootWork {
  readonly manifest: RootManifest;
  readonly files: readonly OperatorFile[];
  readonly entries: readonly ManifestEntry[];
}

function entriesOf(manifest: RootManifest, files: readonly OperatorFile[]): ManifestEntry[] {
  const own = files.map((file) => ({
    path: pathBelow(manifest.root, file.path) ?? "",
    sha256: sha256(file.bytes),
    moduleIds: [file.moduleId],
  }));
  const paths = new Set(own.map((entry) => entry.path));
  return [...manifest.entries.filter((entry) => !paths.has(entry.path)), ...own];
}

async function planRoots(session: Session, scope: Scope): Promise<RootWork[]> {
  const scopes = scope === "both" ? (["user", "project"] as const) : [scope];
  const wanted = session.targets.flatMap((target) => {
    const place = session.places.get(target);
    if (place === undefined) return [];
    return scopes.flatMap((one) => operatorFiles(target, place, one, session.pack));
  });
  const work: RootWork[] = [];
  for (const files of Map.groupBy(wanted, ({ target, root }) => `${target}\0${root}`).values()) {
    const [first] = files;
    if (first === undefined) continue;
    const manifest = await readManifest(session.pack.system.files, first);
    work.push({ manifest, files, entries: entriesOf(manifest, files) });
  }
  return work;
}

const NOTHING = new Uint8Array();

async function changesOf(session: Session, work: readonly RootWork[]): Promise<Change[]> {
  const changes: Change[] = [];
  for (const { manifest, files } of work) {
    const owned = new Set(manifest.entries.map((entry) => entry.path));
    for (const file of files) {
      const disk = await readOnDisk(session.pack.system.files, file.path);
      const after = sha256(file.bytes);
      if (disk.sha256 === after) continue;
      // A file with our mark is ours even where an older version forgot to record it.
      const ours = owned.has(pathBelow(file.root, file.path) ?? "") ||
        operatorVersion(decodeText(bytesOf(disk.bytes ?? NOTHING) ?? NOTHING) ?? "") !== null;
      changes.push({
        target: file.target,
        ...withPosix("path", file.path),
        before_sha256: disk.sha256,
        after_sha256: after,
        ...(disk.sha256 === null
          ? { op: "create", reason: "file missing" }
          : ours
          ? { op: "update", update_kind: "managed_update", reason: "content differs" }
          : {
            op: "update",
            update_kind: "adopt_update",
            reason: "would overwrite unmanaged existing file",
          }),
        ...(disk.kind === "symlink" ? { is_symlink: true as const } : {}),
      });
    }
  }
  return changes.sort(byTargetAndPath);
}

/** Looks what is to be installed; with the lock held, installs it unless that would overwrite what is not ours. */
export async function installOperators(
  { pack, selection }: Look,
  options: { readonly scope: Scope; readonly adopt: boolean },
  act: Act | null,
): Promise<Answer<BootstrapData>> {
  const session = await loadSession(pack, selection);
  const work = await planRoots(session, options.scope);
  const changes = await changesOf(session, work);
  const facts = {
    targets: [...new Set(work.map(({ manifest }) => manifest.target))].sort(compareBytes),
    scope: options.scope,
    changes,
    summary: summarize(changes),
  };
  const { warnings } = session;
  const recorded = work.every(({ manifest, entries }) => sameEntries(manifest.entries, entries));
  if (changes.length === 0 && recorded) {
    return { data: { applied: false, reason: "no_changes", ...facts }, warnings };
  }
  const planned = { applied: false, reason: "dry_run", ...facts } as const;
  if (act === null) return { data: planned, warnings };
  await act.approve(planned);
  if (!options.adopt) checkAdoption(changes);
  const id = await install(session, act.held, work, changes);
  return { data: { applied: true, snapshot_id: id, ...facts }, warnings };
}

/** What has to be written so that the files are as they should be. */
function writesOf(files: RootWork["files"], changes: readonly Change[]): Write[] {
  return changes.flatMap(({ target, path, op, before_sha256: expected }): Write[] => {
    const file = files.find((file) => file.target === target && file.path === path);
    if (file === undefined) return [];
    const { root, bytes } = file;
    return [{
      target,
      path,
      root,
      op,
      expected,
      after: { kind: "file", bytes, executable: false },
    }];
  });
}

/** The roots of all targets and those that are written to, each once. */
function everyRoot({ allRoots }: Session, work: readonly RootWork[]) {
  const roots = new Map(
    [...allRoots, ...work.map(({ manifest }) => manifest)].map(({ target, root }) => [
      `${target}\0${root}`,
      { target, root },
    ]),
  );
  return [...roots.values()];
}

async function install(
  session: Session,
  held: HeldLock,
  work: readonly RootWork[],
  changes: readonly Change[],
): Promise<string> {
  const nanos = await newSnapshotId(session.pack, held);
  const id = String(nanos);
  const createdAt = formatNanos(nanos);
  const files = work.flatMap((root) => root.files);
  const manifests = work.map(({ manifest, entries }) => ({
    target: manifest.target,
    path: manifestPath(manifest.root, manifest.target),
    root: manifest.root,
    op: manifest.state === "present" || manifest.state === "unusable" ? "update" : "create",
    expected: undefined,
    bytes: manifestBytes({
      target: manifest.target,
      snapshotId: id,
      generatedAt: createdAt,
      entries,
      shared: manifest.shared,
    }),
  } as const));
  await commit(session.pack, held, {
    id,
    writes: [
      ...writesOf(files, changes),
      ...manifests.map(({ bytes, ...write }): Write => ({
        ...write,
        after: { kind: "file", bytes, executable: false },
      })),
    ],
    copies: [...files, ...manifests],
    prune: [],
    record: {
      ...await recordBase(session, id, createdAt),
      kind: "bootstrap",
      targets: [...new Set(files.map((file) => file.target))].sort(compareBytes),
      managed_files: files.map(({ target, path, bytes }) => ({
        target,
        path,
        sha256: sha256(bytes),
        mode: octal(0o644),
      })).sort(byTargetAndPath),
      backup_root: join(held.home.snapshots, id, "backup"),
      roots: everyRoot(session, work),
    },
  });
  return id;
}

/** `bootstrap`. */
export const bootstrap = declare({
  path: ["bootstrap"],
  summary: "Install the files that teach agents to use agentpack.",
  options: {
    scope: choice(SCOPES, "both", { help: "Where to install them" }),
    adopt: flag({ help: "Overwrite existing files that are not managed" }),
  },
  examples: ["bootstrap --dry-run", "bootstrap --scope user --yes"],
  changes: { asks: "late" },
  look: (call, input) => installOperators(call, input, null),
  act: (call, input) => installOperators(call, input, call),
  answers: members<BootstrapData>(
    "applied",
    "reason",
    "snapshot_id",
    "targets",
    "scope",
    "changes",
    "summary",
  ),
  render: ({ data }) =>
    data.reason === "no_changes" ? "The operator files are up to date" : lines(
      data.applied ? `Installed: snapshot ${data.snapshot_id}` : changeCounts(data.summary),
      data.changes.map(changeLine),
    ),
  refuse(_, { adopt }, planned) {
    if (!adopt && planned !== null) checkAdoption(planned.data.changes);
  },
  isIdle: ({ data }) => data.reason === "no_changes" && isUnchanged(data.summary),
});
