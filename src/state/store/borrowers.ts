/** Which clones borrow objects from which mirror. Clones that were copied by hand are not known. */

import { StorePart } from "./sql.ts";

/** A clone that needs a mirror. */
export interface Borrower {
  /** The mirror, absolute. */
  readonly mirror: string;
  /** The clone, absolute. */
  readonly directory: string;
  /** The control repository of its ecosystem. */
  readonly root: string;
  readonly ecosystem: string;
  /** The ticket that the clone belongs to. */
  readonly ticket: string;
}

/** The borrowers. */
export class Borrowers extends StorePart {
  /** Adds a clone; one that borrows already borrows from this mirror then. */
  add({ mirror, directory, root, ecosystem, ticket }: Borrower): void {
    this.db.run(
      `INSERT OR REPLACE INTO borrowers (directory, mirror, root, ecosystem, ticket)
       VALUES (?, ?, ?, ?, ?)`,
      directory,
      mirror,
      root,
      ecosystem,
      ticket,
    );
  }

  /** Forgets the clone in a directory, and all clones below that directory. */
  remove(directory: string): void {
    this.db.run(
      `DELETE FROM borrowers WHERE directory = ? OR substr(directory, 1, length(?) + 1) IN (? || '/', ? || '\\')`,
      directory,
      directory,
      directory,
      directory,
    );
  }

  /** Who borrows from a mirror, by directory. */
  of(mirror: string): Borrower[] {
    return this.db.all("SELECT * FROM borrowers WHERE mirror = ? ORDER BY directory", mirror)
      .map(borrowerOf);
  }

  /** Everybody who borrows, by directory. */
  list(): Borrower[] {
    return this.db.all("SELECT * FROM borrowers ORDER BY directory").map(borrowerOf);
  }
}

function borrowerOf(row: Readonly<Record<string, unknown>>): Borrower {
  return {
    mirror: String(row["mirror"]),
    directory: String(row["directory"]),
    root: String(row["root"]),
    ecosystem: String(row["ecosystem"]),
    ticket: String(row["ticket"]),
  };
}
