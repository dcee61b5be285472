/** Which project a call is about (PACK-11). */

import { dirname } from "@std/path";
import type { System } from "../../../base/system/mod.ts";
import { type Pack, viaGit } from "../pack.ts";
import { sha256 } from "../../../base/hash.ts";
import { absolutePath } from "./home.ts";

function shortHash(basis: string): string {
  return sha256(basis).slice(0, 16);
}

function withoutGitSuffix(url: string): string {
  return url.replace(/(?:\.git)+$/, "");
}

/**
 * The id of a project with this origin. It names directories that exist already, which is why other spellings of the
 * same origin keep ids of their own (PACK-11).
 */
export function originProjectId(origin: string): string {
  const url = withoutGitSuffix(origin.trim());
  const basis = url.startsWith("git@")
    ? url.slice("git@".length).replaceAll(":", "/")
    : url.replace(/^https?:\/\//, "");
  return shortHash(basis.toLowerCase());
}

/** The id of a project without an origin: of its root with symbolic links resolved. */
export function rootProjectId(root: string): string {
  return shortHash(root);
}

/**
 * The id that the plain https form of an origin would have, whatever its scheme, user, port and trailing
 * slashes; null when it is the same as {@linkcode originProjectId} or the origin is a path.
 */
export function alternativeProjectId(origin: string): string | null {
  const url = origin.trim();
  const remote = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/+(.*)$/i.exec(url) ??
    /^(?:[^@/]+@)([^/:]+):(.*)$/.exec(url);
  if (remote === null || /^file:/i.test(url)) return null;
  const path = withoutGitSuffix((remote[2] ?? "").replace(/^\/+|\/+$/g, "")).replace(/\/+$/, "");
  const id = shortHash(`${remote[1] ?? ""}/${path}`.toLowerCase());
  return id === originProjectId(origin) ? null : id;
}

/** A project: a git working copy, or any directory. */
export interface Project {
  readonly root: string;
  readonly origin: string | null;
  /** Sixteen hexadecimal digits. */
  readonly id: string;
  /** The id its origin would have in another spelling, where overlays may be instead; null when the same. */
  readonly alternativeId: string | null;
  /** What its root is where files of a project do not belong, to complete "The project is …"; null for a project. */
  readonly noProject: string | null;
}

/** Why a directory is not taken for a project: every tool would read there what is meant for one. */
async function whyNoProject({ files, env }: System, root: string): Promise<string | null> {
  if (dirname(root) === root) return "the root of the file system";
  const { home } = env;
  if (home !== null) {
    const isHome = root === home || await files.realPath(root) === await files.realPath(home);
    if (isHome) return "your home directory";
  }
  return (await files.stat(root))?.kind === "directory" ? null : `"${root}", which is no directory`;
}

/** The project that holds a directory, the working directory when none is given. At most two git processes. */
export async function detectProject(pack: Pack, given?: string): Promise<Project> {
  const { env, files } = pack.system;
  const directory = given === undefined || given === "" ? env.cwd : absolutePath(env, given);
  const top = await viaGit(directory, () => pack.git.at(directory).topLevel());
  const root = top ?? directory;
  const origin = top === null ? null : await pack.git.at(top).remotes.url("origin");
  const noProject = await whyNoProject(pack.system, root);
  if (origin !== null) {
    return {
      root,
      origin,
      id: originProjectId(origin),
      alternativeId: alternativeProjectId(origin),
      noProject,
    };
  }
  const canonical = await files.realPath(root) ?? root;
  return { root, origin, id: rootProjectId(canonical), alternativeId: null, noProject };
}
