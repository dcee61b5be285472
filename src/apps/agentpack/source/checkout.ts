/**
 * Checkouts of git sources, one directory per url and commit (PACK-8).
 *
 * Git processes: none when the checkout is there, at most four to fill it, one to resolve a ref.
 */

import { dirname, join } from "@std/path";
import { sha256 } from "../../../base/hash.ts";
import { Clones } from "../../../git/write/mod.ts";
import type { System } from "../../../base/system/mod.ts";
import { AgentpackError } from "../error.ts";
import type { Home } from "../identity/home.ts";
import { fsKey, sanitizeName, unboundedFsKey } from "../identity/fs_key.ts";
import { userHome, withPath } from "../io.ts";
import { type Pack, viaGit } from "../pack.ts";

interface CheckoutRequest {
  readonly moduleId: string;
  readonly url: string;
  readonly commit: string;
  /** Fetch only the commit of this branch or tag; null fetches everything. */
  readonly shallowRef: string | null;
}

const COMMIT = /^[0-9a-f]{40}$/;

/** Where git runs when it needs no repository: outside of any that could change what a url means. */
async function neutralDirectory(system: System, home: Home): Promise<string> {
  return await system.files.stat(home.root) === null ? userHome(system.env) : home.root;
}

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
  const cwd = await neutralDirectory(pack.cache.system, home);
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
