/** Where the git directory of a working copy is, read from the disk without starting git. */

import { join, resolve } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { configKeys } from "./config_text.ts";
import { isSettled, stampFacts } from "./signature.ts";

/** The git directory of a working copy, following a linked worktree's `.git` file; null when there is none. */
export async function gitDirectory(system: System, path: string): Promise<string | null> {
  const dotGit = join(path, ".git");
  const info = await system.files.stat(dotGit);
  if (info === null) return null;
  if (info.kind === "directory") return dotGit;
  const text = await system.files.readText(dotGit);
  const match = /^gitdir: (.+)$/m.exec(text ?? "");
  return match === null ? null : resolve(path, match[1]?.trim() ?? "");
}

/** The directory that all worktrees of a repository share; null where there is no repository. */
export async function commonDirectory(system: System, path: string): Promise<string | null> {
  const own = await gitDirectory(system, path);
  if (own === null) return null;
  const file = join(own, "commondir");
  // Few have it, and to fail to read what is not there takes ten times as long as to see that.
  const common = await system.files.exists(file) ? await system.files.readText(file) : null;
  return common === null ? own : resolve(own, common.trim());
}

/**
 * What the `HEAD` in a git directory says, null where there is none. `core.preferSymlinkRefs` makes it a link, which says
 * it by where it leads. No process.
 */
export async function headText({ files }: System, directory: string): Promise<string | null> {
  const path = join(directory, "HEAD");
  const text = await files.readText(path);
  if (text?.startsWith("ref:") === true) return text;
  const isLink = (await files.lstat(path))?.kind === "symlink";
  const link = isLink ? await files.readLink(path) : null;
  return link?.startsWith("refs/") === true ? `ref: ${link}` : text;
}

/** Texts of configuration that were read, with how their files stood: one look at a clone needs the same one several times. */
const TEXTS = new Map<string, { readonly stamp: string; readonly text: string }>();
const MOST_TEXTS = 2_000;

/**
 * What the configuration of a repository says; null where there is none. `common` is the directory that all its worktrees
 * share. No process.
 */
export async function configText(system: System, common: string): Promise<string | null> {
  const path = join(common, "config");
  const stamps = await system.files.stamps("/", [path]);
  const stamp = `${stamps}`;
  const known = TEXTS.get(path);
  if (known?.stamp === stamp) return known.text;
  const text = await system.files.readText(path);
  TEXTS.delete(path);
  if (text !== null && isSettled(stampFacts(stamps), system.clock.now())) {
    if (TEXTS.size >= MOST_TEXTS) TEXTS.clear();
    TEXTS.set(path, { stamp, text });
  }
  return text;
}

/**
 * Whether the refs of a repository are files in its git directory, which can be read without git. They are not
 * where its configuration names another format, such as reftable, or another place (WORKSPACE-33). `common` is
 * the directory that all its worktrees share. No process.
 */
export async function refsAreFiles(system: System, common: string): Promise<boolean> {
  const text = await configText(system, common);
  // Few have it, and most configurations need not be read for that.
  if (text === null || !/refstorage/i.test(text)) return true;
  return configKeys(text)?.get("extensions.refstorage")?.every((value) => value === "files") ??
    true;
}
