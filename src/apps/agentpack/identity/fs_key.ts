/** Module ids as names of directories (PACK-14). */

import { sha256 } from "../../../base/hash.ts";

const MAX_PREFIX = 64;

/** ASCII letters, digits, `-` and `_` stay, every other code point becomes `_`; never empty. */
export function sanitizeName(text: string): string {
  const clean = Array.from(text, (char) => /^[A-Za-z0-9_-]$/.test(char) ? char : "_").join("");
  return clean === "" ? "module" : clean;
}

function suffix(id: string): string {
  return `--${sha256(id).slice(0, 10)}`;
}

/** The directory name of a module id: at most 64 readable characters and ten digits of its hash. */
export function fsKey(id: string): string {
  return sanitizeName(id).slice(0, MAX_PREFIX) + suffix(id);
}

/** The name that older versions gave: the readable part is not cut. */
export function unboundedFsKey(id: string): string {
  return sanitizeName(id) + suffix(id);
}

/** The part of an id after its first colon, as a directory below a target's root; without a colon the id sanitised. */
export function skillName(id: string): string {
  const colon = id.indexOf(":");
  return colon < 0 ? sanitizeName(id) : id.slice(colon + 1);
}

/**
 * Why an id cannot be used, or null: its name part becomes a path, which must stay below its root, and the
 * whole becomes a line in markers (PACK-4).
 */
export function idProblem(id: string): string | null {
  if (id === "") return "it is empty";
  if (/[\0\r\n]/.test(id)) return "it holds a control character";
  const colon = id.indexOf(":");
  if (colon < 0) return null;
  const problem = relativePathProblem(id.slice(colon + 1));
  return problem === null ? null : `its name ${problem}`;
}

/** Why a text cannot be a path with `/` below a directory, to complete "it …", or null. */
export function relativePathProblem(path: string): string | null {
  if (/\p{Cc}/u.test(path)) return "holds a control character";
  if (path.includes("\\")) return "holds a backslash";
  if (/^[A-Za-z]:\//.test(path) || path.startsWith("/")) return "is an absolute path";
  return path.split("/").some((part) => part === "" || part === "." || part === "..")
    ? 'has an empty, "." or ".." part'
    : null;
}

/** Whether an id can itself be the name of one directory, which is how the oldest overlays were named. */
export function isSafeComponent(id: string, platform: "linux" | "darwin" | "windows"): boolean {
  return id !== "" && id !== "." && id !== ".." && !/[/\\\0]/.test(id) &&
    !(platform === "windows" && /[:*?"<>|]/.test(id));
}
