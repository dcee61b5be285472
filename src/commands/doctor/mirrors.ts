/** What `amof doctor` looks for in clones that borrow, and in the mirrors they borrow from (MIRROR-8). */

import { join, resolve } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { isBelow } from "../../base/paths.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import {
  type BorrowingClone,
  clonesOnMirrors,
  mirrorsDirectory,
  mirrorTroubles,
} from "../../workspace/mirrors/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { type Check, found } from "./found.ts";

const WHAT = {
  missing: "is gone",
  damaged: "is damaged",
  changed: "has another configuration than it was made with",
} as const;

/** The tickets of clones: "P-1 and P-2". */
function ticketsOf(lent: readonly BorrowingClone[]): string {
  return few([...new Set(lent.map(({ ticket }) => ticket))], 5);
}

/** Where a clone reads objects and should not; no process. */
async function strays(ctx: CommandContext, lent: BorrowingClone): Promise<Check[]> {
  const checks: Check[] = [];
  const objects = join(lent.directory, ".git", "objects");
  for (const line of lent.reads) {
    const place = resolve(objects, line);
    const ours = isBelow(mirrorsDirectory(ctx.layout), place);
    if (place === join(lent.mirror.place, "objects")) continue;
    const there = await ctx.system.files.lstat(place) !== null;
    if (ours && there) continue;
    checks.push(
      found(
        `${lent.repo.name} of ticket ${lent.ticket}`,
        "problem",
        `it reads objects from ${cleanLine(place, 200)}, which is ${
          there ? "no mirror" : "not there"
        }`,
        `See who wrote that there: ${join(objects, "info", "alternates")}`,
      ),
    );
  }
  return checks;
}

/** What a clone needs and does not find anywhere, as a check; null where nothing is missing. At most three processes. */
async function lost(
  { git }: Pick<CommandContext, "git">,
  lent: BorrowingClone,
): Promise<Check | null> {
  const clone = git.at(lent.directory, lent.repo.name);
  if (await clone.borrowed.trouble() === null) return null;
  const missing = await clone.borrowed.missing();
  const name = `${lent.repo.name} of ticket ${lent.ticket}`;
  if (missing.length === 0) {
    // A look that something else has disturbed names nothing, and finds all of it the next time.
    const trouble = await clone.borrowed.trouble();
    return trouble === null ? null : found(
      name,
      "problem",
      `git cannot follow all that its branches and tags have: ${cleanLine(trouble, 300)}`,
      `See what it says: git -C ${shellWord(lent.directory)} fsck`,
    );
  }
  return found(
    name,
    "problem",
    `${count(missing.length, "object")} that its remote has dropped ${
      missing.length === 1 ? "is" : "are"
    } not there any more: ${few(missing.map((id) => id.slice(0, 12)), 5)}`,
    "Push these commits again from a clone that still has them",
  );
}

/** Looks at the clones of tickets that borrow, and at their mirrors. One process per clone. */
export async function checkMirrors(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  const lent = await clonesOnMirrors(ctx, manifest);
  if (lent.length === 0) return [];
  const troubles = await mirrorTroubles(ctx, manifest);
  const gone = new Set(
    troubles.flatMap(({ what, lent }) => what === "changed" ? [] : lent)
      .map(({ directory }) => directory),
  );
  const whole = lent.filter(({ directory }) => !gone.has(directory));
  const checks = [
    ...troubles.map(({ repo, place, what, lent }) =>
      found(
        `mirror of ${repo.name}`,
        "problem",
        `${place} ${WHAT[what]}; ${count(lent.length, "clone")} of ${ticketsOf(lent)} ${
          lent.length === 1 ? "reads" : "read"
        } from it`,
        `amof -e ${manifest.name} doctor --repair`,
      )
    ),
    ...(await Promise.all(lent.map((one) => strays(ctx, one)))).flat(),
    ...(await inPool(ctx.jobs, whole, (one) => lost(ctx, one))).filter((check) => check !== null),
  ];
  const mirrors = new Set(lent.map(({ mirror }) => mirror.place));
  return checks.length > 0 ? checks : [
    found(
      "mirrors",
      "ok",
      `${count(lent.length, "clone")} of tickets borrow from ${count(mirrors.size, "mirror")}`,
    ),
  ];
}
