/**
 * The passkeys with which a person approves in a server's pages, and the links with which one signs in there, each once
 * and for two minutes (SIGN-1). Passkeys belong to the user, not to one control repository.
 */

import { type Row, StorePart } from "./sql.ts";
import { sha256 } from "../../base/hash.ts";

/** The links that were handed out. Only their hashes are kept. */
export class SignInLinks extends StorePart {
  /** Adds a link to one server, and forgets those that have been over for a day. */
  add(code: string, { instance, user, now, expiresAt }: {
    readonly instance: string;
    readonly user: string;
    readonly now: number;
    readonly expiresAt: number;
  }): void {
    this.db.transaction(() => {
      this.db.run("DELETE FROM sign_in_links WHERE expires_at < ?", now - 86_400_000);
      this.db.run(
        "INSERT INTO sign_in_links (code_hash, instance, user, expires_at) VALUES (?, ?, ?, ?)",
        sha256(code),
        instance,
        user,
        expiresAt,
      );
    });
  }

  /** Uses a link up; answers what came of it, and for whom it was made. */
  use(
    code: string,
    instance: string,
    now: number,
  ): { readonly use: "accepted" | "used" | "expired" | "unknown"; readonly user: string } {
    return this.db.transaction(() => {
      const hash = sha256(code);
      const row = this.db.get(
        "SELECT user, expires_at, used_at FROM sign_in_links WHERE code_hash = ? AND instance = ?",
        hash,
        instance,
      );
      if (row === null) return { use: "unknown", user: "" };
      const user = String(row["user"]);
      if (row["used_at"] !== null) return { use: "used", user };
      if (Number(row["expires_at"]) <= now) return { use: "expired", user };
      this.db.run("UPDATE sign_in_links SET used_at = ? WHERE code_hash = ?", now, hash);
      return { use: "accepted", user };
    });
  }
}

/** A passkey that was registered. */
export interface Passkey {
  /** The id of the credential, base64url. */
  readonly id: string;
  /** What its owner calls it. */
  readonly name: string;
  /** As COSE, base64url. */
  readonly publicKey: string;
  /** How often it has signed, as far as it tells; a smaller number later means a copy. */
  readonly counter: number;
  /** How it can be reached, as it said itself. */
  readonly transports: readonly string[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

function fromRow(row: Row): Passkey {
  return {
    id: String(row["id"]),
    name: String(row["name"]),
    publicKey: String(row["public_key"]),
    counter: Number(row["counter"]),
    transports: JSON.parse(String(row["transports"])) as readonly string[],
    createdAt: Number(row["created_at"]),
    lastUsedAt: row["last_used_at"] === null ? null : Number(row["last_used_at"]),
  };
}

/** The passkeys. */
export class Passkeys extends StorePart {
  /** All of them, the oldest first. */
  list(): Passkey[] {
    return this.db.all("SELECT * FROM passkeys ORDER BY created_at, rowid").map(fromRow);
  }

  /** Adds one; false when it is there already. */
  add({ id, name, publicKey, counter, transports, createdAt }: Passkey): boolean {
    return this.db.run(
      `INSERT INTO passkeys (id, name, public_key, counter, transports, created_at)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      id,
      name,
      publicKey,
      counter,
      JSON.stringify(transports),
      createdAt,
    ) === 1;
  }

  /** Notes that one has signed. */
  used(id: string, counter: number, now: number): void {
    this.db.run(
      "UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ?",
      counter,
      now,
      id,
    );
  }

  /** Removes all; answers how many there were. */
  clear(): number {
    return this.db.run("DELETE FROM passkeys");
  }

  /** Removes one; false when there is none such. */
  remove(id: string): boolean {
    return this.db.run("DELETE FROM passkeys WHERE id = ?", id) === 1;
  }
}
