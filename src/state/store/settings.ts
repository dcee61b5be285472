/** Small named values the program remembers for its user. */

import { StorePart } from "./sql.ts";

/** Named values. */
export class Settings extends StorePart {
  /** The value, or null when it was never set. */
  get(name: string): string | null {
    const value = this.db.get("SELECT value FROM settings WHERE name = ?", name)?.["value"];
    return value === undefined ? null : String(value);
  }

  /** The value, which is made when it was never set; several processes that make it at once agree on one. */
  once(name: string, make: () => string): string {
    const known = this.get(name);
    if (known !== null) return known;
    this.db.run(
      "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
      name,
      make(),
    );
    return this.get(name) ?? make();
  }

  /** Sets a value. */
  set(name: string, value: string): void {
    this.db.run(
      "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      name,
      value,
    );
  }
}

// What tells cheaply whether something in the database has changed, whichever process changed it.

/** What of each part is looked at: values that differ when the part has changed. */
const PARTS = {
  runs:
    `SELECT COUNT(*) || '.' || COALESCE(SUM(created_at), 0) || '.' || COUNT(started_at) || '.' || COUNT(finished_at)
       || '.' || COUNT(cancel_requested_at) AS mark FROM runs`,
  logs: "SELECT COALESCE(SUM(event_count), 0) AS mark FROM runs",
  approvals: `SELECT COUNT(*) || '.' || COUNT(decided_at) || '.' || COUNT(settled_at) AS mark
    FROM approvals JOIN confirmations USING (token_hash)`,
  audit: "SELECT COALESCE(MAX(id), 0) AS mark FROM audit",
  environments: "SELECT COUNT(*) || '.' || COALESCE(SUM(changed_at), 0) AS mark FROM environments",
} as const;

type StoredPart = keyof typeof PARTS;
/** The parts of what is stored, in the order in which they are told. */
export const STORED_PARTS = Object.keys(PARTS) as readonly StoredPart[];

/** Marks of the whole and of its parts. */
export class Marks extends StorePart {
  /** Differs after every change of anything by anybody. */
  whole(): string {
    // The first counts what others did, the second what came through this connection.
    const others = this.db.get("PRAGMA data_version")?.["data_version"];
    const own = this.db.get("SELECT total_changes() AS own")?.["own"];
    return `${others}.${own}`;
  }

  /** For each part what differs when it has changed. */
  parts(): Readonly<Record<StoredPart, string>> {
    return Object.fromEntries(
      STORED_PARTS.map((part) => [part, String(this.db.get(PARTS[part])?.["mark"] ?? "")]),
    ) as Record<StoredPart, string>;
  }
}
