/** The clones of an ecosystem's tickets that borrow, and what is the matter with their mirrors (MIRROR-8). */

import { join } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import type { Manifest, Repo } from "../manifest/manifest.ts";
import { ticketWorkspaces } from "../tickets/record.ts";
import { Transfers } from "../clones/transfer.ts";
import { freshMirror, mirrorKind } from "./fresh.ts";
import { configDue, isMirror } from "./make.ts";
import { mirrorDirectory, type MirrorKind } from "./place.ts";

/** A clone of a ticket that borrows. */
export interface Lent {
  readonly ticket: string;
  readonly repo: Repo;
  /** Absolute. */
  readonly directory: string;
  /** Where it reads objects besides its own, absolute, as its own file says. */
  readonly reads: readonly string[];
  readonly mirror: { readonly place: string; readonly kind: MirrorKind };
}

/** A mirror that has to be mended. */
export interface MirrorTrouble {
  readonly repo: Repo;
  readonly place: string;
  /** `changed`: its configuration is not the one it was made with. */
  readonly what: "missing" | "damaged" | "changed";
  /** Who borrows from it. */
  readonly lent: readonly Lent[];
}

/** The clones of all tickets that borrow. No process. */
export async function lentClones(
  { system, layout, root }: Pick<CommandContext, "system" | "layout" | "root">,
  manifest: Manifest,
): Promise<Lent[]> {
  const found: Lent[] = [];
  for (const { id, directory, record } of await ticketWorkspaces(system, root, manifest)) {
    for (const repo of manifest.repos) {
      const own = record?.repos[repo.name];
      const kind = mirrorKind(repo);
      const place = kind === null ? null : mirrorDirectory(layout, repo.url, kind);
      if (own === undefined || kind === null || place === null) continue;
      const clone = join(directory, own.path);
      const text = await system.files.readText(
        join(clone, ".git", "objects", "info", "alternates"),
      );
      const reads = (text ?? "").split("\n").filter((line) => line !== "");
      if (reads.length === 0) continue;
      found.push({ ticket: id, repo, directory: clone, reads, mirror: { place, kind } });
    }
  }
  return found;
}

/** The mirrors of an ecosystem's tickets with which something is the matter. No process. */
export async function mirrorTroubles(
  ctx: Pick<CommandContext, "system" | "layout" | "root">,
  manifest: Manifest,
): Promise<MirrorTrouble[]> {
  const lent = (await lentClones(ctx, manifest))
    .filter(({ reads, mirror }) => reads.includes(join(mirror.place, "objects")));
  const troubles: MirrorTrouble[] = [];
  for (const [place, clones] of Map.groupBy(lent, ({ mirror }) => mirror.place)) {
    const [first] = clones;
    if (first === undefined) continue;
    const { repo, mirror: { kind } } = first;
    const what = await ctx.system.files.lstat(place) === null
      ? "missing"
      : !await isMirror(ctx, place)
      ? "damaged"
      : await configDue(ctx, place, { url: repo.url, kind }) !== null
      ? "changed"
      : null;
    if (what !== null) troubles.push({ repo, place, what, lent: clones });
  }
  return troubles;
}

/** Mends the mirrors of an ecosystem's tickets. Throws what git fails with. */
export async function mendMirrors(ctx: ExecuteContext, manifest: Manifest): Promise<void> {
  const transfers = new Transfers(ctx.transfers);
  for (const { repo, what } of await mirrorTroubles(ctx, manifest)) {
    const from = join(ctx.root, manifest.workspaceDir, repo.path);
    const fresh = what === "changed" ? Infinity : 0;
    await freshMirror(ctx, repo, { fresh, transfers, from, repair: true });
    ctx.report.log("info", `${repo.name}: its mirror was ${what}, and is as it was made again`);
  }
}
