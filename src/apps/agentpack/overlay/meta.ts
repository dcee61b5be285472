/** What an overlay says about itself, in its directory `.agentpack` (PACK-18). */

import { join } from "@std/path";
import type { output } from "zod";
import { firstIssue } from "../../../base/text/issues.ts";
import type { ZodNamespace } from "../../../contract/mod.ts";
import { builtOnce, pathIn, posix, readBytes, readJson, withPosix } from "../io.ts";
import type { Files } from "../../../base/system/mod.ts";
import { AgentpackError, configInvalid, type Details } from "../error.ts";
import { formatSeconds, type OverlayKind } from "../names.ts";
import { pathBelow } from "../../../base/paths.ts";
import { sha256 } from "../../../base/hash.ts";
import type { Home } from "../identity.ts";
import { type Pack, viaGit } from "../pack.ts";
import { checkLocked, ensureCheckout, hashUpstream, type Upstream } from "../source/resolve.ts";
import { treeHash } from "../source/tree.ts";

function build(z: ZodNamespace) {
  return z.looseObject({
    version: z.int(),
    created_at: z.string(),
    upstream_sha256: z.string(),
    file_manifest: z.array(
      z.looseObject({ path: z.string(), sha256: z.string(), bytes: z.int() }),
    ),
    upstream: z.union([
      z.looseObject({
        kind: z.literal("local_path"),
        repo_rel_path: z.string(),
        repo_git_rev: z.string().nullish(),
        repo_dirty: z.boolean().nullish(),
      }),
      z.looseObject({
        kind: z.literal("git"),
        url: z.string(),
        commit: z.string(),
        subdir: z.string(),
      }),
    ]).nullish(),
  });
}

const schema = builtOnce(build);

/** What upstream looked like when an overlay was made or last rebased. */
export type Baseline = output<ReturnType<typeof build>>;
/** The directory with everything that is never deployed. */
export function metaDirectory(overlay: string): string {
  return join(overlay, ".agentpack");
}

/** Where an overlay's patches are. */
export function patchesDirectory(overlay: string): string {
  return join(overlay, ".agentpack", "patches");
}

/** Where texts with conflict markers of a patch overlay are left. */
export function conflictsDirectory(overlay: string): string {
  return join(overlay, ".agentpack", "conflicts");
}

/** Where the baseline is. */
export function baselinePath(overlay: string): string {
  return join(overlay, ".agentpack", "baseline.json");
}

function invalidMeta(overlay: string, path: string, why: string) {
  return configInvalid(`Cannot use the overlay metadata "${path}": ${why}`, {
    overlay_dir: overlay,
    meta_path: path,
    hint: 'Write {"overlay_kind":"dir"} or {"overlay_kind":"patch"}',
  });
}

/** The kind of an overlay: `dir` unless its `overlay.json` says otherwise. Throws `E_CONFIG_INVALID`. */
export async function readKind(files: Files, overlay: string): Promise<OverlayKind> {
  const path = join(metaDirectory(overlay), "overlay.json");
  const read = await readJson(files, path);
  if (read === null) return "dir";
  if (typeof read === "string") throw invalidMeta(overlay, path, read);
  const { value } = read;
  if (value === null || typeof value !== "object") {
    throw invalidMeta(overlay, path, "it does not hold an object");
  }
  const kind = "overlay_kind" in value ? value.overlay_kind : "dir";
  if (kind === "dir" || kind === "patch") return kind;
  throw invalidMeta(overlay, path, "its overlay_kind is unknown");
}

/** The baseline of an overlay, or null when it has none. Throws `E_CONFIG_INVALID` for a damaged one. */
export async function readBaseline(files: Files, overlay: string): Promise<Baseline | null> {
  const path = baselinePath(overlay);
  const read = await readJson(files, path);
  if (read === null) return null;
  const refuse = (why: string) =>
    configInvalid(`Cannot use the overlay baseline "${path}": ${why}`, {
      overlay_dir: overlay,
      meta_path: path,
      hint: "Remove the file and run overlay edit to record upstream as it is now",
    });
  if (typeof read === "string") throw refuse(read);
  const shape = (await schema()).safeParse(read.value);
  if (!shape.success) throw refuse(firstIssue(shape.error, read.value));
  return shape.data;
}

/** The text of `overlay.json`. */
export function kindText(kind: OverlayKind): string {
  return `${JSON.stringify({ overlay_kind: kind }, null, 2)}\n`;
}

// What upstream was when an overlay was made, and how to get it back (PACK-18, PACK-55).

/** How to get that upstream again; null for places nobody keeps. */
type BaselineUpstream = NonNullable<Baseline["upstream"]> | null;

/** The text of a baseline of upstream as it is now. At most two git processes. */
export async function baselineNow(pack: Pack, home: Home, upstream: Upstream): Promise<string> {
  const facts = await hashUpstream(pack.system.files, upstream);
  const baseline = {
    version: 2,
    created_at: formatSeconds(pack.system.clock.now()),
    upstream_sha256: treeHash(facts),
    file_manifest: facts,
    upstream: await identify(pack, home, upstream),
  };
  return `${JSON.stringify(baseline, null, 2)}\n`;
}

/** Those of the three files an overlay needs to be rebased later that are missing, by path. */
export async function missingMeta(
  pack: Pack,
  home: Home,
  overlay: string,
  { moduleId, kind, upstream }: {
    readonly moduleId: string;
    readonly kind: OverlayKind;
    readonly upstream: Upstream;
  },
): Promise<ReadonlyMap<string, string>> {
  const texts = {
    "baseline.json": () => baselineNow(pack, home, upstream),
    "module_id": () => `${moduleId}\n`,
    "overlay.json": () => kindText(kind),
  };
  const missing = new Map<string, string>();
  for (const [name, text] of Object.entries(texts)) {
    const path = join(metaDirectory(overlay), name);
    if (await pack.system.files.stat(path) === null) missing.set(path, await text());
  }
  return missing;
}

async function identify(pack: Pack, home: Home, upstream: Upstream): Promise<BaselineUpstream> {
  const { source } = upstream;
  if (source.kind === "git") return { ...source };
  const { files } = pack.system;
  const repo = await files.realPath(home.repo) ?? home.repo;
  // A file keeps the name it was configured with.
  const root = upstream.isFile ? upstream.root : await files.realPath(upstream.root);
  const below = pathBelow(repo, root ?? upstream.root) ?? pathBelow(home.repo, upstream.root);
  if (below === null) return null;
  const path = posix(below);
  // A config repo need not be a git repository; one that git does not trust is none the less one.
  const revision = await pack.system.files.lstat(join(home.repo, ".git")) === null
    ? null
    : await viaGit(home.repo, () => pack.git.at(home.repo).refs.resolve("HEAD"));
  if (revision === null) return { kind: "local_path", repo_rel_path: path };
  const { changes } = await viaGit(
    home.repo,
    () => pack.git.at(home.repo, "config repo").status(),
  );
  return {
    kind: "local_path",
    repo_rel_path: path,
    repo_git_rev: revision,
    repo_dirty: changes.length > 0,
  };
}

/** Reads files of an overlay's baseline. */
export interface BaseReader {
  /** The bytes of a file, proven by the hash in the baseline. Throws `E_OVERLAY_BASELINE_UNSUPPORTED`. */
  read(path: string): Promise<Uint8Array>;
}

/**
 * Finds the files of a baseline again: in a checkout of its commit, or in the config repo's history.
 *
 * Throws `E_OVERLAY_BASELINE_UNSUPPORTED` when it does not say where they are.
 */
export async function openBaseline(
  pack: Pack,
  home: Home,
  about: { readonly moduleId: string; readonly directory: string; readonly isFile: boolean },
  baseline: Baseline,
): Promise<BaseReader> {
  const unsupported = (why: string, more: Details = {}) =>
    new AgentpackError(
      "E_OVERLAY_BASELINE_UNSUPPORTED",
      `Cannot rebase the overlay of "${about.moduleId}": ${why}`,
      {
        module_id: about.moduleId,
        ...withPosix("overlay_dir", about.directory),
        hint: "Keep the config repo in git, commit, and record a new baseline with overlay edit",
        ...more,
      },
    );
  const { upstream } = baseline;
  if (!upstream) throw unsupported("its baseline does not say where upstream was");
  const find = upstream.kind === "git"
    ? await checkoutReader(pack, home, about.moduleId, upstream)
    : historyReader(pack, home, about.isFile, upstream);
  if (find === null) throw unsupported("its baseline names no revision of the config repo");
  return {
    async read(path) {
      const bytes = await find(path);
      const expected = baseline.file_manifest.find((fact) => fact.path === path)?.sha256;
      if (bytes !== null && sha256(bytes) === expected) return bytes;
      throw unsupported(
        `"${path}" as it was then is ${
          bytes === null ? "not there any more" : "not what was committed"
        }`,
        { path },
      );
    },
  };
}

type Find = (path: string) => Promise<Uint8Array | null>;

async function checkoutReader(
  pack: Pack,
  home: Home,
  moduleId: string,
  upstream: { readonly url: string; readonly commit: string; readonly subdir: string },
): Promise<Find> {
  checkLocked(moduleId, upstream);
  const { url, commit, subdir } = upstream;
  const { directory } = await ensureCheckout(pack, home, {
    moduleId,
    url,
    commit,
    shallowRef: null,
  });
  const root = join(directory, subdir);
  const { files } = pack.system;
  const isFile = (await files.stat(root))?.kind === "file";
  return (path) => readBytes(files, isFile ? root : pathIn(root, path));
}

function historyReader(
  pack: Pack,
  home: Home,
  isFile: boolean,
  upstream: { readonly repo_rel_path: string; readonly repo_git_rev?: string | null | undefined },
): Find | null {
  const revision = upstream.repo_git_rev;
  if (!revision || !/^[0-9a-f]{40,64}$/.test(revision)) return null;
  return (path) => {
    const file = isFile ? upstream.repo_rel_path : `${upstream.repo_rel_path}/${path}`;
    return pack.git.at(home.repo).commits.fileAt(revision, file);
  };
}
