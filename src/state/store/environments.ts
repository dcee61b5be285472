/**
 * What this machine has done to the environment of each ecosystem and of each ticket (SPIN-9). Kept apart from the runs, which are
 * pruned while environments still stand.
 */

import { type RunId, runId } from "../../base/ids.ts";
import { StorePart } from "./sql.ts";

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
  readonly deployed:
    | { readonly at: number; readonly provisioner: string; readonly hash: string }
    | null;
}

interface EnvironmentPlace {
  readonly root: string;
  readonly ecosystem: string;
  /** The ticket with a workspace of its own that it is for; null for that of the base workspace. */
  readonly ticket: string | null;
}

/** The environments. */
export class Environments extends StorePart {
  /** The record of an environment; null when nothing was ever done to it from here. */
  get({ root, ecosystem, ticket }: EnvironmentPlace): EnvironmentRecord | null {
    const row = this.db.get(
      "SELECT * FROM environments WHERE root = ? AND ecosystem = ? AND ticket = ?",
      root,
      ecosystem,
      ticket ?? "",
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
  remove({ root, ecosystem, ticket }: EnvironmentPlace): void {
    this.db.run(
      "DELETE FROM environments WHERE root = ? AND ecosystem = ? AND ticket = ?",
      root,
      ecosystem,
      ticket ?? "",
    );
  }

  /** The tickets of an ecosystem to whose environments something was done, in the order of their ids. */
  tickets(root: string, ecosystem: string): string[] {
    return this.db.all(
      `SELECT ticket FROM environments WHERE root = ? AND ecosystem = ? AND ticket <> ''
       ORDER BY ticket`,
      root,
      ecosystem,
    ).map((row) => String(row["ticket"]));
  }

  /** Puts a record in the place of the one before. */
  set({ root, ecosystem, ticket }: EnvironmentPlace, record: EnvironmentRecord): void {
    const { deployed } = record;
    this.db.run(
      `INSERT OR REPLACE INTO environments (root, ecosystem, ticket, action, outcome, run_id, changed_at,
         provisioner, hash, deployed_at, deployed_by, deployed_hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      root,
      ecosystem,
      ticket ?? "",
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
