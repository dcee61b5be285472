/** `overlay edit`: makes an overlay ready to be edited (PACK-55). Starting an editor is the door's part. */

import { join } from "@std/path";
import { loadConfig } from "../../config/config.ts";
import { readLockfile } from "../../config/lockfile.ts";
import {
  type Act,
  declare,
  flag,
  type InputOf,
  type Look,
  members,
  optionalChoice,
} from "../../declare/command.ts";
import { lines, shownPath } from "../../declare/show.ts";
import { changeRepo, fileWrite } from "../../engine/repo_change.ts";
import type { StepWrite } from "../../engine/transaction.ts";
import { configInvalid } from "../../error.ts";
import { pathIn, withPath } from "../../io.ts";
import { type ComposedModule, composeModule } from "../../module/compose.ts";
import { OVERLAY_KINDS, type OverlayKind } from "../../names.ts";
import {
  findOverlay,
  type OverlayPlace,
  requireModule,
  surroundings,
} from "../../overlay/place.ts";
import {
  kindText,
  metaDirectory,
  missingMeta,
  patchesDirectory,
  readKind,
} from "../../overlay/meta.ts";
import type { Answer, Pack } from "../../pack.ts";
import { refuseLink, usableLockfile } from "../../source/resolve.ts";
import { listTree, RESERVED } from "../../source/tree.ts";
import { MODULE, type OverlayPathData, pathData, SCOPE } from "./path.ts";

/** `data` of `overlay edit`. */
interface OverlayEditData extends OverlayPathData {
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
  /** Present in a dry run. */
  readonly dry_run?: true;
}

/** What becomes of an overlay, with the files that are written for people where it is shown beforehand. */
type OverlayEdit = Answer<OverlayEditData> & { readonly files?: readonly string[] };

interface Preparation {
  readonly data: OverlayEditData;
  readonly warnings: readonly string[];
  readonly writes: readonly StepWrite[];
}

const OPTIONS = {
  module_id: MODULE,
  scope: SCOPE,
  kind: optionalChoice(OVERLAY_KINDS, { help: "Whole files, or patches" }),
  sparse: flag({ help: "Begin empty instead of as a copy" }),
  materialize: flag({ help: "Copy the files that the overlay lacks" }),
};

/** How to edit. */
export type OverlayEditOptions = InputOf<typeof OPTIONS>;

/** Finds out what makes an overlay ready to be edited. Throws `E_CONFIG_INVALID` when kinds would be mixed. */
async function prepared(
  { pack, selection, home }: Look,
  options: OverlayEditOptions,
): Promise<Preparation> {
  const { files } = pack.system;
  const config = await loadConfig(files, home.config);
  const module = requireModule(config, options.module_id);
  const { lockfile } = usableLockfile(await readLockfile(files, home.lockfile), [module]);
  const around = await surroundings(pack, selection);
  const place = await findOverlay(pack.system, around, options.scope, module.id);
  // The base of the edit is what would be deployed without this overlay, lower overlays included.
  const lower = await composeModule({ pack, lockfile, ...around }, module, {
    below: options.scope,
  });
  const existing = place.exists ? await readKind(files, place.directory) : null;
  const kind = options.kind ?? existing ?? "dir";
  await refuseMixing(pack, place, module.id, kind);
  const copies = kind === "dir" && (options.materialize || (!place.exists && !options.sparse));
  const writes = copies ? await missingCopies(pack, lower, place.directory) : [];
  const put = (path: string, content: string) =>
    void writes.push(fileWrite(place.directory, path, content));
  if (existing !== null && existing !== kind) {
    put(join(metaDirectory(place.directory), "overlay.json"), kindText(kind));
  }
  const missing = await missingMeta(pack, home, place.directory, {
    moduleId: module.id,
    kind,
    upstream: lower.upstream,
  });
  for (const [path, text] of missing) put(path, text);
  const patches = kind === "patch" ? patchesDirectory(place.directory) : null;
  return {
    writes,
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
    warnings: place.warning === null ? [] : [place.warning],
  };
}

async function makeReady(call: Act, options: OverlayEditOptions): Promise<OverlayEdit> {
  const { files } = call.pack.system;
  const { data, warnings, writes } = await prepared(call, options);
  await call.approve({ ...data, dry_run: true });
  await changeRepo(call.pack, call.held, writes);
  const patches = data.patches_dir;
  if (patches !== null) {
    await withPath("create", patches, () => files.makeDirectory(patches));
  }
  return { data, warnings };
}

/** What `overlay edit` would write. */
async function dryRun(call: Look, options: OverlayEditOptions): Promise<OverlayEdit> {
  const { data, warnings, writes } = await prepared(call, options);
  return { data: { ...data, dry_run: true }, warnings, files: writes.map(({ path }) => path) };
}

/** The files of the lower layers that an overlay does not have yet. */
async function missingCopies(
  pack: Pack,
  lower: ComposedModule,
  directory: string,
): Promise<StepWrite[]> {
  const writes: StepWrite[] = [];
  for (const [path, { bytes, executable }] of lower.files) {
    const destination = pathIn(directory, path);
    if (await pack.system.files.lstat(destination) !== null) continue;
    writes.push(fileWrite(directory, destination, bytes, executable));
  }
  return writes;
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

/** `overlay edit`. */
export const overlayEdit = declare({
  path: ["overlay", "edit"],
  summary: "Make an overlay ready to be edited, and open it in $EDITOR.",
  description:
    "An overlay changes files of a module for everybody, one machine or one project, and leaves upstream alone. Without --sparse or --kind patch a new overlay begins as a copy of what upstream and the overlays below it make.",
  options: OPTIONS,
  examples: [
    "overlay edit skill:tidy --sparse",
    "overlay edit skill:tidy --scope project --kind patch",
  ],
  changes: { asks: "first" },
  async refuse({ pack, home }, { module_id }) {
    requireModule(await loadConfig(pack.system.files, home.config), module_id);
  },
  look: dryRun,
  act: makeReady,
  async follow(person, answer) {
    const warning = await person.edit(answer.data.overlay_dir);
    return warning === null ? answer : { ...answer, warnings: [...answer.warnings, warning] };
  },
  answers: members<OverlayEditData>(
    "module_id",
    "scope",
    "overlay_kind",
    "overlay_dir",
    "overlay_dir_posix",
    "created",
    "sparse",
    "materialized",
    "patches_dir",
    "project",
    "machine_id",
    "project_id",
    "dry_run",
  ),
  render: ({ data, files = [] }) => {
    const overlay = `the ${data.scope} overlay of ${shownPath(data.module_id)}`;
    const would = data.created ? "Would make" : files.length === 0 ? "Would open" : "Would add to";
    const done = data.created ? "Made" : "Found";
    return lines(
      `${data.dry_run ? would : done} ${overlay}:`,
      `  ${shownPath(data.patches_dir ?? data.overlay_dir)}`,
      files.map((path) => `  + ${shownPath(path)}`),
    );
  },
});
