/**
 * What this machine has done to the environment of each ecosystem. Kept apart from the runs, which are
 * pruned while environments still stand.
 *
 * @module
 */

import { type RunId, runId } from "../ids.ts";
import type { Database } from "./sql.ts";

/** What was last done to an environment, and how that ended. Times are milliseconds since the epoch. */
export interface EnvironmentRecord {
  readonly action: "deploy" | "destroy";
  /** `begun` until the provisioner has ended; it stays so when the worker dies. */
  readonly outcome: "begun" | "done" | "failed";
  readonly runId: RunId;
  readonly changedAt: number;
  readonly provisioner: string;
  /** Hash of the provisioner's files. */
  readonly hash: string;
  /** The last deploy that ended well and was not destroyed since; null without one. */
  readonly deployed: EnvironmentDeployed | null;
}

/** With what an environment was deployed. */
export interface EnvironmentDeployed {
  readonly at: number;
  readonly provisioner: string;
  readonly hash: string;
}

/** The environments. */
export class Environments {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The record of an ecosystem's environment; null when nothing was ever done to it from here. */
  get(root: string, ecosystem: string): EnvironmentRecord | null {
    const row = this.#db.get(
      "SELECT * FROM environments WHERE root = ? AND ecosystem = ?",
      root,
      ecosystem,
    );
    if (row === null) return null;
    const outcome = row["outcome"];
    return {
      action: row["action"] === "destroy" ? "destroy" : "deploy",
      outcome: outcome === "done" || outcome === "failed" ? outcome : "begun",
      runId: runId(String(row["run_id"])),
      changedAt: Number(row["changed_at"]),
      provisioner: String(row["provisioner"]),
      hash: String(row["hash"]),
      deployed: typeof row["deployed_at"] !== "number" ? null : {
        at: row["deployed_at"],
        provisioner: String(row["deployed_by"]),
        hash: String(row["deployed_hash"]),
      },
    };
  }

  /** Forgets an environment. */
  remove(root: string, ecosystem: string): void {
    this.#db.run("DELETE FROM environments WHERE root = ? AND ecosystem = ?", root, ecosystem);
  }

  /** Puts a record in the place of the one before. */
  set(root: string, ecosystem: string, record: EnvironmentRecord): void {
    const { deployed } = record;
    this.#db.run(
      `INSERT OR REPLACE INTO environments (root, ecosystem, action, outcome, run_id, changed_at,
         provisioner, hash, deployed_at, deployed_by, deployed_hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      root,
      ecosystem,
      record.action,
      record.outcome,
      record.runId,
      record.changedAt,
      record.provisioner,
      record.hash,
      deployed?.at ?? null,
      deployed?.provisioner ?? null,
      deployed?.hash ?? null,
    );
  }
}
