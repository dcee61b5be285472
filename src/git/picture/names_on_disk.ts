/**
 * Branches and tags as git's own files have them, read without git: what is asked before and after each run of many
 * repositories must cost next to nothing.
 *
 * @module
 */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { commonDirectory, gitDirectory, refsAreFiles } from "../call/directory.ts";

/** What is checked out, and local branches and tags by their full names. */
interface Names {
  readonly head: string | null;
  readonly branch: string | null;
  readonly refs: Readonly<Record<string, string>>;
}

const NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads the refs that have a file of their own; false where one is no plain name of an object. */
async function readLoose(
  { files }: Pick<System, "files">,
  directory: string,
  name: string,
  refs: Map<string, string>,
): Promise<boolean> {
  for (const entry of await files.list(join(directory, name))) {
    const full = `${name}/${entry.name}`;
    if (entry.kind === "directory") {
      if (!await readLoose({ files }, directory, full, refs)) return false;
    } else if (!entry.name.endsWith(".lock")) {
      const text = (await files.readText(join(directory, full)))?.trim();
      if (text === undefined) continue;
      if (!NAME.test(text)) return false;
      refs.set(full, text);
    }
  }
  return true;
}

/** The names of a repository; null where only git itself can tell them. No process. */
export async function namesOnDisk(system: System, directory: string): Promise<Names | null> {
  const { files } = system;
  const own = await gitDirectory(system, directory);
  const common = await commonDirectory(system, directory);
  if (own === null || common === null || !await refsAreFiles(system, common)) return null;
  const head = (await files.readText(join(own, "HEAD")))?.trim() ?? "";
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null;
  if (branch === null && !NAME.test(head)) return null;
  const refs = new Map<string, string>();
  for (const line of (await files.readText(join(common, "packed-refs")))?.split("\n") ?? []) {
    const at = line.indexOf(" ");
    const name = line.slice(at + 1);
    if (/^refs\/(?:heads|tags)\//.test(name) && NAME.test(line.slice(0, at))) {
      refs.set(name, line.slice(0, at));
    }
  }
  for (const kind of ["refs/heads", "refs/tags"]) {
    if (!await readLoose(system, common, kind, refs)) return null;
  }
  const sorted = [...refs].sort(([a], [b]) => a < b ? -1 : 1);
  return {
    head: branch === null ? head : refs.get(`refs/heads/${branch}`) ?? null,
    branch,
    refs: Object.fromEntries(sorted),
  };
}
