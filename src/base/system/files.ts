/** The files of this machine, as this program reaches them. */

/** What kind of thing a path names; symbolic links are not followed by `lstat`. */
export interface FileInfo {
  readonly kind: "file" | "directory" | "symlink" | "other";
  /** Size in bytes. */
  readonly size: number;
  /** POSIX permission bits, or null where the platform has none. */
  readonly mode: number | null;
  /** Last modification in milliseconds since the epoch, or null where unknown. */
  readonly modifiedMs: number | null;
}

/**
 * How many numbers of four bytes a stamp has. They are mode, owner, size (two), inode (two) and device (two).
 * Behind them come the last change of the content and that of anything, each as second and nanosecond.
 */
export const STAMP_LENGTH = 12;

/** Files. Every path is absolute. */
export interface Files {
  /** The text of a file; null when it does not exist. */
  readText(path: string): Promise<string | null>;
  /**
   * The bytes of a file; null when it does not exist. `size` is what the caller knows already of a plain
   * file, about how large it is.
   */
  readBytes(path: string, size?: number): Promise<Uint8Array | null>;
  /**
   * At most so many bytes of a file from one of its bytes on, fewer where it ends before; null when it does not exist.
   */
  readPiece(path: string, from: number, most: number): Promise<Uint8Array | null>;
  /** The SHA-256 of a file, hexadecimal, without holding all of it in memory; null when it does not exist. */
  hash(path: string): Promise<string | null>;
  /**
   * Whether a path leads to anything, as far as can be seen from here. Where mostly nothing is, this costs a tenth of what
   * `stat` does to say so.
   */
  exists(path: string): Promise<boolean>;
  /** Facts about what the path leads to; null when there is nothing. */
  stat(path: string): Promise<FileInfo | null>;
  /** Facts about the path itself; null when there is nothing. */
  lstat(path: string): Promise<FileInfo | null>;
  /**
   * Names in a directory with their kinds, sorted by name; empty when it does not exist. A name that is no UTF-8 has U+FFFD
   * in it and leads nowhere: a directory of such a name is `other`, for nobody can say what is in it.
   */
  list(
    path: string,
  ): Promise<readonly { readonly name: string; readonly kind: FileInfo["kind"] }[]>;
  /**
   * Every path below a directory, relative to it, links not followed and directories before what they hold; null when
   * there are more than `most`. What is called `shut` is told and not looked into.
   */
  tree(directory: string, most: number, shut?: string): Promise<readonly string[] | null>;
  /**
   * What the system notes of each of some paths, relative to a directory or absolute, links not followed:
   * {@linkcode STAMP_LENGTH} numbers for each, all 0 where nothing is.
   */
  stamps(directory: string, paths: readonly string[]): Promise<Int32Array>;
  /** Whether nothing is at any of some paths, relative to a directory or absolute, as far as can be seen from here. */
  areAbsent(directory: string, paths: readonly string[]): Promise<boolean>;
  /**
   * Whether a path lies on a file system of this machine, by whose times and inodes every change can be told; false where
   * nobody knows.
   */
  isLocal(path: string): Promise<boolean>;
  /** The path with every symbolic link resolved; null when it does not exist. */
  realPath(path: string): Promise<string | null>;
  /** The target of a symbolic link; null when it does not exist. */
  readLink(path: string): Promise<string | null>;
  /** Replaces a file in one step: temporary file, flush, rename. Creates missing parents. */
  write(
    path: string,
    content: string | Uint8Array,
    options?: { readonly mode?: number },
  ): Promise<void>;
  /**
   * Creates a file; throws `AlreadyExists` if there is one. It is flushed to the disk unless `flush` is
   * false. `modifiedMs` is when it says that it was written, in milliseconds since the epoch.
   */
  create(
    path: string,
    content: string | Uint8Array,
    options?: {
      readonly mode?: number;
      readonly flush?: boolean;
      readonly modifiedMs?: number;
    },
  ): Promise<void>;
  /**
   * Adds to the end of a file in one write, which is not mixed with those of other processes; creates it with `mode`.
   * Nothing is flushed to the disk.
   */
  append(path: string, content: string, options?: { readonly mode?: number }): Promise<void>;
  /**
   * Creates a file with what another one holds, without holding all of it in memory; answers the SHA-256 of that.
   * Otherwise as {@linkcode create}.
   */
  copy(
    from: string,
    path: string,
    options?: { readonly mode?: number; readonly flush?: boolean },
  ): Promise<string>;
  /**
   * Copies a file, mode and all, into a directory that is made where it is missing. Where the file system can,
   * both share their blocks until one of them changes. Nothing is flushed. Fails where something exists at
   * `path`.
   */
  duplicate(from: string, path: string): Promise<void>;
  /** Makes a directory and its parents, each new one with `mode`; true when it did not exist before. */
  makeDirectory(path: string, options?: { readonly mode?: number }): Promise<boolean>;
  /** Renames a file or directory. */
  rename(from: string, to: string): Promise<void>;
  /** Removes one file, symbolic link or empty directory; false when there was nothing. */
  remove(path: string): Promise<boolean>;
  /** Removes a directory with everything below it, never following links; false when there was nothing. */
  removeTree(path: string): Promise<boolean>;
  /** Gives a file another name; false when there is none, or the file system gives it no other names. */
  link(file: string, path: string): Promise<boolean>;
  /** Makes a symbolic link. */
  symlink(target: string, path: string): Promise<void>;
  /** Whether this process may write there, asked of the permissions and not tried. */
  isWritable(path: string): Promise<boolean>;
  /** Whether what is there lies on a file system that is mounted read-only, where permissions do not count. */
  isReadOnly(path: string): Promise<boolean>;
  /**
   * Calls back after something in these directories themselves, not below them, has changed; answers how to stop. It
   * may miss changes, and sees none where the system tells of none.
   */
  watch(directories: readonly string[], callback: () => void): () => void;
  /**
   * Does work with a private directory outside of everything that anybody keeps, which is removed afterwards.
   * It begins with these files and directories (their names end in a slash). A process that is killed leaves it
   * to the system, and to the next one that needs such a directory a day later.
   */
  scratch<T>(
    content: Readonly<Record<string, string>>,
    work: (directory: string) => Promise<T>,
  ): Promise<T>;
  /** Flushes a directory to the disk, so that a rename in it survives a loss of power. */
  flushDirectory(path: string): Promise<void>;
  /**
   * Takes the exclusive lock of a lock file, creating it, and writes the number of this process into it;
   * null when another holds it. The machine lets go of it when the process ends in whatever way; the file
   * stays.
   */
  lock(path: string): Promise<FileLock | null>;
}

/** A lock that is held. */
export interface FileLock {
  /** Lets go of it and empties the file. Further calls do nothing. */
  release(): Promise<void>;
}
