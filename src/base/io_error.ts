/** What an error of the file system means, told by its code and never by its text. */

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
interface IoErrorFacts {
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

const WORDS: Readonly<Record<IoErrorKind, string>> = {
  permission_denied: "permission denied",
  already_exists: "something is there already",
  not_found: "no such file or directory",
  is_a_directory: "it is a directory",
  not_a_directory: "a part of the path is not a directory",
  link_loop: "too many symbolic links",
  invalid_path: "the path is not valid",
  path_too_long: "the path is too long",
  not_empty: "the directory is not empty",
  disk_full: "no space left on the device",
  other: "the operation failed",
};

/**
 * Says what the file system refused and where, in words that can be shown to any caller. They have the last two
 * names of the path that matters, and not where on the machine it lies.
 */
export function ioErrorWords(error: Error, { kind, osError }: IoErrorFacts): string {
  const paths = [...error.message.matchAll(/'((?:[A-Za-z]:)?[\\/][^']*)'/g)].map(([, path]) =>
    path
  );
  const names = (paths.at(-1) ?? "").split(/[\\/]/).filter((name) => name !== "");
  const place = names.length === 0
    ? ""
    : ` for "${names.length > 2 ? "…/" : ""}${names.slice(-2).join("/")}"`;
  const number = kind === "other" && osError !== null ? ` (error ${osError})` : "";
  return `${WORDS[kind]}${place}${number}`;
}
