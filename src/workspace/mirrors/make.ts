/**
 * Makes mirrors: in a hidden neighbour that is renamed into place, so that a mirror is whole or not there (MIRROR-2).
 */

import { basename, dirname, join } from "@std/path";
import { toAmofError } from "../../base/error.ts";
import type { OnLine, Repository } from "../../git/mod.ts";
import { Mirrors } from "../../git/write/mod.ts";
import { removeStale } from "../removal/temporaries.ts";
import { whyOf } from "../refusal.ts";
import {
  LARGE,
  mirrorConfig,
  type MirrorKind,
  mirrorsDirectory,
  type MirrorTools,
} from "./place.ts";

/** The file in a mirror that says when its last fetch began. */
const FETCHED = "amof-fetched";

/** What of a repository its mirror goes by. */
export interface Mirrored {
  /** What messages call it. */
  readonly name: string;
  readonly url: string;
  /** The branch that a mirror names first which is filled from a clone that does not know. */
  readonly branch: string;
  /** How much history its clones get, as in the manifest. */
  readonly clone: string;
  /** Whether it keeps what git-lfs keeps apart; as it did before when absent. */
  readonly lfs?: boolean;
}

/** A mirror that is to be made. */
export interface Making {
  readonly repo: Mirrored;
  readonly place: string;
  readonly kind: MirrorKind;
  /** A clone of the same remote on this machine, whose objects need no transfer; null for none. */
  readonly from: string | null;
  readonly onLine: OnLine;
  /** Does what talks to the remote, in its turn; null where nothing may. */
  readonly transfer: (<T>(work: () => Promise<T>) => Promise<T>) | null;
}

/** A clone from which a mirror can be made. */
interface Source {
  readonly directory: string;
  readonly sha256: boolean;
  /** The branch that the remote names first. */
  readonly head: string;
}

/** When the last fetch of a mirror began, in milliseconds since the epoch; null where that is not known. */
export async function fetchedAt(
  { system }: Pick<MirrorTools, "system">,
  place: string,
): Promise<number | null> {
  const text = await system.files.readText(join(place, FETCHED));
  return text !== null && /^\d{1,15}\n$/.test(text) ? Number(text) : null;
}

/** Writes down when the last fetch of a mirror began. */
export async function writeFetchedAt(
  { system }: MirrorTools,
  place: string,
  at: number,
): Promise<void> {
  await system.files.write(join(place, FETCHED), `${at}\n`);
}

/** Whether a mirror lies at a place; nothing says that it is whole. */
export async function isMirror(
  { system }: Pick<MirrorTools, "system">,
  place: string,
): Promise<boolean> {
  for (const part of ["HEAD", "objects", "refs"]) {
    if (await system.files.lstat(join(place, part)) === null) return false;
  }
  return true;
}

/** What a mirror's configuration should be where it is not that; null where it is. */
export async function configDue(
  { system }: Pick<MirrorTools, "system">,
  place: string,
  { url, kind }: { readonly url: string; readonly kind: MirrorKind },
): Promise<string | null> {
  const found = await system.files.readText(join(place, "config")) ?? "";
  const sha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(found);
  const large = await system.files.lstat(join(place, LARGE)) !== null;
  const wanted = mirrorConfig({ url, kind, sha256, large });
  return found === wanted ? null : wanted;
}

/**
 * Gives a mirror its configuration where that differs; true when it did. So it does whatever somebody wrote there, and
 * whatever a program that was killed left.
 */
export async function settleConfig(
  tools: Pick<MirrorTools, "system">,
  place: string,
  facts: { readonly url: string; readonly kind: MirrorKind },
): Promise<boolean> {
  const wanted = await configDue(tools, place, facts);
  if (wanted !== null) await tools.system.files.write(join(place, "config"), wanted);
  return wanted !== null;
}

/** The clone as a source, or null where it cannot be one: it has not the whole history, or is of another remote. */
async function sourceOf(
  { system, git }: MirrorTools,
  { repo, kind, from }: Making,
): Promise<Source | null> {
  if (from === null || kind !== "full") return null;
  const clone = git.at(from, repo.name);
  const common = await clone.commonDirectory();
  if (common === null || await system.files.lstat(join(common, "shallow")) !== null) return null;
  const config = await system.files.readText(join(common, "config")) ?? "";
  if (/promisor|partialclone/i.test(config)) return null;
  if (await clone.configured("remote.origin.url") !== repo.url) return null;
  return {
    directory: from,
    sha256: /^\s*objectformat\s*=\s*sha256\s*$/im.test(config),
    head: await clone.remotes.rememberedBranch() ?? repo.branch,
  };
}

/** An empty bare repository, as git would make one without a template. */
async function makeEmpty(
  { system: { files } }: MirrorTools,
  directory: string,
  { repo, kind }: Making,
  { sha256, head }: Source,
): Promise<void> {
  await files.makeDirectory(join(directory, "objects"));
  await files.makeDirectory(join(directory, "refs"));
  await files.write(join(directory, "HEAD"), `ref: refs/heads/${head}\n`);
  await files.write(join(directory, "config"), mirrorConfig({ url: repo.url, kind, sha256 }));
}

/** Fills a mirror with what a clone knows of its remote; false where that cannot be had, and nothing is left then. */
async function takeFrom(
  tools: MirrorTools,
  directory: string,
  making: Making,
): Promise<boolean> {
  const source = await sourceOf(tools, making);
  if (source === null) return false;
  try {
    await makeEmpty(tools, directory, making, source);
    await mirrorAt(tools, directory, making.repo).part(Mirrors).takeFrom(source.directory);
    return true;
  } catch (thrown) {
    const error = toAmofError(thrown, () => tools.system.ids.hex(8));
    if (["cancelled", "internal_error"].includes(error.code)) throw thrown;
    const { name } = making.repo;
    tools.report.log("debug", `${name}: its mirror is not made from its clone: ${whyOf(error)}`);
    await tools.system.files.removeTree(directory);
    return false;
  }
}

/** Git in a mirror. */
export function mirrorAt(
  { git }: Pick<MirrorTools, "git">,
  directory: string,
  { name }: { readonly name: string },
): Repository {
  return git.bare(directory, name);
}

async function fill(tools: MirrorTools, directory: string, making: Making): Promise<void> {
  const { repo, kind, onLine, transfer } = making;
  const took = await takeFrom(tools, directory, making);
  // Without a transfer what a clone knew has to do, however old that is.
  if (took && transfer === null) return await writeFetchedAt(tools, directory, 0);
  const began = tools.system.clock.now();
  const ask = transfer ?? ((work) => work());
  await ask(async () => {
    if (took) return await mirrorAt(tools, directory, repo).part(Mirrors).fetch(onLine);
    const mirrors = tools.git.at(dirname(directory), repo.name).part(Mirrors);
    await tools.system.files.removeTree(directory);
    await mirrors.make({ url: repo.url, directory, blobless: kind === "blobless", onLine });
  });
  await settleConfig(tools, directory, { url: repo.url, kind });
  if (kind === "blobless") {
    const mirrors = mirrorAt(tools, directory, repo).part(Mirrors);
    await ask(() => mirrors.completeFiles(repo.branch, onLine));
  }
  await writeFetchedAt(tools, directory, began);
}

/** What stands in the directory of all mirrors, for whoever finds it. */
const MIRRORS_README = `# Mirrors of remotes, made by amof

One bare copy of each remote is kept here. The clones of tickets borrow from them: what they have
not made themselves they read here, and only here.

This is no cache. If you delete a mirror, the clones that borrow from it are broken until it is made
again, and commits that the remote has dropped meanwhile are lost for them.

    amof mirror list        what there is, and who borrows
    amof mirror prune       removes what nobody borrows from
    amof doctor --repair    makes a lost mirror again
    amof ticket detach ID   makes the clones of a ticket independent

Clones that you copied by hand are not known to amof.
`;

/**
 * Makes a mirror at a place where there is none. The caller has its lock. False where there can be none: a remote whose
 * own history is cut off has nothing that can be borrowed.
 */
export async function makeMirror(tools: MirrorTools, making: Making): Promise<boolean> {
  const { place } = making;
  const { files } = tools.system;
  const [parent, name] = [dirname(place), basename(place)];
  await files.makeDirectory(parent);
  const readme = join(mirrorsDirectory(tools.layout), "README.md");
  const text = tools.readme ?? MIRRORS_README;
  if (await files.readText(readme) !== text) await files.write(readme, text);
  await removeStale(tools, parent, name);
  const temporary = join(parent, `.${name}.amof-${tools.system.ids.hex(8)}`);
  try {
    await fill(tools, temporary, making);
    if (await files.lstat(join(temporary, "shallow")) !== null) return false;
    await files.rename(temporary, place);
    return true;
  } finally {
    await files.removeTree(temporary);
  }
}
