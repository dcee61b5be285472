/**
 * The audit log: every decision about a call that could change something, and who made it.
 *
 * @module
 */

import type { Database } from "./sql.ts";

/** One decision. */
export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly door: "cli" | "mcp";
  /** Name and version of the program or person that called. */
  readonly client: string;
  readonly sessionId: string;
  readonly root: string;
  readonly ecosystem: string;
  readonly tool: string;
  /** The arguments with secrets masked. */
  readonly args: unknown;
  readonly mode: string;
  /** What the gate decided: allowed, previewed, refused, requested, declined, cancelled, timed_out, … */
  readonly decision: string;
  /** How it was decided: none, prompt, flag, elicitation, token, human. */
  readonly way: string;
  /** The fingerprint of the preview, when there was one. */
  readonly fingerprint: string | null;
  /** `ok` or the error code the call ended with. */
  readonly outcome: string;
  readonly runId: string | null;
}

/** The audit log. Entries are only ever added. */
export class AuditLog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds an entry. */
  add(entry: AuditEntry): void {
    this.#db.run(
      `INSERT INTO audit (at, door, client, session_id, root, ecosystem, tool, args, mode, decision, way, fingerprint, outcome, run_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      entry.at,
      entry.door,
      entry.client,
      entry.sessionId,
      entry.root,
      entry.ecosystem,
      entry.tool,
      JSON.stringify(entry.args),
      entry.mode,
      entry.decision,
      entry.way,
      entry.fingerprint,
      entry.outcome,
      entry.runId,
    );
  }

  /** The newest entries first; `since` in milliseconds since the epoch. */
  list(limit: number, since = 0): AuditEntry[] {
    return this.#db.all("SELECT * FROM audit WHERE at >= ? ORDER BY id DESC LIMIT ?", since, limit)
      .map((row) => ({
        at: Number(row["at"]),
        door: row["door"] === "mcp" ? "mcp" : "cli",
        client: String(row["client"]),
        sessionId: String(row["session_id"]),
        root: String(row["root"]),
        ecosystem: String(row["ecosystem"]),
        tool: String(row["tool"]),
        args: JSON.parse(String(row["args"])) as unknown,
        mode: String(row["mode"]),
        decision: String(row["decision"]),
        way: String(row["way"]),
        fingerprint: row["fingerprint"] === null ? null : String(row["fingerprint"]),
        outcome: String(row["outcome"]),
        runId: row["run_id"] === null ? null : String(row["run_id"]),
      }));
  }
}
