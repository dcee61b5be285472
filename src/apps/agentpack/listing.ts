/** What a listing of a directory says about names in it, so that not every name has to be asked for by itself. */

import type { FileInfo, Files } from "../../base/system/mod.ts";

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
