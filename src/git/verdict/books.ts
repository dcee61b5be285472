/** Where verdicts are kept: a file for the clones of each directory, outside of clones. */

import { join } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { isObject, readObject } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { type Verdict, verdictFrom } from "../files/signature.ts";

/** What is known of the clones in one directory. */
export interface Book {
  readonly clones: Map<string, Verdict>;
  /** Until when git is asked about a clone that is not understood, in milliseconds since the epoch. */
  readonly asked: Map<string, number>;
  /** When git said something else than was remembered, in milliseconds since the epoch. */
  readonly off: Map<string, number>;
  /** Where this machine's configuration of git is, by the stamp of the program that said so. */
  program: { readonly stamp: string; readonly file: string } | null;
  /** How the file was when it was read. */
  stamp: string;
}

/** Another form of records is another number; another version of the program may have mended what was switched off. */
const FORMAT = `4 ${VERSION}`;
/** So many clones of one directory, and so many directories. */
const MOST_CLONES = 1_000;
const MOST_BOOKS = 50;
/** Books that were read: a server reads each once, unless another process writes it. */
const BOOKS = new Map<string, Book>();

function bookFrom(text: string): Omit<Book, "stamp"> {
  const empty = { clones: new Map(), asked: new Map(), off: new Map(), program: null };
  const read = readObject(text);
  if (typeof read === "string" || read["format"] !== FORMAT) return empty;
  const entries = (name: string) => isObject(read[name]) ? Object.entries(read[name]) : [];
  const times = (name: string) =>
    new Map(entries(name).filter((one): one is [string, number] => typeof one[1] === "number"));
  const clones = new Map<string, Verdict>();
  for (const [name, value] of entries("clones")) {
    const verdict = verdictFrom(value);
    if (verdict !== undefined) clones.set(name, verdict);
  }
  const program = read["program"];
  const isKnown = isObject(program) && typeof program["stamp"] === "string" &&
    typeof program["file"] === "string";
  return {
    clones,
    asked: times("asked"),
    off: times("off"),
    program: isKnown ? program as unknown as Book["program"] : null,
  };
}

/** The books in a directory. */
export class Books {
  readonly #system: System;
  readonly #directory: () => string;
  readonly #read = new Map<string, Promise<Book>>();

  constructor(system: System, directory: () => string) {
    this.#system = system;
    this.#directory = directory;
  }

  /** The path of what is kept for the clones of a directory, without the end of a name. */
  place(parent: string): string {
    return join(this.#directory(), sha256(parent).slice(0, 20));
  }

  /** What is known of the clones in a directory; nothing where no file can be read. */
  of(parent: string): Promise<Book> {
    return this.#read.getOrInsertComputed(
      parent,
      () => this.#from(`${this.place(parent)}.json`),
    );
  }

  async #stamp(path: string): Promise<string> {
    return `${await this.#system.files.stamps("/", [path])}`;
  }

  async #from(path: string): Promise<Book> {
    const stamp = await this.#stamp(path);
    const read = BOOKS.get(path);
    if (read?.stamp === stamp) return read;
    const text = await this.#system.files.readText(path).catch(() => null);
    const book = { ...bookFrom(text ?? ""), stamp };
    BOOKS.set(path, book);
    return book;
  }

  /** Writes what is known of some clones of a directory, with what other processes have written there meanwhile. */
  async write(parent: string, names: readonly string[]): Promise<void> {
    const { files, ids } = this.#system;
    const path = `${this.place(parent)}.json`;
    const mine = await this.of(parent);
    const theirs = await this.#stamp(path) === mine.stamp ? mine : await this.#from(path);
    for (const name of theirs === mine ? [] : names) {
      const verdict = mine.clones.get(name);
      theirs.clones.delete(name);
      if (verdict !== undefined) theirs.clones.set(name, verdict);
      for (const part of ["asked", "off"] as const) {
        const time = mine[part].get(name);
        if (time !== undefined) theirs[part].set(name, time);
      }
    }
    for (const name of [...theirs.clones.keys()].slice(0, -MOST_CLONES)) theirs.clones.delete(name);
    theirs.program ??= mine.program;
    const temporary = `${path}.${ids.hex(8)}`;
    const text = JSON.stringify({
      format: FORMAT,
      clones: Object.fromEntries(theirs.clones),
      asked: Object.fromEntries(theirs.asked),
      off: Object.fromEntries(theirs.off),
      program: theirs.program,
    });
    const isNew = await files.lstat(path) === null;
    await files.create(temporary, text, { mode: 0o600, flush: false });
    await files.rename(temporary, path);
    theirs.stamp = await this.#stamp(path);
    this.#read.set(parent, Promise.resolve(theirs));
    BOOKS.set(path, theirs);
    if (isNew) await this.#removeOldest();
  }

  /** Removes the books that were written longest ago. */
  async #removeOldest(): Promise<void> {
    const { files } = this.#system;
    const directory = this.#directory();
    const books = await Promise.all(
      (await files.list(directory)).map(async ({ name }) => {
        const path = join(directory, name);
        return { path, at: (await files.lstat(path))?.modifiedMs ?? 0 };
      }),
    );
    const old = books.sort((a, b) => b.at - a.at).slice(2 * MOST_BOOKS);
    for (const { path } of old) await files.remove(path);
  }
}
