/** What decided in each clone which programs git runs there, when that was last in order. */

import { StorePart } from "./sql.ts";

/** The seal of a clone. */
export interface SealRow {
  readonly digest: string;
  /** What is needed to name what has changed since, as JSON. */
  readonly parts: string;
  /** Milliseconds since the epoch. */
  readonly sealedAt: number;
  /** Who looked at it; null where nobody had to. */
  readonly sealedBy: string | null;
  /** Since when a process may have worked in it that could write there and nowhere else; null where none did. */
  readonly boxedAt: number | null;
}

/** The seals, by the absolute directory of the clone. */
export class Seals extends StorePart {
  /** The seal of a clone, or null. */
  get(directory: string): SealRow | null {
    const row = this.db.get(
      "SELECT digest, parts, sealed_at, sealed_by, boxed_at FROM seals WHERE directory = ?",
      directory,
    );
    return row === null ? null : {
      digest: String(row["digest"]),
      parts: String(row["parts"]),
      sealedAt: Number(row["sealed_at"]),
      sealedBy: row["sealed_by"] === null ? null : String(row["sealed_by"]),
      boxedAt: row["boxed_at"] === null ? null : Number(row["boxed_at"]),
    };
  }

  /** Whether a clone was sealed with a digest, and was not boxed since. */
  holds(directory: string, digest: string): boolean {
    return this.db.get(
      "SELECT 1 FROM seals WHERE directory = ? AND digest = ? AND boxed_at IS NULL",
      directory,
      digest,
    ) !== null;
  }

  /** Sets the seal of a clone; that it was boxed stays. */
  set(directory: string, seal: Omit<SealRow, "boxedAt">): void {
    this.db.run(
      `INSERT INTO seals (directory, digest, parts, sealed_at, sealed_by) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (directory) DO UPDATE SET digest = excluded.digest, parts = excluded.parts,
         sealed_at = excluded.sealed_at, sealed_by = excluded.sealed_by`,
      directory,
      seal.digest,
      seal.parts,
      seal.sealedAt,
      seal.sealedBy,
    );
  }

  /** Notes that a process works in the clones below a directory that can write there and nowhere else. */
  markBoxed(directory: string, at: number): void {
    const below = `${directory.replace(/[/\\]$/, "")}/`;
    this.db.run(
      `UPDATE seals SET boxed_at = ? WHERE boxed_at IS NULL AND (directory = ? OR substr(directory, 1, ?) = ?)`,
      at,
      directory,
      below.length,
      below,
    );
  }

  /** Forgets the seals of a clone and of all below a directory. */
  forget(directory: string): void {
    const below = `${directory.replace(/[/\\]$/, "")}/`;
    this.db.run(
      "DELETE FROM seals WHERE directory = ? OR substr(directory, 1, ?) = ?",
      directory,
      below.length,
      below,
    );
  }

  /** Whether the clones of a control repository that were there before there were seals have been sealed. */
  hasBegun(root: string): boolean {
    return this.db.get("SELECT 1 AS one FROM sealed_roots WHERE root = ?", root) !== null;
  }

  /** Seals what was there before there were seals, all of it or nothing, and only once. */
  begin(root: string, at: number, found: ReadonlyMap<string, Omit<SealRow, "boxedAt">>): void {
    this.db.transaction(() => {
      if (this.hasBegun(root)) return;
      for (const [directory, seal] of found) {
        if (this.get(directory) === null) this.set(directory, seal);
      }
      this.db.run("INSERT INTO sealed_roots (root, begun_at) VALUES (?, ?)", root, at);
    });
  }
}
