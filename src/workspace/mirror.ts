/**
 * Mirrors: one bare copy per address, from which the clones of every workspace on this machine take what it has
 * (WORKSPACE-25).
 *
 * A clone takes its own copy of everything, so that a mirror can be deleted at any time.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { AmofError, toAmofError } from "../error.ts";
import type { ExecuteContext } from "../contract/mod.ts";
import type { OnLine } from "../git/mod.ts";
import { sha256 } from "../hash.ts";
import { maskSecrets } from "../text/mask.ts";
import type { Repo } from "./manifest/manifest.ts";
import { whyOf } from "./why.ts";

/** Failures that say nothing of the mirror: the clone meets them, too, and tells of them. */
const OF_THE_REMOTE = new Set(["auth_failed", "remote_unreachable", "timeout"]);

/** Where the mirror of an address lies. */
function mirrorPlace(ctx: ExecuteContext, url: string): string {
  return join(ctx.layout.cache, "mirrors", `${sha256(url).slice(0, 32)}.git`);
}

async function make(ctx: ExecuteContext, repo: Repo, place: string, onLine: OnLine): Promise<void> {
  const { files } = ctx.system;
  const parent = dirname(place);
  await files.makeDirectory(parent);
  const temporary = `${place}.${ctx.system.ids.hex(8)}`;
  try {
    const { clones } = ctx.git.at(parent, repo.name);
    await clones.makeBare({ url: repo.url, directory: temporary, onLine });
    // Another process may have been faster; either mirror is as good.
    if (await files.lstat(place) === null) await files.rename(temporary, place);
  } finally {
    await files.removeTree(temporary);
  }
}

async function refresh(
  ctx: ExecuteContext,
  repo: Repo,
  place: string,
  onLine: OnLine,
): Promise<void> {
  const mirror = ctx.git.at(place, repo.name);
  try {
    await mirror.inTurn(() => mirror.remotes.fetchBare(onLine));
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    if (OF_THE_REMOTE.has(error.code)) throw error;
    // What it holds is on the remote, too.
    await ctx.system.files.removeTree(place);
    await make(ctx, repo, place, onLine);
  }
}

/**
 * The mirror of a repository, brought up to date, or null where none is asked for or none can be had, which is told
 * and keeps nobody from cloning. One git process, network.
 */
export async function freshMirror(
  ctx: ExecuteContext,
  repo: Repo,
  onLine: OnLine,
): Promise<string | null> {
  // An address with credentials is written nowhere; clones with less than the whole history take little anyway.
  if (!repo.mirrored || repo.clone !== "full" || maskSecrets(repo.url) !== repo.url) return null;
  try {
    const place = mirrorPlace(ctx, repo.url);
    if (await ctx.system.files.lstat(join(place, "HEAD")) === null) {
      await make(ctx, repo, place, onLine);
    } else await refresh(ctx, repo, place, onLine);
    return place;
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    if (["cancelled", "internal_error"].includes(error.code)) throw thrown;
    ctx.report.log("warn", `${repo.name}: cloned without a mirror: ${whyOf(error)}`);
    return null;
  }
}
