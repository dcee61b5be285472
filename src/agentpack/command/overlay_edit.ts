/**
 * `overlay edit` and `overlay path` (PACK-55). Starting an editor is the door's part.
 *
 * @module
 */

import { join } from "@std/path";
import { type Config, loadConfig, type ModuleConfig } from "../config/config.ts";
import { readLockfile } from "../config/lockfile.ts";
import { configInvalid } from "../error.ts";
import { withHomeLock } from "../engine/lock.ts";
import { changeRepo, fileWrite } from "../engine/repo_change.ts";
import type { StepWrite } from "../engine/steps.ts";
import { homeOf } from "../identity/home.ts";
import { machineId } from "../identity/machine.ts";
import { detectProject } from "../identity/project.ts";
import { pathIn, posix, withPath } from "../io.ts";
import { readUpstream } from "../module/compose.ts";
import type { OverlayKind, OverlayScope } from "../names.ts";
import {
  kindText,
  metaDirectory,
  missingMeta,
  patchesDirectory,
  readKind,
} from "../overlay/meta.ts";
import { refuseLink } from "../overlay/layer.ts";
import { findOverlay, type OverlayPlace, type Surroundings } from "../overlay/place.ts";
import { baselineNow } from "../overlay/upstream.ts";
import type { Answer, Pack, Selection } from "../pack.ts";
import { resolveUpstream, usableLockfile } from "../source/resolve.ts";
import { listTree, RESERVED } from "../source/tree.ts";

/** `data` of `overlay path`. */
export interface OverlayPathData {
  readonly module_id: string;
  readonly scope: OverlayScope;
  readonly overlay_dir: string;
  readonly overlay_dir_posix: string;
}

/** `data` of `overlay edit`. */
export interface OverlayEditData extends OverlayPathData {
  readonly overlay_kind: OverlayKind;
  /** Whether the directory is new. */
  readonly created: boolean;
  readonly sparse: boolean;
  readonly materialized: boolean;
  /** Null unless the kind is patch. */
  readonly patches_dir: string | null;
  /** Whether the scope is project. */
  readonly project: boolean;
  readonly machine_id: string | null;
  readonly project_id: string | null;
}

/** How to edit. */
export interface OverlayEditOptions {
  readonly moduleId: string;
  readonly scope: OverlayScope;
  /** The kind of a new overlay, or the one an existing overlay is turned into. */
  readonly kind?: OverlayKind | undefined;
  readonly sparse: boolean;
  readonly materialize: boolean;
}

/** Home, project and machine of a call, which decide where overlays are. */
export async function surroundings(pack: Pack, selection: Selection): Promise<Surroundings> {
  return {
    home: homeOf(pack.system.env, selection.repo),
    project: await detectProject(pack, selection.project),
    machineId: machineId(pack.system.env, selection.machine),
  };
}

/** A configured module. Throws `E_CONFIG_INVALID` when there is none of that id. */
export function requireModule(config: Config, id: string): ModuleConfig {
  const module = config.modules.find((module) => module.id === id);
  if (module !== undefined) return module;
  throw configInvalid(`There is no module "${id}"`, { module_id: id });
}

function pathData(id: string, place: OverlayPlace): OverlayPathData {
  return {
    module_id: id,
    scope: place.scope,
    overlay_dir: place.directory,
    overlay_dir_posix: posix(place.directory),
  };
}

/** Where the overlay of a module is or would be; the module need not exist. */
export async function overlayPath(
  pack: Pack,
  selection: Selection,
  options: { readonly moduleId: string; readonly scope: OverlayScope },
): Promise<Answer<OverlayPathData>> {
  const around = await surroundings(pack, selection);
  const place = await findOverlay(pack.system, around, options.scope, options.moduleId);
  return {
    data: pathData(options.moduleId, place),
    warnings: place.warning === null ? [] : [place.warning],
  };
}

/** Makes an overlay ready to be edited. Throws `E_CONFIG_INVALID` when kinds would be mixed. */
export async function overlayEdit(
  pack: Pack,
  selection: Selection,
  options: OverlayEditOptions,
): Promise<Answer<OverlayEditData>> {
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const { files } = pack.system;
    const config = await loadConfig(files, home.config);
    const module = requireModule(config, options.moduleId);
    const { lockfile } = usableLockfile(await readLockfile(files, home.lockfile), [module]);
    const around = await surroundings(pack, selection);
    const place = await findOverlay(pack.system, around, options.scope, module.id);
    const upstream = await resolveUpstream(pack, home, module, { lockfile });
    const existing = place.exists ? await readKind(files, place.directory) : null;
    const kind = options.kind ?? existing ?? "dir";
    await refuseMixing(pack, place, module.id, kind);
    // Before anything is written here, which would itself make the config repo dirty.
    const baseline = await baselineNow(pack, home, upstream);
    const copies = kind === "dir" && (options.materialize || (!place.exists && !options.sparse));
    const writes: StepWrite[] = [];
    const put = (path: string, content: string | Uint8Array, executable = false) =>
      void writes.push(fileWrite(place.directory, path, content, executable));
    if (copies) {
      for (const [path, file] of await readUpstream(pack, module.id, upstream)) {
        const destination = pathIn(place.directory, path);
        if (await files.lstat(destination) !== null) continue;
        put(destination, file.bytes, file.executable);
      }
    }
    if (existing !== null && existing !== kind) {
      put(join(metaDirectory(place.directory), "overlay.json"), kindText(kind));
    }
    const meta = { moduleId: module.id, kind, baseline };
    for (const [path, text] of await missingMeta(files, place.directory, meta)) put(path, text);
    await changeRepo(pack, held, writes);
    const patches = kind === "patch" ? patchesDirectory(place.directory) : null;
    if (patches !== null) {
      await withPath("create", patches, () => files.makeDirectory(patches));
    }
    return {
      data: {
        ...pathData(module.id, place),
        overlay_kind: kind,
        created: !place.exists,
        sparse: options.sparse,
        materialized: options.materialize,
        patches_dir: patches,
        project: options.scope === "project",
        machine_id: options.scope === "machine" ? around.machineId : null,
        project_id: options.scope === "project" ? around.project.id : null,
      },
      warnings: [...held.warnings, ...(place.warning === null ? [] : [place.warning])],
    };
  });
}

async function refuseMixing(
  pack: Pack,
  place: OverlayPlace,
  moduleId: string,
  kind: OverlayKind,
): Promise<void> {
  if (!place.exists) return;
  const { files } = pack.system;
  const links = { refuse: refuseLink(moduleId), boundary: null };
  const directory = kind === "patch" ? place.directory : patchesDirectory(place.directory);
  const skip = kind === "patch" ? RESERVED : [".git"];
  const [found] = await listTree(files, directory, { skip, links });
  if (found === undefined) return;
  throw configInvalid(
    `The ${place.scope} overlay of "${moduleId}" cannot be of kind ${kind}: it holds "${found.path}"`,
    {
      module_id: moduleId,
      scope: place.scope,
      overlay_dir: place.directory,
      hint: kind === "patch"
        ? "Remove the override files first, or keep the kind dir"
        : "Remove the patches first, or keep the kind patch",
    },
  );
}
