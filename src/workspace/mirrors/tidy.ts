/** Removes mirrors that nobody borrows from, and packs the others (MIRROR-6). */

import { basename, dirname, join } from "@std/path";
import type { ExecuteContext } from "../../contract/mod.ts";
import { sweep } from "../removal/sweep.ts";
import { settleBorrowers } from "./borrowers.ts";
import { atMirror } from "./lock.ts";
import { isMirror, mirrorAt, settleConfig } from "./make.ts";
import { bareConfig } from "./place.ts";
import { isIdle, type MirrorFound, surveyMirror } from "./survey.ts";
import { Mirrors } from "../../git/write/mod.ts";

type Found = Pick<MirrorFound, "directory" | "name">;

/**
 * Removes a mirror unless somebody borrows from it by now; false then. It is renamed before it is deleted, so that
 * nobody finds a part of it.
 */
export async function removeMirror(
  ctx: ExecuteContext,
  { directory, name }: Found,
): Promise<boolean> {
  const { files, ids } = ctx.system;
  return await atMirror(ctx, { place: directory, name }, async () => {
    const now = await surveyMirror(ctx, directory);
    if (!isIdle(now)) return false;
    const aside = join(dirname(directory), `.${basename(directory)}.amof-removed-${ids.hex(8)}`);
    if (await files.lstat(directory) !== null) await files.rename(directory, aside);
    await settleBorrowers(ctx, directory, now.borrowers);
    await files.removeTree(aside);
    return true;
  });
}

/** Removes what a kill or a damage has left beside a mirror, while nobody works on that. */
export async function removeLeft(ctx: ExecuteContext, { directory, name }: Found): Promise<void> {
  const mirror = basename(directory).slice(1).replace(/\.amof-[^.]*$/, "");
  await atMirror(ctx, { place: join(dirname(directory), mirror), name }, async () => {
    await ctx.system.files.removeTree(directory);
  });
}

/**
 * Packs the objects of a mirror together; every one of them stays, also those that no branch needs. Git refuses that in
 * a repository whose objects are precious, so it is told of the same objects in another one, whose configuration does
 * not say so: the mirror itself stays as protected as it is, also when this is killed. False where the mirror is gone.
 */
export async function packMirror(ctx: ExecuteContext, found: MirrorFound): Promise<boolean> {
  const { directory, name, url, kind } = found;
  const { files, ids } = ctx.system;
  return await atMirror(ctx, { place: directory, name }, async () => {
    if (url === null || !await isMirror(ctx, directory)) return false;
    await settleConfig(ctx, directory, { url, kind });
    await settleBorrowers(ctx, directory, (await surveyMirror(ctx, directory)).borrowers);
    const [parent, base] = [dirname(directory), basename(directory)];
    await sweep(ctx, parent, base);
    const helper = join(parent, `.${base}.amof-${ids.hex(8)}`);
    try {
      await mirrorAt(ctx, directory, { name }).part(Mirrors).packRefs();
      await files.makeDirectory(join(helper, "refs"));
      await files.symlink(join(directory, "objects"), join(helper, "objects"));
      for (const file of ["HEAD", "packed-refs"]) {
        const text = await files.readText(join(directory, file));
        if (text !== null) await files.write(join(helper, file), text);
      }
      const config = await files.readText(join(directory, "config")) ?? "";
      await files.write(join(helper, "config"), bareConfig(config));
      await mirrorAt(ctx, helper, { name }).part(Mirrors).pack();
    } finally {
      await files.removeTree(helper);
    }
    return true;
  });
}
