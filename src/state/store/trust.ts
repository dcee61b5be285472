/**
 * What a person has approved to run on this machine: provisioners by the hash of their files, and commands for
 * repositories by the hash of what they run.
 */

import { StorePart } from "./sql.ts";

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
    this.db.run(
      `INSERT INTO trusted_provisioners (root, provisioner, hash, approved_at, approved_by)
       VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      root,
      provisioner,
      approval.hash,
      approval.approvedAt,
      approval.approvedBy,
    );
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
