/**
 * A thin, typed layer over one SQLite connection. Opening one is the business of `database.ts`, which is
 * loaded only when the store is needed.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";

/** A value of a row. */
export type Cell = string | number | null;
/** One row by column name. */
export type Row = Record<string, Cell>;

/** A thin, typed layer over one SQLite connection: prepared statements are kept, values are plain. */
export class Database {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  #statement(sql: string): ReturnType<DatabaseSync["prepare"]> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs a statement; answers how many rows it changed. */
  run(sql: string, ...values: Cell[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** The first row, or null. */
  get(sql: string, ...values: Cell[]): Row | null {
    return (this.#statement(sql).get(...values) as Row | undefined) ?? null;
  }

  /** All rows. */
  all(sql: string, ...values: Cell[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Runs work in one write transaction: all of it is kept or none. */
  transaction<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec("COMMIT");
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

/** Whether an error is SQLite's answer to a broken unique rule. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && /UNIQUE constraint failed/.test(error.message);
}
