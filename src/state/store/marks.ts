/** What tells cheaply whether something in the database has changed, whichever process changed it. */

import type { Database } from "./sql.ts";

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
export class Marks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Differs after every change of anything by anybody. */
  whole(): string {
    // The first counts what others did, the second what came through this connection.
    const others = this.#db.get("PRAGMA data_version")?.["data_version"];
    const own = this.#db.get("SELECT total_changes() AS own")?.["own"];
    return `${others}.${own}`;
  }

  /** For each part what differs when it has changed. */
  parts(): Readonly<Record<StoredPart, string>> {
    return Object.fromEntries(
      STORED_PARTS.map((part) => [part, String(this.#db.get(PARTS[part])?.["mark"] ?? "")]),
    ) as Record<StoredPart, string>;
  }
}
