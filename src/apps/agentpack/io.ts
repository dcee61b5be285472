/** Reading and writing with the errors of the contract (PACK-31, PACK-41). */

import { join } from "@std/path";
import { ioErrorFacts, type IoErrorKind } from "../../base/io_error.ts";
import type { Environment, FileInfo, Files } from "../../base/system/mod.ts";
import { decodeText } from "./content.ts";
import { type AgentpackCode, AgentpackError, toAgentpackError } from "./error.ts";
import { rootCause } from "../../base/error.ts";
import { withEndsOf } from "../../base/text/yaml_edit.ts";
import type { ZodNamespace } from "../../contract/mod.ts";

/** The codes of the file system. */
type IoCode = Extract<AgentpackCode, `E_IO_${string}`>;

const CODES: Readonly<Partial<Record<IoErrorKind, IoCode>>> = {
  permission_denied: "E_IO_PERMISSION_DENIED",
  is_a_directory: "E_IO_INVALID_PATH",
  not_a_directory: "E_IO_INVALID_PATH",
  already_exists: "E_IO_INVALID_PATH",
  link_loop: "E_IO_INVALID_PATH",
  invalid_path: "E_IO_INVALID_PATH",
  path_too_long: "E_IO_PATH_TOO_LONG",
  disk_full: "E_IO_NO_SPACE",
};

const HINTS: Readonly<Record<IoCode, string>> = {
  E_IO_PERMISSION_DENIED: "Check who owns the file and its directory, and their permissions",
  E_IO_INVALID_PATH: "Something else stands at this path or above it; move it away",
  E_IO_PATH_TOO_LONG: "Use a shorter module id or a directory nearer to the root",
  E_IO_NO_SPACE:
    "Free space on the disk that holds this path, or raise its quota; snapshots prune --keep 5 removes old copies",
};

/** Whether an error says that a disk is full. */
export function isNoSpace(error: unknown): boolean {
  return error instanceof AgentpackError
    ? error.code === "E_IO_NO_SPACE"
    : ioErrorFacts(error)?.kind === "disk_full";
}

/** A path with forward slashes, as the `_posix` fields hold it. */
export function posix(path: string): string {
  return path.replaceAll("\\", "/");
}

/** A path under a name, and with forward slashes under its twin: `repo` and `repo_posix`. */
export type Twins<N extends string> = { readonly [K in N | `${N}_posix`]: string };

/** A path as answers tell it: under its name, and with forward slashes under the twin of that. */
export function withPosix<const N extends string>(name: N, path: string): Twins<N> {
  return { [name]: path, [`${name}_posix`]: posix(path) } as Twins<N>;
}

/** An error about one path, in the form of the `E_IO_*` codes. */
export function ioError(
  code: IoCode,
  message: string,
  { path, kind, osError = null, cause, hint = HINTS[code] }: {
    readonly path: string;
    readonly kind: IoErrorKind;
    /** What to do, where more is known than the code tells. */
    readonly hint?: string;
    readonly osError?: number | null | undefined;
    readonly cause?: unknown;
  },
): AgentpackError {
  return new AgentpackError(code, message, {
    path,
    path_posix: posix(path),
    io_kind: kind,
    raw_os_error: osError,
    hint,
  }, cause === undefined ? {} : { cause });
}

/**
 * Does something with a path. An error of the file system is thrown as the `E_IO_*` code it belongs to, any
 * other as it is; `what` completes "Cannot …".
 */
export async function withPath<T>(what: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AgentpackError) throw error;
    const facts = ioErrorFacts(error);
    const code = facts === null ? undefined : CODES[facts.kind];
    // The text behind the error number repeats file names, some of them temporary.
    const why = toAgentpackError(error).message.replace(/(\(os error \d+\)): [^]*$/, "$1");
    const message = `Cannot ${what} "${path}": ${why}`;
    if (facts !== null && code !== undefined) {
      throw ioError(code, message, {
        path,
        kind: facts.kind,
        osError: facts.osError,
        cause: error,
      });
    }
    throw facts === null
      ? error
      : new AgentpackError("E_UNEXPECTED", message, {}, { cause: error });
  }
}

/** The bytes of a file, or null when it does not exist. A `size` that is known saves a look. */
export function readBytes(
  files: Files,
  path: string,
  size?: number,
): Promise<Uint8Array | null> {
  return withPath("read", path, () => files.readBytes(path, size));
}

/** The text of a file: null when it does not exist, `invalid` when it is not UTF-8. */
export async function readUtf8(
  files: Files,
  path: string,
): Promise<{ readonly text: string } | "invalid" | null> {
  const bytes = await readBytes(files, path);
  if (bytes === null) return null;
  const text = decodeText(bytes);
  return text === null ? "invalid" : { text };
}

/** The value that bytes hold as JSON, or why they hold none. */
export function parseJson(bytes: Uint8Array): { readonly value: unknown } | string {
  const text = decodeText(bytes);
  if (text === null) return "it is not valid UTF-8";
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return rootCause(error);
  }
}

/** The value of a JSON file: null when it does not exist, a text when it cannot be read as one. */
export async function readJson(
  files: Files,
  path: string,
): Promise<{ readonly value: unknown } | string | null> {
  const bytes = await readBytes(files, path);
  return bytes === null ? null : parseJson(bytes);
}

/** Writes a file of our own in one step, creating its directory. */
export function writeFile(
  files: Files,
  path: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<void> {
  return withPath(
    "write",
    path,
    () => files.write(path, content, mode === undefined ? {} : { mode }),
  );
}

/** How many files are read or written at once, where there may be thousands. */
export const FILES_AT_ONCE = 32;

/** How this platform separates the parts of a path. */
const SEPARATOR = join("a", "b").slice(1, -1);

/** The place of a path with forward slashes below a directory. */
export function pathIn(directory: string, path: string): string {
  // Parts that mean something else than a name are rare, and taking paths apart is not cheap.
  if (directory.endsWith(SEPARATOR) || /(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) {
    return join(directory, ...path.split("/"));
  }
  return `${directory}${SEPARATOR}${SEPARATOR === "/" ? path : path.replaceAll("/", SEPARATOR)}`;
}

/** The user's home directory; throws `E_IO_INVALID_PATH` where the environment names none. */
export function userHome(env: Environment): string {
  if (env.home !== null) return env.home;
  throw new AgentpackError(
    "E_IO_INVALID_PATH",
    "Cannot tell where your files are: HOME is not set to an absolute path",
    {
      io_kind: "invalid_path",
      hint: "Set HOME: AGENTPACK_HOME and AMOF_HOME only move what this program keeps for itself",
    },
  );
}

/** A path with a leading `~/` replaced; `~user` and a bare `~` are left alone (PACK-2). */
export function expandTilde(path: string, env: Environment): string {
  return path.startsWith("~/") ? join(userHome(env), path.slice(2)) : path;
}

// Lines of a `.gitignore`, which is its owner's: what stands there stays, and new lines end as the others do.

/** Adds the lines that a directory's `.gitignore` lacks; answers whether there were any. */
export async function ignore(
  files: Files,
  directory: string,
  lines: readonly string[],
): Promise<boolean> {
  const path = join(directory, ".gitignore");
  const text = await files.readText(path) ?? "";
  const present = text.split(/\r?\n/);
  const missing = lines.filter((line) => !present.includes(line));
  if (missing.length === 0) return false;
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  await writeFile(files, path, withEndsOf(text, `${before}${missing.join("\n")}\n`));
  return true;
}

// What a listing of a directory says about names in it, so that not every name has to be asked for by itself.

/** Names that every file system tells apart the same way, but for the case of letters. */
const PLAIN = /^[!-}]*[!-\-/-}]$/;

/** The entries of a directory at one moment. */
export class Listing {
  readonly #kinds: ReadonlyMap<string, FileInfo["kind"]>;
  /** The names without their case; null where some file systems might know one by yet other names. */
  readonly #folded: ReadonlySet<string> | null;

  constructor(entries: Awaited<ReturnType<Files["list"]>>) {
    this.#kinds = new Map(entries.map(({ name, kind }) => [name, kind]));
    this.#folded = entries.every(({ name }) => PLAIN.test(name))
      ? new Set(entries.map(({ name }) => name.toLowerCase()))
      : null;
  }

  /** Whether there is nothing in it at all. */
  get isEmpty(): boolean {
    return this.#kinds.size === 0;
  }

  /**
   * What an entry is, itself and not what it leads to; `unknown` where the listing does not tell, since file systems
   * may take another spelling for the same name.
   */
  kindOf(name: string): FileInfo["kind"] | "absent" | "unknown" {
    const kind = this.#kinds.get(name);
    if (kind !== undefined) return kind;
    if (this.isEmpty) return "absent";
    const isTold = this.#folded !== null && PLAIN.test(name) &&
      !this.#folded.has(name.toLowerCase());
    return isTold ? "absent" : "unknown";
  }
}

// Schemas that are built when a document is first checked with them, and no second time: building one costs more than
// checking with it.

/** A schema by how it is built. */
export function builtOnce<T>(build: (z: ZodNamespace) => T): () => Promise<T> {
  let built: Promise<T> | undefined;
  return () => built ??= import("../../contract/zod.ts").then(build);
}
