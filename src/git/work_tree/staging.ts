/**
 * A place inside the git directory where files are made whole before they are moved into the working copy. So no file
 * there is ever half written, and none of ours is seen among the user's.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import { STAGING } from "../../base/system/layout.ts";
import { gitDirectory } from "../files/directory.ts";
import type { Runner } from "../call/runner.ts";

const PLACE = "snapshot";
/** Objects are read in portions of about so many bytes. */
const PORTION = 64 * 1024 * 1024;
/** What git says about an object besides its bytes takes less. */
const HEADER = 256;

/** A staging place; gone when it is disposed of. */
export class Staging implements AsyncDisposable {
  /** Git in the working copy that it is for. */
  readonly git: Runner;
  readonly #system: System;
  readonly #directory: string;
  #count = 0;

  private constructor(git: Runner, directory: string) {
    this.git = git;
    this.#system = git.system;
    this.#directory = directory;
  }

  /** Makes one, and removes what a killed program left of another. */
  static async open(git: Runner): Promise<Staging> {
    const own = await gitDirectory(git.system, git.directory);
    if (own === null) {
      throw new AmofError("git_failed", `Cannot work on "${git.name}": it is not a git repository`);
    }
    const directory = join(own, STAGING, PLACE);
    await git.system.files.removeTree(directory);
    await git.system.files.makeDirectory(directory, { mode: 0o700 });
    return new Staging(git, directory);
  }

  #next(name: string): string {
    return join(this.#directory, `${name}-${this.#count++}`);
  }

  /** A path in it at which there is nothing. */
  free(): string {
    return this.#next("aside");
  }

  /** Makes a file with exactly these bytes and permissions; answers where. */
  async file(bytes: Uint8Array, permissions: number | null): Promise<string> {
    const path = this.#next("file");
    await this.#system.files.create(path, bytes, permissions === null ? {} : { mode: permissions });
    return path;
  }

  /** Makes a symbolic link; answers where. */
  async link(target: string): Promise<string> {
    const path = this.#next("link");
    await this.#system.files.symlink(target, path);
    return path;
  }

  /**
   * Lets git check files of a commit out as it would into the working copy. Filters and line ends are those of the
   * attributes of that commit. Answers the directory that holds the files at their paths. Two processes.
   */
  async checkOut(commit: string, paths: readonly string[]): Promise<string> {
    const { git } = this;
    const directory = this.#next("tree");
    await this.#system.files.makeDirectory(directory, { mode: 0o700 });
    if (paths.length === 0) return directory;
    const index = this.#next("index");
    const call = { access: "internal", index, patient: true } as const;
    const what = `read the files of "${git.name}"`;
    await git.must(["read-tree", commit], call, what);
    await git.must(
      ["checkout-index", "--force", "--quiet", "-z", "--stdin"],
      { ...call, workTree: directory, stdin: paths.map((name) => `${name}\0`).join("") },
      what,
    );
    return directory;
  }

  /** Reads objects of the repository; see {@linkcode readObjects}. */
  objects(
    names: readonly string[],
    each: (name: string, bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    return readObjects(this.git, names, each);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#system.files.removeTree(this.#directory);
  }
}

function gone({ name: repo }: Runner, object: string): AmofError {
  return new AmofError(
    "git_failed",
    `Cannot read the kept files of "${repo}": ${object} is missing or damaged`,
    { hint: "Look into the repository: git fsck", details: { repo, object } },
  );
}

/** Reads objects, in portions; each is given out once. One process, and one for each portion. */
export async function readObjects(
  git: Runner,
  names: readonly string[],
  each: (name: string, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  if (names.length === 0) return;
  const call = { access: "read", patient: true } as const;
  const what = `read the kept files of "${git.name}"`;
  const sizes = await git.must(
    ["cat-file", "--batch-check=%(objectname) %(objectsize)"],
    { ...call, stdin: names.map((name) => `${name}\n`).join("") },
    what,
  );
  const all = sizes.trim().split("\n").map((line) => {
    const [name = "", size = ""] = line.split(" ");
    return { name, size: Number(size) };
  });
  for (let at = 0; at < all.length;) {
    const portion = [];
    for (let sum = 0; at < all.length; at++) {
      const next = all[at];
      if (next === undefined || Number.isNaN(next.size)) throw gone(git, next?.name ?? "");
      if (portion.length > 0 && sum + next.size > PORTION) break;
      sum += next.size;
      portion.push(next);
    }
    const result = await git.run(["cat-file", "--batch"], {
      ...call,
      binary: true,
      maxOutputBytes: portion.reduce((sum, { size }) => sum + size + HEADER, 0),
      stdin: portion.map(({ name }) => `${name}\n`).join(""),
    });
    let offset = 0;
    for (const { name, size } of portion) {
      const start = (result.bytes?.indexOf(10, offset) ?? -1) + 1;
      const bytes = start <= 0 ? undefined : result.bytes?.subarray(start, start + size);
      if (bytes?.length !== size) throw gone(git, name);
      await each(name, bytes);
      offset = start + size + 1;
    }
  }
}
