/**
 * What an error of the file system means, told by its code and never by its text.
 *
 * @module
 */

/** Why an operation on a path failed. */
export type IoErrorKind =
  | "permission_denied"
  | "already_exists"
  | "not_found"
  | "is_a_directory"
  | "not_a_directory"
  | "link_loop"
  | "invalid_path"
  | "path_too_long"
  | "not_empty"
  | "disk_full"
  | "other";

/** A failed operation on a path. */
export interface IoErrorFacts {
  readonly kind: IoErrorKind;
  /** The number the operating system gave, or null when it gave none. */
  readonly osError: number | null;
}

const KINDS: Readonly<Record<string, IoErrorKind>> = {
  EACCES: "permission_denied",
  EPERM: "permission_denied",
  EROFS: "permission_denied",
  EEXIST: "already_exists",
  ENOENT: "not_found",
  EISDIR: "is_a_directory",
  ENOTDIR: "not_a_directory",
  ELOOP: "link_loop",
  EINVAL: "invalid_path",
  ENAMETOOLONG: "path_too_long",
  ENOTEMPTY: "not_empty",
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
};

/** The names of Deno's own error classes, which the memory world and Windows throw without a code. */
const NAMES: Readonly<Record<string, IoErrorKind>> = {
  PermissionDenied: "permission_denied",
  NotCapable: "permission_denied",
  AlreadyExists: "already_exists",
  NotFound: "not_found",
  IsADirectory: "is_a_directory",
  NotADirectory: "not_a_directory",
  FilesystemLoop: "link_loop",
};

/** What an error says about the path it is about; null when it is no error of the file system. */
export function ioErrorFacts(error: unknown): IoErrorFacts | null {
  if (!(error instanceof Error)) return null;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const kind = KINDS[code] ?? NAMES[error.name];
  const number = /\(os error (\d+)\)/.exec(error.message)?.[1];
  if (kind === undefined && number === undefined) return null;
  return { kind: kind ?? "other", osError: number === undefined ? null : Number(number) };
}
