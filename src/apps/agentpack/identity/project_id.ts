/**
 * The id of a project, which names the directory of its overlays (PACK-11).
 *
 * @module
 */

import { sha256 } from "../../../base/hash.ts";

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
