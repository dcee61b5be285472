/**
 * Files as they were, to be put back between attempts.
 *
 * @module
 */

import { assert } from "@std/assert";
import { join } from "@std/path";

/** A copy of what a change may touch, to start each attempt from the same state. */
export class Template {
  readonly #directories: readonly string[];
  readonly #entries = new Map<string, Uint8Array | string | null>();
  readonly #modes = new Map<string, number>();

  private constructor(directories: readonly string[]) {
    this.#directories = directories;
  }

  /** Copies files and directories; what does not exist will not exist again. */
  static async of(directories: readonly string[]): Promise<Template> {
    const template = new Template(directories);
    for (const path of template.#directories) {
      if (await Deno.lstat(path).then(() => true, () => false)) await template.#save(path);
    }
    return template;
  }

  async #save(path: string): Promise<void> {
    const info = await Deno.lstat(path);
    if (info.isSymlink) this.#entries.set(path, await Deno.readLink(path));
    else if (info.isFile) {
      this.#entries.set(path, await Deno.readFile(path));
      this.#modes.set(path, (info.mode ?? 0o644) & 0o777);
    } else {
      this.#entries.set(path, null);
      for await (const entry of Deno.readDir(path)) await this.#save(join(path, entry.name));
    }
  }

  /** Puts everything back as it was. */
  async restore(): Promise<void> {
    for (const path of this.#directories) {
      await Deno.remove(path, { recursive: true }).catch((error: unknown) => {
        assert(error instanceof Deno.errors.NotFound);
      });
    }
    for (const [path, content] of this.#entries) {
      if (content === null) await Deno.mkdir(path);
      else if (typeof content === "string") await Deno.symlink(content, path);
      else {
        await Deno.writeFile(path, content);
        await Deno.chmod(path, this.#modes.get(path) ?? 0o644);
      }
    }
  }
}
