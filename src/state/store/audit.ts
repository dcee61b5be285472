/** The audit log: every decision about a call that could change something, and who made it. */

import { type Door, doorOf } from "../../base/policy/mode.ts";
import { sha256 } from "../../base/hash.ts";
import { type Columns, MEMBERS, Stored, toSealed } from "./audit_columns.ts";
import { type Anchor, type Anchored, NO_ENTRY, sealText } from "./chain.ts";
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
  /** The ticket in whose own workspace the call works; absent or null for the base workspace. */
  readonly ticket?: string | null;
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
  /** What proves that a person decided, as JSON; absent or null where nothing does. */
  readonly evidence?: unknown;
}

/** One decision, as it is kept. */
export interface AuditEntry extends NewAuditEntry {
  /** Rises with every entry. */
  readonly id: number;
  readonly evidence: unknown;
  readonly ticket: string | null;
  /** What the next entry holds of this one (AUDIT-1). */
  readonly hash: string;
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
  /** Of this ticket: in its own workspace, or in a run that is kept under it; `main` for what is of none. */
  readonly ticket?: string | undefined;
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
  ticket:
    "coalesce(ticket, (SELECT ticket FROM runs WHERE runs.run_id = audit.run_id), 'main') = ?",
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
    ticket: row["ticket"] === null ? null : String(row["ticket"]),
    tool: String(row["tool"]),
    args: JSON.parse(String(row["args"])) as unknown,
    mode: String(row["mode"]),
    decision: String(row["decision"]) as Decision,
    way: String(row["way"]) as Way,
    fingerprint: row["fingerprint"] === null ? null : String(row["fingerprint"]),
    outcome: String(row["outcome"]),
    runId: row["run_id"] === null ? null : String(row["run_id"]),
    evidence: row["evidence"] === null ? null : JSON.parse(String(row["evidence"])) as unknown,
    hash: String(row["hash"]),
  };
}

/** A text as the database gives it back. */
function stored(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

function texts(entry: NewAuditEntry) {
  return {
    door: entry.door,
    client: stored(entry.client),
    session_id: stored(entry.sessionId),
    root: stored(entry.root),
    ecosystem: stored(entry.ecosystem),
    ticket: entry.ticket === undefined || entry.ticket === null ? null : stored(entry.ticket),
    tool: stored(entry.tool),
    mode: stored(entry.mode),
    decision: entry.decision,
    way: entry.way,
    fingerprint: entry.fingerprint === null ? null : stored(entry.fingerprint),
    outcome: stored(entry.outcome),
    run_id: entry.runId === null ? null : stored(entry.runId),
  };
}

/**
 * Chains the entries at the end of the log that hold no hash: those from before there was a chain, and those that an
 * older program has written since. Part of a transaction.
 */
export function sealOlder(db: Database): void {
  const last = db.get("SELECT id, hash FROM audit WHERE hash <> '' ORDER BY id DESC LIMIT 1");
  let after = Number(last?.["id"] ?? 0);
  let previous = String(last?.["hash"] ?? NO_ENTRY);
  for (;;) {
    const rows = db.all("SELECT * FROM audit WHERE id > ? ORDER BY id LIMIT 500", after);
    for (const row of rows) {
      const columns = { ...row, chained: 0, previous } as unknown as Columns;
      const hash = sha256(sealText(toSealed(columns)));
      after = Number(row["id"]);
      db.run(
        "UPDATE audit SET chained = 0, previous = ?, hash = ? WHERE id = ?",
        previous,
        hash,
        after,
      );
      previous = hash;
    }
    if (rows.length === 0) return;
  }
}

/** Every column as text of hexadecimal digits: what is no text at all must not be made one by reading it. */
const RAW = [...MEMBERS, "hash"].map((member) =>
  member === "id" ? "id" : `hex(${member}) AS ${member}, ${member} IS NULL AS no_${member}`
).join(", ");

/** The audit log. Entries are only ever added. */
export class AuditLog {
  readonly #db: Database;
  readonly #anchor: Anchor | null;

  /** A private log has no anchor. */
  constructor(db: Database, anchor: Anchor | null) {
    this.#db = db;
    this.#anchor = anchor;
  }

  /** Adds an entry. Throws where the anchor cannot be written, too; the entry is there then. */
  add(entry: NewAuditEntry): void {
    this.#add(entry, () => true);
  }

  /** Adds the entry of a run unless one that names it is there: looking and adding is one step for all processes. */
  addOwed(entry: NewAuditEntry & { readonly runId: string }): void {
    this.#add(
      entry,
      () => this.#db.get("SELECT 1 FROM audit WHERE run_id = ?", entry.runId) === null,
    );
  }

  #add(entry: NewAuditEntry, isWanted: () => boolean): void {
    const row = {
      ...texts(entry),
      at: entry.at,
      args: JSON.stringify(entry.args ?? null),
      evidence: entry.evidence === undefined || entry.evidence === null
        ? null
        : JSON.stringify(entry.evidence),
      chained: 1,
    };
    // Reading the end of the chain and adding to it is one step for all processes.
    const added = this.#db.transaction(() => {
      if (!isWanted()) return null;
      let last = this.#db.get("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1");
      if (last?.["hash"] === "") {
        sealOlder(this.#db);
        last = this.#db.get("SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1");
      }
      const id = Number(last?.["id"] ?? 0) + 1;
      const sealed = { ...row, id, previous: String(last?.["hash"] ?? NO_ENTRY) };
      const hash = sha256(sealText(toSealed(sealed)));
      this.#db.put("INSERT INTO audit", { ...sealed, hash });
      return [id, hash] as const;
    });
    if (added !== null) this.#anchor?.add(...added);
  }

  /** The file with the anchor; null for a private log. */
  get anchorPath(): string | null {
    return this.#anchor?.path ?? null;
  }

  /** What the anchor holds; null without one. To be read before the log, which may grow meanwhile. */
  anchored(): Anchored[] | null {
    return this.#anchor?.read() ?? null;
  }

  /** The numbers of entries that {@linkcode stored} passes over, because no entry gets such a number; 100 at most. */
  misnumbered(): number[] {
    return this.#db.all(
      "SELECT CAST(id AS TEXT) AS id FROM audit WHERE id < 1 OR id > ? ORDER BY id LIMIT 100",
      Number.MAX_SAFE_INTEGER,
    ).map((row) => Number(row["id"]));
  }

  /** The number of the first entry of a time, or null. */
  firstSince(at: number): number | null {
    const found = this.#db.get("SELECT min(id) AS id FROM audit WHERE at >= ?", at)?.["id"];
    return found === null || found === undefined ? null : Number(found);
  }

  /** The number of the last entry from before a moment, or null. */
  lastBefore(at: number): number | null {
    const found = this.#db.get("SELECT max(id) AS id FROM audit WHERE at < ?", at)?.["id"];
    return found === null || found === undefined ? null : Number(found);
  }

  /** Entries as they lie there, oldest first, behind one; whoever wants all asks again behind the last. */
  stored(after: number, limit: number): Stored[] {
    return this.#db.all(
      `SELECT ${RAW} FROM audit WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
      after,
      Number.MAX_SAFE_INTEGER,
      limit,
    )
      .map((row) => new Stored(row));
  }

  /** The run that a consent led to which was settled at a moment; null for none, or none that is known yet. */
  runAgreed(fingerprint: string, settledAt: number): string | null {
    const row = this.#db.get(
      `SELECT run_id FROM audit WHERE at >= ? AND fingerprint = ? AND decision = 'accepted'
         AND run_id IS NOT NULL ORDER BY at LIMIT 1`,
      settledAt,
      fingerprint,
    );
    return row === null ? null : String(row["run_id"]);
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
