/** What upstream was when an overlay was made, and how to get it back (PACK-18, PACK-55). */

import { join } from "@std/path";
import { pathBelow } from "../../../base/paths.ts";
import { sha256 } from "../../../base/hash.ts";
import { AgentpackError, type Details } from "../error.ts";
import type { Home } from "../identity/home.ts";
import { pathIn, posix, readBytes, withPosix } from "../io.ts";
import { type Pack, viaGit } from "../pack.ts";
import { checkLocked, ensureCheckout, hashUpstream, type Upstream } from "../source/resolve.ts";
import { type FileFact, treeHash } from "../source/tree.ts";
import { formatSeconds } from "../time.ts";
import type { Baseline } from "./meta.ts";

/** How to get that upstream again; null for places nobody keeps. */
type BaselineUpstream = NonNullable<Baseline["upstream"]> | null;

/** The text of a new baseline. */
function baselineText(
  facts: readonly FileFact[],
  upstreamHash: string,
  upstream: BaselineUpstream,
  now: string,
): string {
  const baseline = {
    version: 2,
    created_at: now,
    upstream_sha256: upstreamHash,
    file_manifest: facts,
    upstream,
  };
  return `${JSON.stringify(baseline, null, 2)}\n`;
}

/** The text of a baseline of upstream as it is now. At most two git processes. */
export async function baselineNow(pack: Pack, home: Home, upstream: Upstream): Promise<string> {
  const facts = await hashUpstream(pack.system.files, upstream);
  const identity = await identify(pack, home, upstream);
  const now = formatSeconds(pack.system.clock.now());
  return baselineText(facts, treeHash(facts), identity, now);
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
