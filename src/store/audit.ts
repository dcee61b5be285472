/**
 * The audit log: every decision about a call that could change something, and who made it.
 *
 * @module
 */

import { type Door, doorOf } from "../policy/door.ts";
import type { Database, Row } from "./sql.ts";

/**
 * What the gate decided about a call.
 *
 * `accepted`, `declined`, `cancelled`, `unsupported` and `timed_out` are the ways in which asking somebody ends
 * (CONFIRM-14): `unsupported` means that nobody could be asked so, and a token was handed out. `requested` and
 * `pending` wait for a person at a terminal. `executed` needed nobody's consent, and `allowed` changed only
 * the session.
 */
export const DECISIONS = [
  "accepted",
  "declined",
  "cancelled",
  "unsupported",
  "timed_out",
  "ask_failed",
  "wrong_name",
  "requested",
  "pending",
  "confirmation_invalid",
  "confirmation_stale",
  "executed",
  "previewed",
  "nothing_to_do",
  "refused_mode",
  "refused_trust",
  "allowed",
  "failed",
] as const;
/** One of {@linkcode DECISIONS}. */
export type Decision = typeof DECISIONS[number];

/** How it was decided, or would have been. */
export const WAYS = ["none", "flag", "prompt", "elicitation", "token", "human"] as const;
/** One of {@linkcode WAYS}. */
export type Way = typeof WAYS[number];

/** One decision, as it is added. */
export interface NewAuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly door: Door;
  /** Name and version of the program or person that called. */
  readonly client: string;
  readonly sessionId: string;
  readonly root: string;
  readonly ecosystem: string;
  readonly tool: string;
  /** The arguments with secrets masked. */
  readonly args: unknown;
  readonly mode: string;
  readonly decision: Decision;
  readonly way: Way;
  /** The fingerprint of the preview, when there was one. */
  readonly fingerprint: string | null;
  /** `ok` or the error code the call ended with. */
  readonly outcome: string;
  readonly runId: string | null;
}

/** One decision, as it is kept. */
export interface AuditEntry extends NewAuditEntry {
  /** Rises with every entry. */
  readonly id: number;
}

/** Which entries to list. */
export interface AuditFilter {
  readonly limit: number;
  /** Only entries older than this one. */
  readonly before?: number | undefined;
  /** From this moment on, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Before this moment. */
  readonly until?: number | undefined;
  /** Of this control repository, or of none. */
  readonly root?: string | undefined;
  readonly ecosystem?: string | undefined;
  /** Part of the tool's name. */
  readonly tool?: string | undefined;
  /** Part of the client's name. */
  readonly client?: string | undefined;
  readonly door?: Door | undefined;
  readonly decision?: Decision | undefined;
  readonly way?: Way | undefined;
  /** The beginning of a run's id. */
  readonly run?: string | undefined;
}

/** Conditions in SQL, each for one member of a filter. */
const CONDITIONS: Readonly<Record<Exclude<keyof AuditFilter, "limit">, string>> = {
  before: "id < ?",
  since: "at >= ?",
  until: "at < ?",
  root: "root IN (?, '')",
  ecosystem: "ecosystem = ?",
  tool: "instr(tool, ?) > 0",
  client: "instr(lower(client), lower(?)) > 0",
  door: "door = ?",
  decision: "decision = ?",
  way: "way = ?",
  run: "instr(run_id, ?) = 1",
};

function fromRow(row: Row): AuditEntry {
  return {
    id: Number(row["id"]),
    at: Number(row["at"]),
    door: doorOf(row["door"]),
    client: String(row["client"]),
    sessionId: String(row["session_id"]),
    root: String(row["root"]),
    ecosystem: String(row["ecosystem"]),
    tool: String(row["tool"]),
    args: JSON.parse(String(row["args"])) as unknown,
    mode: String(row["mode"]),
    decision: String(row["decision"]) as Decision,
    way: String(row["way"]) as Way,
    fingerprint: row["fingerprint"] === null ? null : String(row["fingerprint"]),
    outcome: String(row["outcome"]),
    runId: row["run_id"] === null ? null : String(row["run_id"]),
  };
}

/** The audit log. Entries are only ever added. */
export class AuditLog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds an entry. */
  add(entry: NewAuditEntry): void {
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

  /** The entries that match, newest first. */
  list({ limit, ...filter }: AuditFilter): AuditEntry[] {
    const given = Object.entries(CONDITIONS).flatMap(([name, sql]) => {
      const value = filter[name as keyof typeof filter];
      return value === undefined ? [] : [{ sql, value }];
    });
    const where = given.length === 0
      ? ""
      : `WHERE ${given.map((condition) => condition.sql).join(" AND ")}`;
    return this.#db.all(
      `SELECT * FROM audit ${where} ORDER BY id DESC LIMIT ?`,
      ...given.map((condition) => condition.value),
      limit,
    ).map(fromRow);
  }
}
