/**
 * A disk of its own, small enough to be filled: a part of memory, where the machine lets one mount it.
 *
 * @module
 */

import { join } from "@std/path";
import { statfsSync } from "node:fs";

const PIECE = new Uint8Array(1 << 20);

/** A disk that can be full. */
export class Disk {
  readonly directory: string;
  /** Whether it is small; else it is a directory like any other, and cannot be filled. */
  readonly isSmall: boolean;

  private constructor(directory: string, isSmall: boolean) {
    this.directory = directory;
    this.isSmall = isSmall;
  }

  /** Makes a disk of so many MiB, and puts the worlds that are made from now on there. */
  static make(mib: number): Disk {
    const directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "amof-soak-" }));
    const isSmall = Disk.#run("mount", "-t", "tmpfs", "-o", `size=${mib}m`, "tmpfs", directory);
    Deno.env.set("AMOF_TEST_DIR", directory);
    return new Disk(directory, isSmall);
  }

  static #run(command: string, ...args: string[]): boolean {
    try {
      return new Deno.Command(command, { args, stdout: "null", stderr: "null" }).outputSync()
        .success;
    } catch {
      return false;
    }
  }

  get #filler(): string {
    return join(this.directory, "filler");
  }

  /** Writes until nothing fits any more. */
  async fill(): Promise<void> {
    using file = await Deno.open(this.#filler, { write: true, create: true, truncate: true });
    for (let piece = PIECE; piece.length > 0;) {
      try {
        await file.write(piece);
      } catch {
        piece = piece.subarray(0, piece.length >> 1);
      }
    }
  }

  /** How much of it is taken, in words. */
  used(): string {
    if (!this.isSmall) return "a disk of no known size";
    const { blocks, bfree, bsize } = statfsSync(this.directory);
    return `${((blocks - bfree) * bsize / 2 ** 20).toFixed(0)} MiB of the disk taken`;
  }

  /** Makes room again. */
  async clear(): Promise<void> {
    await Deno.remove(this.#filler).catch(() => {});
  }

  /** Removes it at the end of the program, when what lies on it was removed by whoever made it. */
  remove(): void {
    Deno.env.delete("AMOF_TEST_DIR");
    globalThis.addEventListener("unload", () => {
      if (this.isSmall) Disk.#run("umount", "--lazy", this.directory);
      try {
        Deno.removeSync(this.directory, { recursive: true });
      } catch {
        // A directory that could not be removed is in nobody's way.
      }
    });
  }
}
