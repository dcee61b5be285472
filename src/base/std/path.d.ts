// Types of the functions used from @std/path; the npm build ships none.

/** The path separator of this platform. */
export const SEPARATOR: string;
/** The last part of a path. */
export function basename(path: string): string;
/** The path without its last part. */
export function dirname(path: string): string;
/** Whether the path is absolute. */
export function isAbsolute(path: string): boolean;
/** Joins the parts and normalises the result. */
export function join(...parts: string[]): string;
/** Resolves `.` and `..`. */
export function normalize(path: string): string;
/** The relative path from one absolute path to another. */
export function relative(from: string, to: string): string;
/** Resolves the parts to an absolute path, from the right. */
export function resolve(...parts: string[]): string;
/** The path of a `file:` URL. */
export function fromFileUrl(url: string | URL): string;
/** The `file:` URL of an absolute path. */
export function toFileUrl(path: string): URL;
/** A regular expression that matches what the glob matches. */
export function globToRegExp(
  glob: string,
  options?: { extended?: boolean; globstar?: boolean; caseInsensitive?: boolean },
): RegExp;
