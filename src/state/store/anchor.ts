/**
 * The anchor of the audit log: a file beside the database that gets a line behind every entry, so that entries which
 * are cut off at the end of the log are missed (AUDIT-3, STATE-4).
 */

import process from "node:process";
import { ioErrorFacts } from "../../base/io_error.ts";

/** How many digits of its hash stand for an entry: enough that nobody makes another entry with the same. */
const DIGITS = 32;

/** The first digits of a hash. */
export function anchorDigits(hash: string): string {
  return hash.slice(0, DIGITS);
}

/** Names an entry. */
export interface Anchored {
  readonly id: number;
  /** Its {@linkcode anchorDigits}. */
  readonly hash: string;
}

/** The lines of an anchor. */
export class Anchor {
  /** The file, absolute. */
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Adds the line of an entry that is in the database for good. */
  add(id: number, hash: string): void {
    // One short write at the end of a file is never mixed with that of another process. One that is killed may leave
    // half a line, even half a number, which would become one with the next if that did not begin a line of its own.
    process.getBuiltinModule("node:fs").appendFileSync(
      this.path,
      `\n${id} ${anchorDigits(hash)}\n`,
      { mode: 0o600 },
    );
  }

  /** All its lines that can be read, in their order; null when there is no file. */
  read(): Anchored[] | null {
    let text: string;
    try {
      text = process.getBuiltinModule("node:fs").readFileSync(this.path, "utf8");
    } catch (error) {
      if (ioErrorFacts(error)?.kind === "not_found") return null;
      throw error;
    }
    return [...text.matchAll(/^(\d{1,15}) ([0-9a-f]{32})$/gm)].map(([, id, hash = ""]) => ({
      id: Number(id),
      hash,
    }));
  }
}
