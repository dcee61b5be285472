/**
 * A module's files with its overlays applied (PACK-17): upstream, then the global, the machine and
 * the project overlay. Everything happens in memory; nothing is written.
 */

import type { Fields } from "../../../base/object.ts";
import type { ModuleConfig } from "../config/config.ts";
import { givenDescription } from "../config/metadata.ts";
import type { Lockfile } from "../config/lockfile.ts";
import { compareBytes, type Content } from "../content.ts";
import { configInvalid } from "../error.ts";
import { OVERLAY_SCOPES, type OverlayScope } from "../names.ts";
import {
  type LayeredFile,
  layOver,
  type Overlay,
  readOverlay,
  refuseUnsettled,
} from "../overlay/layer.ts";
import { OverlayFinder, type Surroundings } from "../overlay/place.ts";
import type { Pack } from "../pack.ts";
import { hashUpstream, refuseLink, resolveUpstream, type Upstream } from "../source/resolve.ts";
import {
  type FileFact,
  listTree,
  readContents,
  RESERVED,
  type TreeEntry,
  type TreeFile,
  treeHash,
} from "../source/tree.ts";
import { validateModule } from "./validate.ts";

/** A module ready to be rendered. */
export interface ComposedModule {
  readonly config: ModuleConfig;
  readonly upstream: Upstream;
  /** Files by path, sorted by the bytes of their paths. */
  readonly files: ReadonlyMap<string, LayeredFile>;
  /** The overlays that were applied, lowest first. */
  readonly overlays: readonly Overlay[];
  /** What the head of a subagent says; empty for anything else. */
  readonly head: Fields;
  readonly warnings: readonly string[];
}

/** What composing needs besides the module. */
export interface ComposeInput extends Surroundings {
  readonly pack: Pack;
  readonly lockfile: Lockfile | null;
}

function listUpstream(pack: Pack, moduleId: string, upstream: Upstream): Promise<TreeEntry[]> {
  const links = { refuse: refuseLink(moduleId), boundary: upstream.boundary };
  const options = { skip: RESERVED, links };
  return listTree(pack.system.files, upstream.root, options, upstream.info);
}

function layered<C extends Content>(files: readonly TreeFile<C>[]): Map<string, LayeredFile<C>> {
  return new Map(
    files.map(({ path, bytes, executable }) => [path, { bytes, executable, layer: "upstream" }]),
  );
}

/** The files of a module's upstream by path, without reserved names. */
export async function readUpstream(
  pack: Pack,
  moduleId: string,
  upstream: Upstream,
): Promise<Map<string, LayeredFile>> {
  const entries = await listUpstream(pack, moduleId, upstream);
  return layered(await readContents(pack.system.files, entries));
}

interface ComposeOptions {
  /** Only the layers lower than this scope, not validated. */
  readonly below?: OverlayScope;
  /** What finds overlays, for a call that composes many modules. */
  readonly finder?: OverlayFinder;
}

/** Whether bytes begin with a byte order mark. */
function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** What happened upstream since an overlay was made, as warnings; `upstream` is as it is today. */
function driftWarnings(overlay: Overlay, upstream: readonly FileFact[]): string[] {
  const { baseline, moduleId, scope } = overlay;
  if (baseline === null) return [];
  const now = new Map(upstream.map((fact) => [fact.path, fact.sha256]));
  const then = new Map(baseline.file_manifest.map((fact) => [fact.path, fact.sha256]));
  const rebase = `rebase the overlay: overlay rebase ${moduleId} --scope ${scope}`;
  const specific = [...overlay.files, ...overlay.patches].flatMap(({ path }) => {
    const before = then.get(path);
    const after = now.get(path);
    if (before === undefined || before === after) return [];
    return [
      `Upstream ${
        after === undefined ? "removed" : "changed"
      } "${path}" of "${moduleId}" since its ${scope} overlay was made; ${rebase}`,
    ];
  });
  if (specific.length > 0 || treeHash(upstream) === baseline.upstream_sha256) return specific;
  return [`Upstream of "${moduleId}" changed since its ${scope} overlay was made; ${rebase}`];
}

/**
 * Composes and validates a module; with `below`, only the layers lower than that scope, and no validation.
 *
 * Throws what is wrong with its source, overlays or content.
 */
export async function composeModule(
  shop: ComposeInput,
  config: ModuleConfig,
  { below, finder = new OverlayFinder(shop.pack.system, shop) }: ComposeOptions = {},
): Promise<ComposedModule> {
  const { pack } = shop;
  const { files } = pack.system;
  const upstream = await resolveUpstream(pack, shop.home, config, shop);
  const under = await readUpstream(pack, config.id, upstream);
  const overlays: Overlay[] = [];
  const warnings: string[] = [];
  for (const scope of OVERLAY_SCOPES) {
    if (scope === below) break;
    const place = await finder.find(scope, config.id);
    if (place === null) continue;
    if (place.warning !== null) warnings.push(place.warning);
    const overlay = await readOverlay(files, config.id, scope, place.directory);
    refuseUnsettled(overlay);
    layOver(under, overlay);
    overlays.push(overlay);
  }
  if (overlays.some((overlay) => overlay.baseline !== null)) {
    const facts = await hashUpstream(files, upstream);
    warnings.push(...overlays.flatMap((overlay) => driftWarnings(overlay, facts)));
  }
  if (overlays.length > 0) refuseFileForDirectory(config.id, under);
  const sorted = new Map([...under].sort(([a], [b]) => compareBytes(a, b)));
  const { id, type } = config;
  const checked = { id, type, description: givenDescription(config), files: sorted };
  const head = below === undefined ? await validateModule(checked) : {};
  const main = sorted.get("SKILL.md")?.bytes;
  if (main instanceof Uint8Array && hasMark(main)) {
    warnings.push(
      `"${id}" begins with a byte order mark, behind which Codex and Gemini CLI see no head; save SKILL.md without one`,
    );
  }
  return { config, upstream, files: sorted, overlays, head, warnings };
}

/** An overlay can put a file where upstream has a directory, which no target could hold. */
function refuseFileForDirectory(id: string, files: ReadonlyMap<string, LayeredFile>): void {
  for (const path of files.keys()) {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const parent = path.slice(0, cut);
      if (files.has(parent)) {
        throw configInvalid(`An overlay of "${id}" makes "${parent}" both a file and a directory`, {
          module_id: id,
          path: parent,
        });
      }
    }
  }
}
