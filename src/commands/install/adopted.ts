/** What `install --adopt` adds: clones that exist already take the places of those that would be made (ADOPT-1). */

import { join, resolve } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { addressKey } from "../../workspace/clones/mod.ts";
import {
  adoptedAnywhere,
  type Adoption,
  liesInWorkspace,
} from "../../workspace/clones/changing.ts";
import type { InstallFacts } from "../../workspace/changing.ts";
import type { Listed } from "../../workspace/import/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { findClones } from "../ecosystem/create/from/directory.ts";

/** What would be adopted, and what not; a type alias, so that it counts as plain JSON. */
export type AdoptFacts = {
  readonly clones: readonly Adoption[];
  /** Repositories that are cloned anew, with the reason. */
  readonly anew: readonly { readonly name: string; readonly reason: string }[];
};

/** Why a clone cannot be adopted; null where it can. */
async function reasonAgainst(
  ctx: CommandContext,
  source: string,
  taken: ReadonlySet<string>,
): Promise<string | null> {
  if (taken.has(source)) return "a workspace has adopted it already";
  if (await liesInWorkspace(ctx, source)) return "it lies in a workspace";
  return null;
}

/** The clone that is meant among those with one address: the only one, or the one that is called so. */
function meant(name: string, clones: readonly Listed[]): Listed | string {
  const [first] = clones;
  if (first === undefined) return "no clone of its address is there";
  if (clones.length === 1) return first;
  const named = clones.filter((clone) => clone.name === name);
  return named.length === 1 && named[0] !== undefined
    ? named[0]
    : `${clones.length} clones of its address are there`;
}

/** Finds the clones in a directory that take the places of missing ones. Nothing there is changed. */
export async function adoptionFor(
  ctx: CommandContext,
  manifest: Manifest,
  facts: InstallFacts,
  from: string | undefined,
): Promise<AdoptFacts> {
  if (from === undefined) return { clones: [], anew: [] };
  const { files, env } = ctx.system;
  const home = env.home !== null && /^~(?:\/|$)/.test(from) ? env.home : null;
  const given = home === null ? resolve(env.cwd, from) : join(home, from.slice(1));
  const directory = await files.realPath(given);
  if (directory === null || (await files.stat(directory))?.kind !== "directory") {
    throw new AmofError(
      "invalid_arguments",
      `Cannot adopt clones from ${cleanLine(from, 120)}: it is not a directory`,
      { hint: "Name the directory that holds them", details: { field: "adopt" } },
    );
  }
  const { list } = await findClones(ctx, directory);
  const taken = new Set(await adoptedAnywhere(ctx));
  const clones: Adoption[] = [];
  const anew: { name: string; reason: string }[] = [];
  for (const { name, present } of facts.repos) {
    const repo = manifest.repos.find((entry) => entry.name === name);
    if (present || repo === undefined) continue;
    const same = list.repos.filter(({ url }) =>
      url !== null && addressKey(url) === addressKey(repo.url)
    );
    const found = meant(name, same);
    const source = typeof found === "string" ? null : await files.realPath(found.clone ?? "");
    const reason = typeof found === "string"
      ? found
      : source === null
      ? "it is gone"
      : await reasonAgainst(ctx, source, taken);
    if (reason !== null || source === null) anew.push({ name, reason: reason ?? "it is gone" });
    else {
      taken.add(source);
      clones.push({ name, path: repo.path, source });
    }
  }
  return { clones, anew };
}
