/**
 * Files as they were, to be put back between attempts.
 *
 * @module
 */

import { join } from "@std/path";
import type { Files } from "../../src/base/system/mod.ts";

/** What one path was: bytes with permission bits, the target of a link, or a directory. */
type Entry = { readonly bytes: Uint8Array; readonly mode: number } | string | null;

/** A copy of what a change may touch, to start each attempt from the same state. */
export class Template {
  readonly #files: Files;
  readonly #paths: readonly string[];
  readonly #entries = new Map<string, Entry>();

  private constructor(files: Files, paths: readonly string[]) {
    this.#files = files;
    this.#paths = paths;
  }

  /** Copies files and directories; what does not exist will not exist again. */
  static async of(files: Files, paths: readonly string[]): Promise<Template> {
    const template = new Template(files, paths);
    for (const path of paths) await template.#save(path);
    return template;
  }

  async #save(path: string): Promise<void> {
    const files = this.#files;
    const info = await files.lstat(path);
    if (info === null) return;
    if (info.kind === "symlink") this.#entries.set(path, await files.readLink(path));
    else if (info.kind === "file") {
      const bytes = await files.readBytes(path) ?? new Uint8Array();
      this.#entries.set(path, { bytes, mode: (info.mode ?? 0o644) & 0o777 });
    } else {
      this.#entries.set(path, null);
      for (const { name } of await files.list(path)) await this.#save(join(path, name));
    }
  }

  /** Puts everything back as it was. */
  async restore(): Promise<void> {
    for (const path of this.#paths) await this.#files.removeTree(path);
    for (const [path, entry] of this.#entries) {
      if (entry === null) await this.#files.makeDirectory(path);
      else if (typeof entry === "string") await this.#files.symlink(entry, path);
      else await this.#files.create(path, entry.bytes, { mode: entry.mode, flush: false });
    }
  }
}
