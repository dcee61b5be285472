/** What the program remembers of its user: small named values, approvals of programs, and passkeys. */

import { numberIn, type Row, StorePart } from "./sql.ts";
import { sha256 } from "../../base/hash.ts";

// Small named values the program remembers for its user.

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
    this.db.put("INSERT INTO settings", { name, value: make() }, "ON CONFLICT (name) DO NOTHING");
    return this.get(name) ?? make();
  }

  /** Sets a value. */
  set(name: string, value: string): void {
    const rest = "ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    this.db.put("INSERT INTO settings", { name, value }, rest);
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

// What a person has approved to run on this machine: provisioners by the hash of their files, and commands for
// repositories by the hash of what they run.

interface TrustedProvisioner {
  /** SHA-256 of the provisioner's files, or of what a command runs. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly approvedAt: number;
  readonly approvedBy: string;
}

/**
 * The approvals. Each is for one content of one provisioner of one control repository, or of one command; names of
 * commands have a slash, those of provisioners none.
 */
export class TrustedProvisioners extends StorePart {
  /** The approval of exactly this content, or null. */
  find(root: string, provisioner: string, hash: string): TrustedProvisioner | null {
    const row = this.db.get(
      `SELECT hash, approved_at, approved_by FROM trusted_provisioners
       WHERE root = ? AND provisioner = ? AND hash = ?`,
      root,
      provisioner,
      hash,
    );
    return row === null ? null : {
      hash: String(row["hash"]),
      approvedAt: Number(row["approved_at"]),
      approvedBy: String(row["approved_by"]),
    };
  }

  /** How many contents of a provisioner are approved. */
  count(root: string, provisioner: string): number {
    return Number(
      this.db.get(
        "SELECT count(*) AS n FROM trusted_provisioners WHERE root = ? AND provisioner = ?",
        root,
        provisioner,
      )?.["n"] ?? 0,
    );
  }

  /** The approvals whose names begin so, by name, the newest of each first. */
  list(root: string, prefix: string): (TrustedProvisioner & { readonly name: string })[] {
    return this.db.all(
      `SELECT provisioner, hash, approved_at, approved_by FROM trusted_provisioners
       WHERE root = ? AND substr(provisioner, 1, ?) = ? ORDER BY provisioner, approved_at DESC`,
      root,
      prefix.length,
      prefix,
    ).map((row) => ({
      name: String(row["provisioner"]),
      hash: String(row["hash"]),
      approvedAt: Number(row["approved_at"]),
      approvedBy: String(row["approved_by"]),
    }));
  }

  /** Approves a content. */
  approve(root: string, provisioner: string, approval: TrustedProvisioner): void {
    const { hash, approvedAt: approved_at, approvedBy: approved_by } = approval;
    const row = { root, provisioner, hash, approved_at, approved_by };
    this.db.put("INSERT INTO trusted_provisioners", row, "ON CONFLICT DO NOTHING");
  }

  /** Takes back every approval of a provisioner; answers how many there were. */
  revoke(root: string, provisioner: string): number {
    return this.db.run(
      "DELETE FROM trusted_provisioners WHERE root = ? AND provisioner = ?",
      root,
      provisioner,
    );
  }
}

// The passkeys with which a person approves in a server's pages, and the links with which one signs in there, each once
// and for two minutes (SIGN-1). Passkeys belong to the user, not to one control repository.

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
      const row = { code_hash: sha256(code), instance, user, expires_at: expiresAt };
      this.db.put("INSERT INTO sign_in_links", row);
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
    lastUsedAt: numberIn(row["last_used_at"]),
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
    const row = {
      id,
      name,
      public_key: publicKey,
      counter,
      transports: JSON.stringify(transports),
      created_at: createdAt,
    };
    return this.db.put("INSERT INTO passkeys", row, "ON CONFLICT DO NOTHING") === 1;
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
