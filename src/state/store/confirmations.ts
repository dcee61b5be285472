/**
 * Confirmation requests and the tokens that settle them (CONFIRM-8).
 *
 * Only the hash of a token is kept, so that reading the database gives nobody a token.
 */

import { sha256 } from "../../base/hash.ts";
import { type Database, numberIn, type Row, StorePart, textIn } from "./sql.ts";

/** A request as it was made. */
export interface Confirmation {
  readonly tokenHash: string;
  /** Who may spend the token: an MCP session, or the user and root of a command line. */
  readonly owner: string;
  readonly tool: string;
  /** The arguments of the call to repeat. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly ecosystem: string;
  /** The ticket in whose own workspace the call works; null for the base workspace. */
  readonly ticket: string | null;
  readonly kind: "simple" | "preview" | "type";
  /** What must be typed, for `type`. */
  readonly typedValue: string | null;
  readonly fingerprint: string;
  /** The preview's facts, to say later what changed. */
  readonly preview: unknown;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Whether only its token settles it, because the call it was made for carried a consent already. */
  readonly tokenOnly: boolean;
  /** How long one transfer of the call may take, in seconds; null for as long as it makes progress. */
  readonly timeout: number | null;
  /** Null while the request is live. */
  readonly outcome: string | null;
  /** Since when it is not, in milliseconds since the epoch. */
  readonly settledAt: number | null;
  readonly wrongTries: number;
  /** For requests only a person at a terminal may settle: what they decided; null for all others. */
  readonly approval: {
    readonly id: string;
    readonly decision: "pending" | "approved" | "declined";
    /** Who decided; null while nobody has. */
    readonly decidedBy: string | null;
  } | null;
}

/** A request as it is added. */
export type NewConfirmation = Omit<
  Confirmation,
  "outcome" | "settledAt" | "wrongTries" | "approval"
>;

/** The form in which a token is stored and looked up. */
export function hashToken(token: string): string {
  return sha256(token);
}

/** Requests with what a person decided about them. */
const WITH_APPROVAL = `SELECT confirmations.*, approvals.id AS approval_id, approvals.decision,
  approvals.decided_by FROM confirmations LEFT JOIN approvals USING (token_hash)`;

/** A request out of a row that has the columns of both tables, those of the second perhaps empty. */
function toConfirmation(row: Row): Confirmation {
  const decision = row["decision"];
  return {
    tokenHash: String(row["token_hash"]),
    owner: String(row["owner"]),
    tool: String(row["tool"]),
    args: JSON.parse(String(row["args"])) as Record<string, unknown>,
    ecosystem: String(row["ecosystem"]),
    ticket: textIn(row["ticket"]),
    kind: row["kind"] === "type" ? "type" : row["kind"] === "preview" ? "preview" : "simple",
    typedValue: textIn(row["typed_value"]),
    fingerprint: String(row["fingerprint"]),
    preview: JSON.parse(String(row["preview"])) as unknown,
    createdAt: Number(row["created_at"]),
    expiresAt: Number(row["expires_at"]),
    tokenOnly: Number(row["token_only"]) !== 0,
    timeout: numberIn(row["timeout_s"]),
    outcome: textIn(row["outcome"]),
    settledAt: numberIn(row["settled_at"]),
    wrongTries: Number(row["wrong_tries"]),
    approval: row["approval_id"] === null ? null : {
      id: String(row["approval_id"]),
      decision: decision === "approved" || decision === "declined" ? decision : "pending",
      decidedBy: textIn(row["decided_by"]),
    },
  };
}

/** How long settled and expired requests are kept, so that a late token gets the right answer. */
const KEEP_MS = 24 * 60 * 60 * 1000;

/** The requests. */
export class Confirmations extends StorePart {
  /** Stores a request; an owner has at most `most` live ones, the oldest goes first. */
  add(request: NewConfirmation, most: number): void {
    this.db.transaction(() => this.insert(request, most));
  }

  /** What {@linkcode Confirmations.add} does, as part of the caller's transaction. */
  insert(request: NewConfirmation, most: number): void {
    this.db.run("DELETE FROM confirmations WHERE expires_at < ?", request.createdAt - KEEP_MS);
    const { owner, tool, ecosystem, ticket, kind, fingerprint } = request;
    this.db.put("INSERT INTO confirmations", {
      ...{ owner, tool, ecosystem, ticket, kind, fingerprint },
      token_hash: request.tokenHash,
      args: JSON.stringify(request.args),
      typed_value: request.typedValue,
      preview: JSON.stringify(request.preview),
      created_at: request.createdAt,
      expires_at: request.expiresAt,
      token_only: request.tokenOnly ? 1 : 0,
      timeout_s: request.timeout,
    });
    this.db.run(
      `UPDATE confirmations SET settled_at = ?, outcome = 'replaced'
       WHERE owner = ? AND settled_at IS NULL AND token_hash NOT IN (
         SELECT token_hash FROM confirmations WHERE owner = ? AND settled_at IS NULL
         ORDER BY created_at DESC, rowid DESC LIMIT ?)`,
      request.createdAt,
      owner,
      owner,
      most,
    );
  }

  /** The request behind a token of this owner, live or settled; null when there is none. */
  find(tokenHash: string, owner: string): Confirmation | null {
    const row = this.db.get(
      `${WITH_APPROVAL} WHERE token_hash = ? AND owner = ?`,
      tokenHash,
      owner,
    );
    return row === null ? null : toConfirmation(row);
  }

  /** The live requests of an owner, newest first. */
  live(owner: string, now: number): Confirmation[] {
    return this.db.all(
      `${WITH_APPROVAL} WHERE owner = ? AND settled_at IS NULL AND expires_at > ?
       ORDER BY created_at DESC, confirmations.rowid DESC`,
      owner,
      now,
    ).map(toConfirmation);
  }

  /** Settles a live request; false when it was settled before, so that only one caller ever succeeds. */
  settle(tokenHash: string, outcome: string, now: number): boolean {
    return this.db.run(
      "UPDATE confirmations SET settled_at = ?, outcome = ? WHERE token_hash = ? AND settled_at IS NULL",
      now,
      outcome,
      tokenHash,
    ) === 1;
  }

  /** Settles every live request of an owner who is gone. */
  abandon(owner: string, now: number): void {
    this.db.run(
      "UPDATE confirmations SET settled_at = ?, outcome = 'abandoned' WHERE owner = ? AND settled_at IS NULL",
      now,
      owner,
    );
  }

  /** Counts a wrongly typed name; answers how many there were. */
  countWrongTry(tokenHash: string): number {
    this.db.run(
      "UPDATE confirmations SET wrong_tries = wrong_tries + 1 WHERE token_hash = ?",
      tokenHash,
    );
    return Number(
      this.db.get("SELECT wrong_tries FROM confirmations WHERE token_hash = ?", tokenHash)
        ?.["wrong_tries"] ?? 0,
    );
  }
}

// Confirmation requests that wait for a person at a terminal, and what the person said (CONFIRM-12).

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
    decidedAt: numberIn(row["decided_at"]),
    request: toConfirmation(row),
  };
}

// No column but the token's stands in both tables.
const SELECT = `SELECT confirmations.*, approvals.*, approvals.id AS approval_id
  FROM approvals JOIN confirmations USING (token_hash)`;

/** The requests that wait or waited. */
export class Approvals extends StorePart {
  readonly #confirmations: Confirmations;

  constructor(db: Database, confirmations: Confirmations) {
    super(db);
    this.#confirmations = confirmations;
  }

  /**
   * Adds a request that waits for a person; answers its id. It replaces a live one of the same owner for
   * exactly the same call. Where nobody has decided about that yet, the new one takes over the id that a person
   * was given.
   */
  add(
    pending: Asker & { readonly id: string; readonly summary: string },
    request: NewConfirmation,
    most: number,
  ): string {
    const same = [request.owner, request.tool, request.fingerprint] as const;
    // One transaction: a request that only a person may settle must never be there without saying so.
    return this.db.transaction(() => {
      const waiting = this.db.get(
        `${SELECT} WHERE owner = ? AND tool = ? AND fingerprint = ? AND settled_at IS NULL
           AND decision IS NULL AND expires_at > ?`,
        ...same,
        request.createdAt,
      );
      const id = waiting === null ? pending.id : String(waiting["approval_id"]);
      this.db.run("DELETE FROM approvals WHERE id = ?", id);
      this.db.run(
        `UPDATE confirmations SET settled_at = ?, outcome = 'replaced'
         WHERE owner = ? AND tool = ? AND fingerprint = ? AND settled_at IS NULL`,
        request.createdAt,
        ...same,
      );
      this.#confirmations.insert(request, most);
      const { root, sessionId: session_id, client, summary } = pending;
      const place = JSON.stringify(pending.place);
      const token_hash = request.tokenHash;
      this.db.put("INSERT INTO approvals", {
        id,
        token_hash,
        root,
        session_id,
        client,
        place,
        summary,
      });
      return id;
    });
  }

  /** Up to two requests whose id begins with the text: none, the one meant, or proof that it is ambiguous. */
  byPrefix(prefix: string): PendingApproval[] {
    return this.db.all(
      `${SELECT} WHERE substr(approvals.id, 1, ?) = ? ORDER BY created_at DESC LIMIT 2`,
      prefix.length,
      prefix,
    ).map(toPending);
  }

  /** Requests, newest first: those that wait, or with `all` those that were settled or expired too. */
  list(now: number, all: boolean, limit: number): PendingApproval[] {
    const waiting = "WHERE settled_at IS NULL AND decision IS NULL AND expires_at > ?";
    return (all
      ? this.db.all(`${SELECT} ORDER BY created_at DESC, approvals.rowid DESC LIMIT ?`, limit)
      : this.db.all(
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
    return this.db.transaction(() => {
      const decided = this.db.run(
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
        this.db.run(
          `UPDATE confirmations SET settled_at = ?, outcome = 'declined' WHERE ${request}`,
          now,
          id,
        );
      } else {
        this.db.run(`UPDATE confirmations SET expires_at = ? WHERE ${request}`, expiresAt, id);
      }
      return true;
    });
  }
}
