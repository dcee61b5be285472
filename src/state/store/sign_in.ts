/** Links with which a person signs in to a server's pages, each once and for two minutes (SIGN-1). */

import { sha256 } from "../../base/hash.ts";
import type { Database } from "./sql.ts";

/** The links that were handed out. Only their hashes are kept. */
export class SignInLinks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Adds a link to one server, and forgets those that have been over for a day. */
  add(code: string, { instance, user, now, expiresAt }: {
    readonly instance: string;
    readonly user: string;
    readonly now: number;
    readonly expiresAt: number;
  }): void {
    this.#db.transaction(() => {
      this.#db.run("DELETE FROM sign_in_links WHERE expires_at < ?", now - 86_400_000);
      this.#db.run(
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
    return this.#db.transaction(() => {
      const hash = sha256(code);
      const row = this.#db.get(
        "SELECT user, expires_at, used_at FROM sign_in_links WHERE code_hash = ? AND instance = ?",
        hash,
        instance,
      );
      if (row === null) return { use: "unknown", user: "" };
      const user = String(row["user"]);
      if (row["used_at"] !== null) return { use: "used", user };
      if (Number(row["expires_at"]) <= now) return { use: "expired", user };
      this.#db.run("UPDATE sign_in_links SET used_at = ? WHERE code_hash = ?", now, hash);
      return { use: "accepted", user };
    });
  }
}
