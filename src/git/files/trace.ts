/** What a piece of work reads on the disk, so that its result can be given again as long as all of that stands. */

import { join } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { type Files, STAMP_LENGTH, type System } from "../../base/system/mod.ts";

/** What a directory holds, as one text. */
type Names = Awaited<ReturnType<Files["list"]>>;

function namesText(names: Names): string {
  return names.map(({ name, kind }) => `${name}\0${kind}`).join("\n");
}

/** What was read: relative to the clone where it lies there, else absolute. */
export interface Read {
  /** What was there, and what was not. */
  readonly paths: readonly string[];
  readonly absent: readonly string[];
  /** The git directories of which the names counted, and a hash of those. */
  readonly listed: readonly string[];
  readonly names: string;
}

/** The hash of the names in directories, as {@linkcode Read} has it. */
export async function namesIn(files: Files, directories: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const directory of directories) texts.push(namesText(await files.list(directory)));
  return sha256(texts.join("\n\n"));
}

/** Notes what is read through its {@linkcode Trace.system}. */
export class Trace {
  /** A world in which reading is noted, and in which everything else spoils the trace. */
  readonly system: System;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  readonly #paths = new Set<string>();
  readonly #absent = new Set<string>();
  readonly #listed = new Map<string, string>();
  #isSpoilt = false;

  constructor(system: System) {
    this.since = system.clock.now();
    this.system = { ...system, files: this.#noting(system.files) };
  }

  /** Notes that something counted which is not noted here, such as an answer of git. */
  spoil(): void {
    this.#isSpoilt = true;
  }

  /** Whether something counted that is not noted here. */
  get isSpoilt(): boolean {
    return this.#isSpoilt;
  }

  /** What was read, relative to a directory where it lies there; null where that is not all that counted. */
  readIn(directory: string): Read | null {
    if (this.#isSpoilt || [...this.#absent].some((path) => this.#paths.has(path))) return null;
    const within = (path: string) =>
      path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
    return {
      // That a directory of which the names count is there, these say, too.
      paths: [...this.#paths].filter((path) => !this.#listed.has(path)).map(within),
      absent: [...this.#absent].map(within),
      listed: [...this.#listed.keys()].map(within),
      names: sha256([...this.#listed.values()].join("\n\n")),
    };
  }

  #noting(files: Files): Files {
    const spoiling = <A extends readonly unknown[], T>(call: (...args: A) => T) => (...args: A) => {
      this.spoil();
      return call(...args);
    };
    const others = Object.entries(files).map(([name, call]) => [name, spoiling(call)]);
    // A failure may have any reason, also one that is not on the disk.
    const trying = <T>(reading: Promise<T>) =>
      reading.catch((error) => {
        this.spoil();
        throw error;
      });
    const noting =
      <A extends readonly unknown[], T>(call: (path: string, ...rest: A) => Promise<T>) =>
      async (path: string, ...rest: A) => {
        const found = await trying(call(path, ...rest));
        (found === null || found === false ? this.#absent : this.#paths).add(path);
        return found;
      };
    return {
      ...Object.fromEntries(others) as unknown as Files,
      readText: noting(files.readText),
      readBytes: noting(files.readBytes),
      readPiece: noting(files.readPiece),
      hash: noting(files.hash),
      exists: noting(files.exists),
      stat: noting(files.stat),
      lstat: noting(files.lstat),
      readLink: noting(files.readLink),
      list: async (path) => {
        const found = await trying(files.list(path));
        // Each git that may write has a lock in its directory for a moment, so there the names count and not the stamp.
        if (found.some(({ name }) => name === "HEAD")) {
          const text = namesText(found);
          if ((this.#listed.get(path) ?? text) !== text) this.spoil();
          this.#listed.set(path, text);
          // What is empty may be missing.
        } else if (found.length > 0 || await files.exists(path)) this.#paths.add(path);
        else this.#absent.add(path);
        return found;
      },
      stamps: async (directory, paths) => {
        const found = await trying(files.stamps(directory, paths));
        for (const [index, path] of paths.entries()) {
          const isThere = found[index * STAMP_LENGTH] !== 0;
          (isThere ? this.#paths : this.#absent).add(join(directory, path));
        }
        return found;
      },
    };
  }
}
