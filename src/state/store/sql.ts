/**
 * A thin, typed layer over one SQLite connection. Opening one is the business of `database.ts`, which is
 * loaded only when the store is needed.
 */

import type { DatabaseSync } from "node:sqlite";
import { AmofError } from "../../base/error.ts";
import { ioErrorFacts } from "../../base/io_error.ts";
import type { Clock } from "../../base/system/mod.ts";

/** A value of a row. */
export type Cell = string | number | null;
/** One row by column name. */
export type Row = Record<string, Cell>;

/** How long to wait for another writer, in milliseconds: nobody of ours holds the database for longer than moments. */
const PATIENCE_MS = 4_000;
/** Once it was waited for in vain: one call asks it several times, and opens it more than once. */
const IMPATIENCE_MS = 100;
/** For how long after that. */
const SULK_MS = 3_000;
let impatientUntil = 0;

/** The text of a cell, or null. */
export function textIn(cell: Cell | undefined): string | null {
  return typeof cell === "string" ? cell : null;
}

/** The number in a cell, or null. */
export function numberIn(cell: Cell | undefined): number | null {
  return typeof cell === "number" ? cell : null;
}

/** A thin, typed layer over one SQLite connection: prepared statements are kept, values are plain. */
export class Database {
  readonly #db: DatabaseSync;
  #timeout = 0;
  readonly #statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();

  readonly #path: string;

  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
  }

  #setPatience(): void {
    const timeout = performance.now() < impatientUntil ? IMPATIENCE_MS : PATIENCE_MS;
    if (this.#timeout === timeout) return;
    this.#db.exec(`PRAGMA busy_timeout = ${timeout}`);
    this.#timeout = timeout;
  }

  /**
   * Asks the database. Throws `state_busy` when another program holds it for longer than moments. Throws
   * `file_failed` where there is no space for what is written, or its files cannot be read or written.
   */
  #ask<T>(work: () => T): T {
    try {
      this.#setPatience();
      return work();
    } catch (error) {
      if (isFull(error)) throw stateFull(error);
      const refusal = refusedBy(error);
      if (refusal !== undefined) throw stateRefused(this.#path, refusal, error);
      if (!isBusy(error)) throw error;
      impatientUntil = performance.now() + SULK_MS;
      throw stateBusy(error);
    }
  }

  /** Runs statements that answer nothing. */
  exec(sql: string): void {
    this.#ask(() => this.#db.exec(sql));
  }

  #statement(sql: string): ReturnType<DatabaseSync["prepare"]> {
    return this.#statements.getOrInsertComputed(sql, () => this.#db.prepare(sql));
  }

  /** Runs a statement; answers how many rows it changed. */
  run(sql: string, ...values: Cell[]): number {
    return this.#ask(() => Number(this.#statement(sql).run(...values).changes));
  }

  /** Runs a statement that begins with `head`, has a row by its columns, and ends with `rest`; answers as `run` does. */
  put(head: string, row: Row, rest = ""): number {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    const sql = `${head} (${columns.join(", ")}) VALUES (${places}) ${rest}`;
    return this.run(sql, ...Object.values(row));
  }

  /** The first row, or null. */
  get(sql: string, ...values: Cell[]): Row | null {
    return this.#ask(() => (this.#statement(sql).get(...values) as Row | undefined) ?? null);
  }

  /** All rows. */
  all(sql: string, ...values: Cell[]): Row[] {
    return this.#ask(() => this.#statement(sql).all(...values) as Row[]);
  }

  /** Runs work in one write transaction: all of it is kept or none. */
  transaction<T>(work: () => T): T {
    this.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.#db.exec("ROLLBACK");
      } catch {
        // Some failures, such as a full disk, have ended the transaction already.
      }
      throw error;
    }
  }

  /** Closes the connection. */
  close(): void {
    this.#statements.clear();
    this.#db.close();
  }
}

/** A part of the database: one table, or several that belong together. */
export class StorePart {
  /** The database that has it. */
  protected readonly db: Database;

  constructor(db: Database) {
    this.db = db;
  }
}

/** SQLite's number for what went wrong, without what it adds to some; null where an error is none of SQLite's. */
function numberOf(error: unknown): number | null {
  const known = error instanceof Error && "errcode" in error ? error.errcode : null;
  return typeof known === "number" ? known & 0xff : null;
}

/** SQLite's number where writers that begin at the same moment got into each other's way for too long. */
const PROTOCOL = 15;

/** Whether an error is SQLite's answer to a lock that another connection holds. */
function isBusy(error: unknown): boolean {
  return numberOf(error) === PROTOCOL ||
    error instanceof Error && /^database (?:table )?is locked/.test(error.message);
}

/** What the files of a database refuse, by SQLite's number. */
const REFUSALS: ReadonlyMap<number | null, string> = new Map([
  [8, "it may not be written"],
  [10, "its files cannot be read or written"],
  [14, "its files cannot be opened"],
]);

function refusedBy(error: unknown): string | undefined {
  return REFUSALS.get(numberOf(error));
}

/** The error of a database whose files refuse what is asked of them. */
function stateRefused(path: string, why: string, cause: unknown): AmofError {
  return new AmofError("file_failed", `Cannot use the state database "${path}": ${why}`, {
    hint: [
      "Check the permissions of that file and its directory, and the disk that it is on",
      "Or keep the state in another directory: export AMOF_HOME=DIR",
    ],
    details: { path, kind: why === REFUSALS.get(8) ? "permission_denied" : "other" },
    cause,
  });
}

/** SQLite's number for the file that connections share and that could not be made larger (`SQLITE_IOERR_SHMSIZE`). */
const SHARED_FILE_CANNOT_GROW = 4874;

/** Whether an error is the answer of SQLite, or of a directory of its files, to a full disk. */
export function isFull(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return /^database or disk is full/.test(error.message) ||
    // That file is the first to grow when a database is opened; SQLite says of it only "disk I/O error".
    "errcode" in error && error.errcode === SHARED_FILE_CANNOT_GROW ||
    ioErrorFacts(error)?.kind === "disk_full";
}

/** The error of a database for which the disk has no space. */
export function stateFull(cause: unknown): AmofError {
  return new AmofError(
    "file_failed",
    "Cannot write the state database: the disk is full, no space is left on it",
    { hint: "Free some disk space, then repeat", details: { kind: "disk_full" }, cause },
  );
}

/** The error of a database that another program holds. */
function stateBusy(cause: unknown): AmofError {
  return new AmofError(
    "state_busy",
    "Cannot use the state database: another program holds it and does not let go",
    { cause },
  );
}

/** Whether an error is SQLite's answer to a broken unique rule. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && /UNIQUE constraint failed/.test(error.message);
}

// Repeats work on a database that another program holds, where giving up would lose what was done.

/** How long, in milliseconds. */
const LIMIT_MS = 120_000;
const PAUSE_MS = 100;
/** When to try again in the background. */
const LATER_MS = 500;

/** Whether a failure is that of a held database, which may be free the next time. */
function isStateBusy(error: unknown): boolean {
  return error instanceof AmofError && error.code === "state_busy";
}

/** Whether a failure is that of a database for which there is no space, which may come back. */
function isStateFull(error: unknown): boolean {
  return error instanceof AmofError && error.code === "file_failed" &&
    error.details["kind"] === "disk_full";
}

/** Whether the store may take later what it has not taken now. */
export function mayBeWritten(error: unknown): boolean {
  return isStateBusy(error) || isStateFull(error);
}

/**
 * Does in the background what the store has not taken, and again until it takes it: for what must not be missing in a
 * process that lives on. Any other failure ends it, as that of a store that was closed.
 */
export function writeLater(work: () => void | Promise<void>): void {
  setTimeout(async () => {
    try {
      await work();
    } catch (error) {
      if (mayBeWritten(error)) writeLater(work);
    }
  }, LATER_MS);
}

/** Does work on the store, and again while another program holds it, for two minutes or `limitMs` at most. */
export async function insist<T>(
  clock: Clock,
  work: () => T,
  limitMs: number = LIMIT_MS,
): Promise<T> {
  const begun = clock.now();
  while (true) {
    try {
      return work();
    } catch (error) {
      if (!isStateBusy(error) || clock.now() - begun > limitMs) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}
