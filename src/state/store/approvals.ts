/** Confirmation requests that wait for a person at a terminal, and what the person said (CONFIRM-12). */

import {
  type Confirmation,
  type Confirmations,
  type NewConfirmation,
  toConfirmation,
} from "./confirmations.ts";
import type { Database, Row } from "./sql.ts";

/** Who asked, and where they stood: what a terminal needs besides the request to make the preview again. */
export interface Asker {
  readonly root: string;
  readonly sessionId: string;
  /** Name and version of the program that asked, as it named itself. */
  readonly client: string;
  /** The place of the session: scope, ecosystem, run, release. */
  readonly place: unknown;
}

/** A request that waits or waited for a person. */
export interface PendingApproval extends Asker {
  /** What a person types to name it. */
  readonly id: string;
  /** The preview in one sentence. */
  readonly summary: string;
  readonly decidedAt: number | null;
  readonly request: Confirmation;
}

function toPending(row: Row): PendingApproval {
  return {
    id: String(row["approval_id"]),
    root: String(row["root"]),
    sessionId: String(row["session_id"]),
    client: String(row["client"]),
    place: JSON.parse(String(row["place"])) as unknown,
    summary: String(row["summary"]),
    decidedAt: row["decided_at"] === null ? null : Number(row["decided_at"]),
    request: toConfirmation(row),
  };
}

// No column but the token's stands in both tables.
const SELECT = `SELECT confirmations.*, approvals.*, approvals.id AS approval_id
  FROM approvals JOIN confirmations USING (token_hash)`;

/** The requests that wait or waited. */
export class Approvals {
  readonly #db: Database;
  readonly #confirmations: Confirmations;

  constructor(db: Database, confirmations: Confirmations) {
    this.#db = db;
    this.#confirmations = confirmations;
  }

  /** Parks a request. A live one of the same owner for exactly the same call gives way to it. */
  add(
    pending: Asker & { readonly id: string; readonly summary: string },
    request: NewConfirmation,
    most: number,
  ): void {
    // One transaction: a request that only a person may settle must never be there without saying so.
    this.#db.transaction(() => {
      this.#db.run(
        `UPDATE confirmations SET settled_at = ?, outcome = 'replaced'
         WHERE owner = ? AND tool = ? AND fingerprint = ? AND settled_at IS NULL`,
        request.createdAt,
        request.owner,
        request.tool,
        request.fingerprint,
      );
      this.#confirmations.insert(request, most);
      this.#db.run(
        `INSERT INTO approvals (id, token_hash, root, session_id, client, place, summary)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        pending.id,
        request.tokenHash,
        pending.root,
        pending.sessionId,
        pending.client,
        JSON.stringify(pending.place),
        pending.summary,
      );
    });
  }

  /** Up to two requests whose id begins with the text: none, the one meant, or proof that it is ambiguous. */
  byPrefix(prefix: string): PendingApproval[] {
    return this.#db.all(
      `${SELECT} WHERE substr(approvals.id, 1, ?) = ? ORDER BY created_at DESC LIMIT 2`,
      prefix.length,
      prefix,
    ).map(toPending);
  }

  /** Requests, newest first: those that wait, or with `all` those that were settled or expired too. */
  list(now: number, all: boolean, limit: number): PendingApproval[] {
    const waiting = "WHERE settled_at IS NULL AND decision IS NULL AND expires_at > ?";
    return (all
      ? this.#db.all(`${SELECT} ORDER BY created_at DESC, approvals.rowid DESC LIMIT ?`, limit)
      : this.#db.all(
        `${SELECT} ${waiting} ORDER BY created_at DESC, approvals.rowid DESC LIMIT ?`,
        now,
        limit,
      )).map(toPending);
  }

  /**
   * Writes down what a person decided; false when the request no longer waits, so that only one decision
   * ever counts. What is declined is settled with it; what is approved lives until `expiresAt`.
   */
  decide(
    id: string,
    { decision, by, now, expiresAt }: {
      readonly decision: "approved" | "declined";
      readonly by: string;
      readonly now: number;
      readonly expiresAt: number;
    },
  ): boolean {
    return this.#db.transaction(() => {
      const decided = this.#db.run(
        `UPDATE approvals SET decision = ?, decided_at = ?, decided_by = ?
         WHERE id = ? AND decision IS NULL AND token_hash IN
           (SELECT token_hash FROM confirmations WHERE settled_at IS NULL AND expires_at > ?)`,
        decision,
        now,
        by,
        id,
        now,
      ) === 1;
      if (!decided) return false;
      const request = "token_hash = (SELECT token_hash FROM approvals WHERE id = ?)";
      if (decision === "declined") {
        this.#db.run(
          `UPDATE confirmations SET settled_at = ?, outcome = 'declined' WHERE ${request}`,
          now,
          id,
        );
      } else {
        this.#db.run(`UPDATE confirmations SET expires_at = ? WHERE ${request}`, expiresAt, id);
      }
      return true;
    });
  }
}
