/** Where the files of a module are (PACK-7, PACK-8). */

import { dirname, isAbsolute, join } from "@std/path";
import { isBelow } from "../../../base/paths.ts";
import type { FileInfo, Files, System } from "../../../base/system/mod.ts";
import { gitSourceProblem, type ModuleConfig } from "../config/config.ts";
import type { LockedModule, Lockfile, LockfileState } from "../config/lockfile.ts";
import { AgentpackError, configInvalid } from "../error.ts";
import { fsKey, type Home, sanitizeName, unboundedFsKey } from "../identity.ts";
import { type Pack, viaGit } from "../pack.ts";
import { type FileFact, hashTree } from "./tree.ts";
import { sha256 } from "../../../base/hash.ts";
import { Clones } from "../../../git/write/mod.ts";
import { userHome, withPath } from "../io.ts";

// Checkouts of git sources, one directory per url and commit (PACK-8).
//
// Git processes: none when the checkout is there, at most four to fill it, one to resolve a ref.

interface CheckoutRequest {
  readonly moduleId: string;
  readonly url: string;
  readonly commit: string;
  /** Fetch only the commit of this branch or tag; null fetches everything. */
  readonly shallowRef: string | null;
}

const COMMIT = /^[0-9a-f]{40}$/;

/** The commit a ref names. Throws `E_UNEXPECTED` when the repository has no such branch or tag. */
export async function resolveRef(
  pack: Pack,
  home: Home,
  { moduleId, url, ref }: {
    readonly moduleId: string;
    readonly url: string;
    readonly ref: string;
  },
): Promise<string> {
  if (COMMIT.test(ref)) return ref;
  // Outside of any repository that could change what a url means.
  const cwd = await pack.cache.system.files.stat(home.root) === null
    ? userHome(pack.cache.system.env)
    : home.root;
  const commit = await viaGit(
    cwd,
    () => pack.cache.git.at(cwd).remoteRefs.commitOf(url, ref, `the source of "${moduleId}"`),
  );
  if (commit === null) {
    throw new AgentpackError(
      "E_UNEXPECTED",
      `The source of "${moduleId}" has no branch or tag "${ref}"`,
    );
  }
  return commit;
}

/** The directory of a checkout. */
export function checkoutDirectory(home: Home, url: string, commit: string): string {
  return join(home.checkouts, sha256(url), commit);
}

/** Where older versions put it. */
function olderDirectories(home: Home, request: CheckoutRequest): string[] {
  const { moduleId, commit } = request;
  const names = new Set([fsKey(moduleId), unboundedFsKey(moduleId), sanitizeName(moduleId)]);
  return [...names].map((name) => join(home.checkouts, name, commit));
}

/** A checkout that is there already, moved from an older place if possible; else null. */
async function findCheckout(
  system: System,
  home: Home,
  request: CheckoutRequest,
): Promise<string | null> {
  const canonical = checkoutDirectory(home, request.url, request.commit);
  if ((await system.files.stat(canonical))?.kind === "directory") return canonical;
  for (const older of olderDirectories(home, request)) {
    if ((await system.files.stat(older))?.kind !== "directory") continue;
    try {
      await system.files.makeDirectory(dirname(canonical));
      await system.files.rename(older, canonical);
      return canonical;
    } catch {
      return older;
    }
  }
  return null;
}

/** The directory with the files of a commit, fetched when it is not there; tells whether it was fetched. */
export async function ensureCheckout(
  pack: Pack,
  home: Home,
  request: CheckoutRequest,
): Promise<{ readonly directory: string; readonly fetched: boolean }> {
  const { system, git } = pack.cache;
  const existing = await findCheckout(system, home, request);
  if (existing !== null) return { directory: existing, fetched: false };
  const directory = checkoutDirectory(home, request.url, request.commit);
  const parent = dirname(directory);
  await withPath("create", parent, () => system.files.makeDirectory(parent));
  const temporary = join(parent, `.${request.commit}.${system.ids.uuid()}.tmp`);
  const what = `the source of "${request.moduleId}"`;
  const fill = async (only: string | null) => {
    await git.at(parent).part(Clones).makeWithoutFiles({
      url: request.url,
      directory: temporary,
      only,
      what,
    });
    await git.at(temporary).commits.checkOut(request.commit, what);
  };
  try {
    await viaGit(parent, async () => {
      if (request.shallowRef === null) return await fill(null);
      try {
        await fill(request.shallowRef);
      } catch {
        // The branch may have moved on since its commit was asked for; a full clone has it still.
        await system.files.removeTree(temporary);
        await fill(null);
      }
    });
    await putInPlace(system, temporary, directory);
  } finally {
    await system.files.removeTree(temporary);
  }
  return { directory, fetched: true };
}

/** Another process may have been faster; then its checkout stands, which is the same. */
async function putInPlace(system: System, temporary: string, directory: string): Promise<void> {
  try {
    await system.files.rename(temporary, directory);
  } catch (error) {
    if ((await system.files.stat(directory))?.kind !== "directory") throw error;
  }
}

/** What a module's source came to. */
type ResolvedSource =
  | { readonly kind: "local_path"; readonly path: string }
  | {
    readonly kind: "git";
    readonly url: string;
    readonly commit: string;
    readonly subdir: string;
  };

/** A module's upstream on disk. */
export interface Upstream {
  readonly moduleId: string;
  /** A directory, or a single file, where the configuration says; links on the way to it are not resolved. */
  readonly root: string;
  readonly isFile: boolean;
  /** What the root was when it was found. */
  readonly info: FileInfo;
  readonly source: ResolvedSource;
  /** What links of the module may not leave: its checkout; null for local sources. */
  readonly boundary: string | null;
  /** Whether git had to fetch it. */
  readonly fetched: boolean;
}

/** The error for a link that would bring in something else than the module's own files. */
export function refuseLink(moduleId: string): (link: string, why: string) => Error {
  return (link, why) =>
    configInvalid(`The link "${link}" of module "${moduleId}" cannot be used: ${why}`, {
      module_id: moduleId,
      path: link,
    });
}

/** The facts of an upstream as lockfiles and baselines record them. Throws for a link that leaves its checkout. */
export async function hashUpstream(files: Files, upstream: Upstream): Promise<FileFact[]> {
  const { root, boundary, moduleId } = upstream;
  return await hashTree(files, root, { refuse: refuseLink(moduleId), boundary });
}

/**
 * The lockfile for modules that need one; throws what is wrong with it when one of them has a git source
 * (PACK-7), else answers a warning.
 */
export function usableLockfile(
  state: LockfileState,
  modules: readonly ModuleConfig[],
): { readonly lockfile: Lockfile | null; readonly warning: string | null } {
  if (state.kind === "usable") return { lockfile: state.lockfile, warning: null };
  if (state.kind === "missing") return { lockfile: null, warning: null };
  if (modules.some((module) => module.source.kind === "git")) throw state.error;
  return { lockfile: null, warning: state.error.message };
}

/** The modules of a lockfile by id: many are asked for. */
const lockedById = new WeakMap<Lockfile, ReadonlyMap<string, LockedModule>>();

/** The git source that a lockfile has for a module, or null; of two entries with one id the first counts. */
function lockedGit(
  lockfile: Lockfile | null,
  id: string,
): NonNullable<LockedModule["resolved_source"]["git"]> | null {
  if (lockfile === null) return null;
  const byId = lockedById.getOrInsertComputed(
    lockfile,
    ({ modules }) => new Map(modules.toReversed().map((entry) => [entry.id, entry])),
  );
  return byId.get(id)?.resolved_source.git ?? null;
}

/** What the lockfile says about a module differs from the configuration, as warnings. */
export function lockWarnings(
  lockfile: Lockfile | null,
  modules: readonly ModuleConfig[],
): string[] {
  return modules.flatMap(({ id, source }) => {
    const locked = source.kind === "git" ? lockedGit(lockfile, id) : null;
    if (source.kind !== "git" || !locked) return [];
    if (locked.url === source.url && locked.subdir === source.subdir) return [];
    return [
      `The lockfile has another source for "${id}" than agentpack.yaml and is followed; run lock to renew it`,
    ];
  });
}

/** Finds the upstream of a module, fetching a missing checkout. Throws `E_CONFIG_INVALID` when it is not there. */
export async function resolveUpstream(
  pack: Pack,
  home: Home,
  module: ModuleConfig,
  { lockfile }: { readonly lockfile: Lockfile | null },
): Promise<Upstream> {
  const { source } = module;
  if (source.kind === "local") {
    const path = isAbsolute(source.path) ? source.path : join(home.repo, source.path);
    return {
      moduleId: module.id,
      ...await locate(pack, module, path, source.path),
      source: { kind: "local_path", path: source.path },
      boundary: null,
      fetched: false,
    };
  }
  const locked = lockedGit(lockfile, module.id);
  if (locked) checkLocked(module.id, locked);
  const { url, subdir } = locked ?? source;
  const commit = locked?.commit ??
    await resolveRef(pack, home, { moduleId: module.id, url, ref: source.ref });
  const symbolic = locked === null && source.ref !== commit;
  const { directory, fetched } = await ensureCheckout(pack, home, {
    moduleId: module.id,
    url,
    commit,
    shallowRef: symbolic && source.shallow ? source.ref : null,
  });
  const boundary = await pack.system.files.realPath(directory) ?? directory;
  const found = await locate(pack, module, join(directory, subdir), subdir);
  if (!isBelow(boundary, await pack.system.files.realPath(found.root) ?? found.root)) {
    throw configInvalid(`The subdir of module "${module.id}" leaves its checkout`, {
      module_id: module.id,
      path: subdir,
    });
  }
  return {
    moduleId: module.id,
    ...found,
    source: { kind: "git", url, commit, subdir },
    boundary,
    fetched,
  };
}

/**
 * Refuses a locked source that git could misread: a lockfile travels with a repo and is trusted no more than its
 * configuration. Throws `E_LOCKFILE_INVALID`.
 */
export function checkLocked(
  id: string,
  locked: { readonly url: string; readonly commit: string; readonly subdir: string },
): void {
  const problem = /^[0-9a-f]{40}$/.test(locked.commit)
    ? gitSourceProblem({ ...locked, ref: locked.commit })
    : "its commit is not a commit hash";
  if (problem === null) return;
  throw new AgentpackError(
    "E_LOCKFILE_INVALID",
    `The locked source of "${id}" is bad: ${problem}`,
    {
      module_id: id,
      error: problem,
    },
  );
}

async function locate(
  pack: Pack,
  module: ModuleConfig,
  path: string,
  shown: string,
): Promise<Pick<Upstream, "root" | "isFile" | "info">> {
  const info = await pack.system.files.stat(path);
  if (info?.kind !== "directory" && info?.kind !== "file") {
    throw configInvalid(`The source of module "${module.id}" does not exist: "${shown}"`, {
      module_id: module.id,
      path: shown,
    });
  }
  return { root: path, isFile: info.kind === "file", info };
}
