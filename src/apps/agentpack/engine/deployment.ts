/** A planned deploy and how it is carried out (PACK-28, PACK-36). */

import { join } from "@std/path";
import { pathBelow } from "../../../base/paths.ts";
import { byTargetAndPath, compareBytes, hashOf } from "../content.ts";
import { AgentpackError } from "../error.ts";
import { FILES_AT_ONCE, pathIn } from "../io.ts";
import { inPool } from "../../../base/async/pool.ts";
import type { Pack, Selection } from "../pack.ts";
import type { TargetRoot } from "../target/target.ts";
import { formatNanos } from "../names.ts";
import { markName } from "../../../base/text/sanitize.ts";
import { count, few } from "../../../base/text/words.ts";
import { selectModules } from "../config/select.ts";
import { buildDesired, type Desired } from "./desired.ts";
import { emptied, modeAfter, octal } from "./disk.ts";
import type { HeldLock } from "./journal.ts";
import { fileKey, orphanWarnings, rootOf } from "./roots.ts";
import {
  type ManagedEntry,
  manifestBytes,
  type ManifestEntry,
  manifestPath,
  type RootManifest,
  sameEntries,
  sameShared,
} from "./target_manifest.ts";
import { findManaged, type Managed } from "./managed.ts";
import { isProgram, type Refusals } from "./programs.ts";
import { entryWarnings, planShared, type SharedPlan } from "./shared/plan.ts";
import { entryCopy } from "./history.ts";
import { makePlan, type Plan, withShared } from "./plan.ts";
import { recordBase, type SnapshotRecord } from "./snapshot.ts";
import { loadSession, type Session } from "./session.ts";
import { commit, newSnapshotId, type Write } from "./transaction.ts";
import { allowsRemoteProgram } from "../config/metadata.ts";
import { loadPolicy } from "../config/policy.ts";

/** Everything a deploy needs, computed without changing anything. */
export interface Deployment {
  readonly session: Session;
  readonly desired: Desired;
  readonly managed: Managed;
  readonly plan: Plan;
  /** The shared files of which entries are or should be ours. */
  readonly shared: readonly SharedPlan[];
  readonly warnings: readonly string[];
}

interface Applied {
  /** The id of its record; null when there was nothing to do. */
  readonly snapshotId: string | null;
  readonly warnings: readonly string[];
}

/** What should be on the disk, without a look at what is. */
export interface Preparation {
  readonly session: Session;
  readonly desired: Desired;
  readonly warnings: readonly string[];
}

/** Loads a session and builds its desired state. Throws what is wrong with configuration or modules. */
export async function prepareDesired(pack: Pack, selection: Selection): Promise<Preparation> {
  const session = await loadSession(pack, selection);
  const desired = await buildDesired(session);
  return { session, desired, warnings: [...new Set([...session.warnings, ...desired.warnings])] };
}

/** Reads what is allowed, for a run that would write entries. Throws `E_POLICY_CONFIG_*` for a policy that is broken. */
async function loadRefusals(
  { pack, home, modules }: Session,
  { entries, files }: Desired,
): Promise<Refusals> {
  const allowed = new Set(modules.filter(allowsRemoteProgram).map(({ id }) => id));
  if (entries.length === 0 && !files.some(isProgram)) return { policy: null, allowed };
  try {
    return { policy: await loadPolicy(pack.system.files, home.repo), allowed };
  } catch (error) {
    if (error instanceof AgentpackError && error.code === "E_POLICY_CONFIG_MISSING") {
      return { policy: null, allowed };
    }
    throw error;
  }
}

/** Plans a deploy. Throws what is wrong with configuration, modules or destinations. */
export async function prepareDeployment(pack: Pack, selection: Selection): Promise<Deployment> {
  const { session, desired, warnings: before } = await prepareDesired(pack, selection);
  const managed = await findManaged(session);
  const refusals = await loadRefusals(session, desired);
  const shared = await planShared(pack.system.files, desired, managed, refusals);
  const plan = withShared(
    await makePlan(session, desired, managed, refusals),
    shared.flatMap(({ change }) => change ?? []),
    entryWarnings(shared),
  );
  const warnings = [
    ...before,
    ...managed.warnings,
    ...await orphanWarnings(session),
    ...otherProfileWarnings(session, managed, plan),
    ...plan.warnings,
  ];
  return { session, desired, managed, plan, shared, warnings: [...new Set(warnings)] };
}

/** Refuses to overwrite files that are not ours. Throws `E_ADOPT_CONFIRM_REQUIRED`. */
export function checkAdoption(changes: Plan["changes"]): void {
  const adopted = changes.filter((change) => change.update_kind === "adopt_update")
    .map((change) => change.path).sort(compareBytes);
  if (adopted.length === 0) return;
  throw new AgentpackError(
    "E_ADOPT_CONFIRM_REQUIRED",
    `${count(adopted.length, "existing file")}, not managed so far, would be overwritten${
      adoptedEntries(changes)
    }`,
    { flag: "--adopt", adopt_updates: adopted.length, sample_paths: adopted.slice(0, 20) },
  );
}

/** Of files that are shared only the entries are overwritten that are told here. */
function adoptedEntries(changes: Plan["changes"]): string {
  const keys = changes.flatMap(({ entries }) =>
    (entries ?? []).flatMap(({ key, update_kind: kind }) =>
      kind === "adopt_update" ? [`"${markName(key)}"`] : []
    )
  );
  return keys.length === 0 ? "" : `; of shared ones only ${few(keys, 5)}`;
}

/** What a manifest of a root has to list. */
interface RootState {
  readonly root: TargetRoot;
  readonly manifest: RootManifest;
  readonly entries: readonly ManifestEntry[];
  readonly shared: readonly ManagedEntry[];
  readonly hasDesired: boolean;
  readonly hasChanges: boolean;
}

function rootStates({ session, desired, managed, plan, shared }: Deployment): RootState[] {
  return managed.manifests.map((manifest, index) => {
    const root = session.roots[index] ?? { ...manifest, scanExtras: false };
    const mine = (path: string) => rootOf(session.roots, root.target, path)?.root === root.root;
    const wanted = desired.files.filter((file) => file.target === root.target && mine(file.path));
    const wantedPaths = new Set(wanted.map((file) => pathBelow(root.root, file.path)));
    const listed = shared.filter((file) => file.target === root.target && file.root === root.root)
      .flatMap((file) => file.listed);
    const operators = manifest.entries.filter((entry) => {
      const file = managed.files.get(
        fileKey(root.target, pathIn(root.root, entry.path)),
      );
      return file?.operator === true && !wantedPaths.has(entry.path);
    });
    return {
      root,
      manifest,
      entries: [
        ...wanted.map((file) => ({
          path: pathBelow(root.root, file.path) ?? "",
          sha256: hashOf(file.bytes),
          moduleIds: file.moduleIds,
        })),
        ...operators,
      ],
      shared: listed,
      hasDesired: wanted.length > 0 || listed.length > 0,
      hasChanges: plan.changes.some((change) => change.target === root.target && mine(change.path)),
    };
  });
}

/** Whether manifests alone would have to be written: one is missing, or says something else than it should. */
function manifestsDiffer(states: readonly RootState[]): boolean {
  return states.some(({ manifest, entries, shared, hasDesired }) => {
    const usable = manifest.state === "present" || manifest.state === "legacy";
    if (hasDesired && !usable) return true;
    return manifest.state === "present" || hasDesired
      ? !sameEntries(manifest.entries, entries) || !sameShared(manifest.shared, shared)
      : false;
  });
}

/** Whether a deploy would write nothing at all. */
function isNothingToDo(deployment: Deployment): boolean {
  return deployment.plan.changes.length === 0 && !manifestsDiffer(rootStates(deployment));
}

/**
 * Carries out exactly this deployment. The caller has settled confirmation and adoption.
 *
 * Throws `E_PLAN_STALE` when a destination moved since the plan, and what {@linkcode commit} throws.
 */
export async function applyDeployment(held: HeldLock, deployment: Deployment): Promise<Applied> {
  if (isNothingToDo(deployment)) return { snapshotId: null, warnings: [] };
  const { session, desired, plan, shared } = deployment;
  const { pack } = session;
  const nanos = await newSnapshotId(pack, held);
  const id = String(nanos);
  const createdAt = formatNanos(nanos);
  const files = new Map(desired.files.map((file) => [fileKey(file.target, file.path), file]));
  const changes = plan.changes.map((change): Write => {
    const file = files.get(fileKey(change.target, change.path));
    const edited = shared.find((one) => one.change === change)?.after;
    const root = rootOf(session.roots, change.target, change.path);
    return {
      target: change.target,
      path: change.path,
      root: root?.root ?? "",
      op: change.op,
      expected: change.before_sha256,
      ...(change.entries === undefined ? {} : { entries: change.entries }),
      after: edited
        ? { kind: "file", bytes: edited, executable: false }
        : file === undefined
        ? { kind: "absent" }
        : { kind: "file", bytes: file.bytes, executable: file.executable },
    };
  });
  const manifests = rootStates(deployment)
    .filter(({ manifest, hasDesired, hasChanges }) =>
      hasDesired || hasChanges || manifest.state === "present" || manifest.state === "unusable"
    )
    .map(({ root, manifest, entries, shared }): Write & { readonly bytes: Uint8Array } => {
      const bytes = manifestBytes({
        target: root.target,
        snapshotId: id,
        generatedAt: createdAt,
        entries,
        shared,
      });
      return {
        target: root.target,
        path: manifestPath(root.root, root.target),
        root: root.root,
        op: manifest.state === "present" || manifest.state === "unusable" ? "update" : "create",
        expected: undefined,
        after: { kind: "file", bytes, executable: false },
        bytes,
      };
    });
  await commit(pack, held, {
    id,
    writes: [...changes, ...manifests],
    copies: [...desired.files, ...manifests, ...desired.entries.map(entryCopy)],
    prune: emptied(changes.filter((change) => change.op === "delete")),
    record: {
      ...await deployRecord(deployment, id, createdAt),
      backup_root: join(held.home.snapshots, id, "backup"),
    },
  });
  return { snapshotId: id, warnings: [] };
}

/** One file that was managed when the record was made. */
type RecordedFile = SnapshotRecord["managed_files"][number];

async function deployRecord(
  deployment: Deployment,
  id: string,
  createdAt: string,
): Promise<SnapshotRecord> {
  const { session, desired } = deployment;
  const changed = new Set(deployment.plan.changes.map((change) => change.path));
  const managed = await inPool(
    FILES_AT_ONCE,
    desired.files,
    async (file): Promise<RecordedFile> => {
      const mode = (await session.pack.system.files.stat(file.path))?.mode ?? null;
      const after = changed.has(file.path) ? modeAfter(mode, file.executable) : mode;
      return {
        target: file.target,
        path: file.path,
        sha256: hashOf(file.bytes),
        ...(after === null ? {} : { mode: octal(after) }),
      };
    },
  );
  return {
    ...await recordBase(session, id, createdAt),
    kind: "deploy",
    targets: [...new Set([...desired.files, ...desired.entries].map(({ target }) => target))]
      .sort(compareBytes),
    ...(desired.entries.length === 0 ? {} : {
      managed_entries: desired.entries.map(({ target, path, name, sha256 }) => ({
        target,
        path,
        name,
        sha256,
      })),
    }),
    managed_files: managed.sort(byTargetAndPath),
  };
}

/** How many modules a warning names. */
const NAMED = 3;

/** One warning for all files that a plan deletes although other profiles select their modules; none without such. */
function otherProfileWarnings(
  { config, profile, modules }: Session,
  managed: Managed,
  { changes }: Pick<Plan, "changes">,
): string[] {
  const here = new Set(modules.map(({ id }) => id));
  const elsewhere = new Map(
    [...config.profiles.keys()].filter((name) => name !== profile)
      .map((name) => [name, new Set(selectModules(config, name).map(({ id }) => id))]),
  );
  const others = [...elsewhere.values()];
  const lost = new Set<string>();
  const gone = { files: 0, entries: 0 };
  for (const { op, target, path, entries } of changes) {
    const removed = (entries ?? []).filter((entry) => entry.op === "delete");
    if (op !== "delete" && removed.length === 0) continue;
    const owners = entries === undefined
      ? managed.files.get(fileKey(target, path))?.moduleIds ?? []
      : removed.flatMap(({ module_ids }) => module_ids);
    const missed = owners.filter((id) => !here.has(id) && others.some((ids) => ids.has(id)));
    if (missed.length > 0 && entries === undefined) gone.files++;
    if (entries !== undefined) {
      gone.entries += removed.filter(({ module_ids }) =>
        module_ids.some((id) => missed.includes(id))
      )
        .length;
    }
    for (const id of missed) lost.add(id);
  }
  if (lost.size === 0) return [];
  const whole = [...elsewhere].find(([, ids]) => [...lost].every((id) => ids.has(id)))?.[0];
  const names = few([...lost].map((id) => `"${id}"`), NAMED);
  return [
    `The profile "${profile}" does not select ${names}, so ${
      [
        ...(gone.files === 0 ? [] : [count(gone.files, "file")]),
        ...(gone.entries === 0 ? [] : [count(gone.entries, "entry", "entries")]),
      ].join(" and ")
    } would be deleted; ${
      whole === undefined ? "other profiles select them" : `--profile ${whole} selects them`
    }`,
  ];
}
