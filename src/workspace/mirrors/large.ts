/** What git-lfs keeps apart of a repository: in its mirror once, and copied into the clones of tickets (MIRROR-11). */

import { join } from "@std/path";
import type { OnLine } from "../../git/mod.ts";
import { Mirrors } from "../../git/write/mod.ts";
import { mirrorAt, type Mirrored, settleConfig } from "./make.ts";
import { LARGE, type MirrorKind } from "./place.ts";
import type { MirrorTools } from "./tools.ts";

/** Where git-lfs keeps the file of a name below its directory. */
function placeOf(name: string): string {
  return join("objects", name.slice(0, 2), name.slice(2, 4), name);
}

/** Whether what git-lfs keeps apart belongs into a mirror: the manifest says so, or it is there already. No process. */
export async function wantsLarge(
  { system }: Pick<MirrorTools, "system">,
  place: string,
  { lfs = false }: Pick<Mirrored, "lfs">,
): Promise<boolean> {
  return lfs || await hasLarge({ system }, place);
}

/** Whether a mirror has been asked for large files before. No process. */
export async function hasLarge(
  { system }: Pick<MirrorTools, "system">,
  place: string,
): Promise<boolean> {
  return await system.files.lstat(join(place, LARGE)) !== null;
}

/** Brings the large files of the base branch into a mirror. One process, network. */
export async function fetchLarge(
  ctx: MirrorTools,
  repo: Mirrored,
  { place, kind, onLine }: {
    readonly place: string;
    readonly kind: MirrorKind;
    readonly onLine: OnLine;
  },
): Promise<void> {
  const branch = await ctx.git.bare(place, repo.name).refs.peek([`refs/heads/${repo.branch}`]);
  if (branch.size === 0) return;
  await ctx.system.files.makeDirectory(join(place, LARGE));
  await settleConfig(ctx, place, { url: repo.url, kind });
  await mirrorAt(ctx, place, repo).part(Mirrors).fetchLarge(repo.branch, onLine);
}

/**
 * Copies the large files that a commit needs, as far as a mirror has them, into a clone that nobody has worked in yet:
 * git-lfs asks the remote for the others. At most one process.
 */
export async function lendLarge(
  ctx: MirrorTools,
  { name, mirror, clone, commit }: {
    readonly name: string;
    readonly mirror: string;
    readonly clone: string;
    readonly commit: string;
  },
): Promise<void> {
  const { files } = ctx.system;
  if (!await hasLarge(ctx, mirror)) return;
  const wanted = new Set(await mirrorAt(ctx, mirror, { name }).part(Mirrors).largeFiles(commit));
  for (const file of wanted) {
    const from = join(mirror, LARGE, placeOf(file));
    if (await files.lstat(from) === null) continue;
    await files.duplicate(from, join(clone, ".git", "lfs", placeOf(file)));
  }
}
