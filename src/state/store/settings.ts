/** Small named values the program remembers for its user. */

import type { Database } from "./sql.ts";

/** Named values. */
export class Settings {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The value, or null when it was never set. */
  get(name: string): string | null {
    const value = this.#db.get("SELECT value FROM settings WHERE name = ?", name)?.["value"];
    return value === undefined ? null : String(value);
  }

  /** The value, which is made when it was never set; several processes that make it at once agree on one. */
  once(name: string, make: () => string): string {
    const known = this.get(name);
    if (known !== null) return known;
    this.#db.run(
      "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
      name,
      make(),
    );
    return this.get(name) ?? make();
  }

  /** Sets a value. */
  set(name: string, value: string): void {
    this.#db.run(
      "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      name,
      value,
    );
  }
}
