/**
 * Which project a call is about (PACK-11).
 *
 * @module
 */

import { type Pack, viaGit } from "../pack.ts";
import { absolutePath } from "./home.ts";
import { alternativeProjectId, originProjectId, rootProjectId } from "./project_id.ts";

/** A project: a git working copy, or any directory. */
export interface Project {
  readonly root: string;
  readonly origin: string | null;
  /** Sixteen hexadecimal digits. */
  readonly id: string;
  /** The id its origin would have in another spelling, where overlays may be instead; null when the same. */
  readonly alternativeId: string | null;
}

/** The project that holds a directory, the working directory when none is given. At most two git processes. */
export async function detectProject(pack: Pack, given?: string): Promise<Project> {
  const { env, files } = pack.system;
  const directory = given === undefined || given === "" ? env.cwd : absolutePath(env, given);
  const top = await viaGit(directory, () => pack.git.at(directory).topLevel());
  const root = top ?? directory;
  const origin = top === null ? null : await pack.git.at(top).remotes.url("origin");
  if (origin !== null) {
    return {
      root,
      origin,
      id: originProjectId(origin),
      alternativeId: alternativeProjectId(origin),
    };
  }
  const canonical = await files.realPath(root) ?? root;
  return { root, origin, id: rootProjectId(canonical), alternativeId: null };
}
