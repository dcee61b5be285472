/** The desired state: which file should have which bytes (PACK-26). */

import type { Fields } from "../../../base/object.ts";
import { inPool } from "../../../base/async/pool.ts";
import { compareBytes, comparePaths, type Content, firstDifference, hashOf } from "../content.ts";
import type { ModuleConfig } from "../config/config.ts";
import { AgentpackError, toAgentpackError } from "../error.ts";
import { safePoint } from "../interrupt.ts";
import { pathIn, posix } from "../io.ts";
import { type ComposedModule, composeModule } from "../module/compose.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import type { TargetName } from "../names.ts";
import { OverlayFinder } from "../overlay/place.ts";
import { entryHash } from "../../../state/entries/document.ts";
import { keyOf, type SharedFile } from "../../../state/entries/types.ts";
import { TARGETS } from "../target/table.ts";
import {
  activeRules,
  type EvolvePath,
  isFor,
  needsModule,
  type Origin,
  type RenderedEntry,
  type RenderedFile,
  renders,
  type TargetPlace,
} from "../target/target.ts";
import { fileKey } from "./roots.ts";
import type { Session } from "./session.ts";

/** How many modules are composed at once. */
const COMPOSERS = 8;

/** A file as it should be. */
export interface DesiredFile {
  readonly target: TargetName;
  /** Absolute. */
  readonly path: string;
  /** Hashed by whoever needs that: most often it is on the disk already. */
  readonly bytes: Content;
  readonly executable: boolean;
  /** Where its module comes from, when not from this machine. */
  readonly remote: string | null;
  /** Sorted. */
  readonly moduleIds: readonly string[];
  readonly origins: readonly Origin[];
  readonly wayBack: EvolvePath;
}

/** An entry of a shared file as it should be. */
export interface DesiredEntry {
  readonly target: TargetName;
  readonly root: string;
  /** The file, absolute. */
  readonly path: string;
  readonly shared: SharedFile;
  readonly name: string;
  readonly value: Fields;
  /** Of the value, however it is written. */
  readonly sha256: string;
  readonly runs: string;
  readonly remote: string | null;
  /** Sorted. */
  readonly moduleIds: readonly string[];
  readonly origins: readonly Origin[];
}

/** Everything that should be on the disk. */
export interface Desired {
  /** Sorted by target, then by path component by component. */
  readonly files: readonly DesiredFile[];
  /** Sorted by target, path and name. */
  readonly entries: readonly DesiredEntry[];
  /** The composed modules by id. */
  readonly modules: ReadonlyMap<string, ComposedModule>;
  readonly warnings: readonly string[];
}

/** How to build a desired state. */
interface DesiredOptions {
  /** Called with a module that cannot be composed, which is then left out; without it the error is thrown. */
  readonly onBroken?: (moduleId: string, error: AgentpackError) => void;
}

/** Builds the desired state of a session. Throws what is wrong with a module, or `E_DESIRED_STATE_CONFLICT`. */
export async function buildDesired(
  session: Session,
  options: DesiredOptions = {},
): Promise<Desired> {
  const wanted = neededModules(session);
  const finder = new OverlayFinder(session.pack.system, session);
  const results = await inPool(COMPOSERS, wanted, async (module) => {
    try {
      return { module, composed: await composeModule(session, module, { finder }), error: null };
    } catch (error) {
      return { module, composed: null, error };
    }
  });
  const modules = new Map<string, ComposedModule>();
  for (const { module, composed, error } of results) {
    if (composed !== null) modules.set(module.id, composed);
    else if (options.onBroken === undefined) throw error;
    else options.onBroken(module.id, toAgentpackError(error));
  }
  const warnings = [...modules.values()].flatMap((module) => module.warnings);
  const found = new Map<string, DesiredFile>();
  const byPath = new Map<string, DesiredFile>();
  const entries = new Map<string, DesiredEntry>();
  for (const target of session.targets) {
    const place = session.places.get(target);
    if (place === undefined) continue;
    const state = { target, place, modules, warnings, entries };
    for (const file of renderTarget(session, state)) {
      await safePoint(session.pack.system.files);
      const key = fileKey(target, file.path);
      const merged = mergeSame(found.get(key) ?? byPath.get(file.path), file);
      found.set(key, found.has(key) ? merged : file);
      byPath.set(file.path, merged);
    }
  }
  const files = [...found.values()]
    .map((file) => ({ file, path: posix(file.path) }))
    .sort((a, b) => compareBytes(a.file.target, b.file.target) || comparePaths(a.path, b.path)).map(
      ({ file }) => file,
    );
  return { files, entries: sortedEntries(entries), modules, warnings: [...new Set(warnings)] };
}

/** The modules that the selected targets compose, in the order of targets and then of ids. */
function neededModules(session: Session): ModuleConfig[] {
  const wanted = new Map<string, ModuleConfig>();
  for (const target of session.targets) {
    const place = session.places.get(target);
    if (place === undefined) continue;
    for (const module of session.modules) {
      if (needsModule(TARGETS[target], place, module)) wanted.set(module.id, module);
    }
  }
  return [...wanted.values()];
}

function* renderTarget(
  session: Session,
  { target, place, modules, warnings, entries }: {
    readonly target: TargetName;
    readonly place: TargetPlace;
    readonly modules: ReadonlyMap<string, ComposedModule>;
    readonly warnings: string[];
    readonly entries: Map<string, DesiredEntry>;
  },
): Generator<DesiredFile> {
  const all = session.modules.filter((module) => isFor(target, module));
  for (const { id, type, targets } of all) {
    if (targets.length > 0 && !TARGETS[target].rules.some((rule) => rule.type === type)) {
      warnings.push(`"${id}" is left out of ${target}, which has nothing of type ${type}`);
    }
  }
  for (const rule of activeRules(TARGETS[target], place)) {
    const matching = session.modules.flatMap((module) => {
      const composed = modules.get(module.id);
      return composed === undefined || !renders(target, rule, module) ? [] : [composed];
    });
    const rendering = rule.render(matching, all);
    warnings.push(...rendering.warnings ?? []);
    const root = rule.root(place);
    for (const entry of rendering.entries ?? []) addEntry(entries, target, root, entry);
    for (const file of rendering.files) {
      yield { ...toDesired(target, root, file), remote: remoteOf(modules, file) };
    }
  }
}

function sortedEntries(entries: ReadonlyMap<string, DesiredEntry>): DesiredEntry[] {
  return [...entries.values()].sort((a, b) =>
    firstDifference(
      compareBytes(a.target, b.target),
      comparePaths(posix(a.path), posix(b.path)),
      compareBytes(a.name, b.name),
    )
  );
}

/** Adds an entry; two modules may want the same one only with the same value. */
function addEntry(
  entries: Map<string, DesiredEntry>,
  target: TargetName,
  root: string,
  { shared, name, value, runs, origin, remote }: RenderedEntry,
): void {
  const path = pathIn(root, shared.file);
  const key = fileKey(target, `${path}\0${name}`);
  const sha256 = entryHash(value);
  const existing = entries.get(key);
  const { moduleId } = origin;
  if (existing !== undefined && existing.sha256 !== sha256) {
    throw new AgentpackError(
      "E_DESIRED_STATE_CONFLICT",
      `Two modules want "${keyOf(shared, name)}" in "${path}" with different content: ${
        [...existing.moduleIds, moduleId].join(", ")
      }`,
      {
        target,
        path,
        existing: { target, sha256: existing.sha256, module_ids: existing.moduleIds },
        new: { target, sha256, module_ids: [moduleId] },
      },
    );
  }
  entries.set(key, {
    target,
    root,
    path,
    shared,
    name,
    value,
    sha256,
    runs,
    remote: existing?.remote ?? remote,
    moduleIds: [...new Set([...existing?.moduleIds ?? [], moduleId])].sort(compareBytes),
    origins: [...existing?.origins ?? [], origin],
  });
}

/** Where the modules of a file come from, when one is not from this machine. */
function remoteOf(
  modules: ReadonlyMap<string, ComposedModule>,
  { origins }: RenderedFile,
): string | null {
  for (const { moduleId } of origins) {
    const source = modules.get(moduleId)?.upstream.source;
    if (source?.kind === "git") return maskSecrets(source.url);
  }
  return null;
}

function toDesired(
  target: TargetName,
  root: string,
  file: RenderedFile,
): Omit<DesiredFile, "remote"> {
  return {
    target,
    path: pathIn(root, file.path),
    bytes: file.bytes,
    executable: file.executable,
    moduleIds: file.origins.map((origin) => origin.moduleId).sort(compareBytes),
    origins: file.origins,
    wayBack: file.wayBack,
  };
}

/** Two modules may want the same file only with the same bytes; so may two targets. */
function mergeSame(existing: DesiredFile | undefined, file: DesiredFile): DesiredFile {
  if (existing === undefined) return file;
  // Targets share what a module has, so that this is most often one and the same.
  if (existing.bytes !== file.bytes && hashOf(existing.bytes) !== hashOf(file.bytes)) {
    const side = (one: DesiredFile) => ({
      target: one.target,
      sha256: hashOf(one.bytes),
      module_ids: one.moduleIds,
    });
    throw new AgentpackError(
      "E_DESIRED_STATE_CONFLICT",
      `Two modules want "${file.path}" with different content: ${
        [...existing.moduleIds, ...file.moduleIds].join(", ")
      }`,
      { target: file.target, path: file.path, existing: side(existing), new: side(file) },
    );
  }
  return {
    ...existing,
    executable: existing.executable || file.executable,
    remote: existing.remote ?? file.remote,
    moduleIds: [...new Set([...existing.moduleIds, ...file.moduleIds])].sort(compareBytes),
    origins: [...existing.origins, ...file.origins],
  };
}
