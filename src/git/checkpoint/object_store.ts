/**
 * An object store: contents of files outside of every repository, as objects of a bare repository of our own.
 *
 * It borrows nothing: whatever is collected as garbage or deleted where the files came from, they are here. No setting
 * of anybody has an effect on it, and no ref and no commit is in it.
 */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import type { Runner } from "../call/runner.ts";
import { readObjects } from "../snapshot/staging.ts";

/** Bytes that are to be kept, with the name git gives them. */
export interface Kept {
  readonly oid: string;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

function configOf(algorithm: "sha1" | "sha256"): string {
  const sha256 = algorithm === "sha256";
  return [
    "[core]",
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    "\tbare = true",
    "\tcompression = 1",
    "[gc]",
    "\tauto = 0",
    "[fastimport]",
    "\tunpackLimit = 1",
    ...(sha256 ? ["[extensions]", "\tobjectFormat = sha256"] : []),
    "",
  ].join("\n");
}

/** Contents that were put aside for one repository. */
export class ObjectStore {
  readonly #git: Runner;
  readonly #system: System;
  readonly #directory: string;

  /** The objects in a directory; `git` works in the repository whose files it keeps. */
  constructor(git: Runner, directory: string) {
    this.#system = git.system;
    this.#directory = directory;
    this.#git = git.apart({
      directory,
      work: directory,
      index: join(directory, "index"),
      objects: join(directory, "objects"),
      others: [],
      shallow: join(directory, "shallow"),
    });
  }

  /** Makes the object store where there is none yet, for objects named like `like`. No process. */
  async #make(like: string): Promise<void> {
    const { files } = this.#system;
    if (await files.lstat(join(this.#directory, "HEAD")) !== null) return;
    for (const name of ["objects", "refs"]) {
      await files.makeDirectory(join(this.#directory, name), { mode: 0o700 });
    }
    const options = { mode: 0o600, flush: false } as const;
    const config = configOf(like.length === 64 ? "sha256" : "sha1");
    await files.create(join(this.#directory, "config"), config, options);
    await files.create(join(this.#directory, "HEAD"), "ref: refs/heads/none\n", options);
  }

  /**
   * Keeps contents; `like` is any object of the repository. One process, none where nothing comes. `what` is what is
   * being done, for the error of a failure.
   */
  async add(contents: AsyncIterable<Kept>, like: string, what: string): Promise<void> {
    const source = contents[Symbol.asyncIterator]();
    let next = await source.next();
    if (next.done === true) return;
    await this.#make(like);
    async function* stream(): AsyncGenerator<Uint8Array> {
      yield encoder.encode("feature done\n");
      for (; next.done !== true; next = await source.next()) {
        const { bytes } = next.value;
        yield encoder.encode(`blob\ndata ${bytes.length}\n`);
        yield bytes;
        yield encoder.encode("\n");
      }
      yield encoder.encode("done\n");
    }
    await this.#git.must(
      ["fast-import", "--quiet", "--done"],
      { access: "internal", patient: true, stdin: stream() },
      what,
    );
  }

  /** Reads contents back, each once. One process, and one for each portion. */
  read(
    names: readonly string[],
    each: (oid: string, bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    return readObjects(this.#git, names, each);
  }
}
