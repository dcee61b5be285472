/** What the program remembers of this machine: who borrows from mirrors, seals, ports, and environments. */

import { numberIn, StorePart, textIn } from "./sql.ts";
import { type RunId, runId } from "../../base/ids.ts";

// Which clones borrow objects from which mirror. Clones that were copied by hand are not known.

/** A clone that needs a mirror. */
export interface Borrower {
  /** The mirror, absolute. */
  readonly mirror: string;
  /** The clone, absolute. */
  readonly directory: string;
  /** The control repository of its ecosystem. */
  readonly root: string;
  readonly ecosystem: string;
  /** The ticket that the clone belongs to. */
  readonly ticket: string;
}

/** The borrowers. */
export class Borrowers extends StorePart {
  /** Notes that a clone borrows from this mirror, and from no other. */
  add({ mirror, directory, root, ecosystem, ticket }: Borrower): void {
    const row = { directory, mirror, root, ecosystem, ticket };
    this.db.put("INSERT OR REPLACE INTO borrowers", row);
  }

  /** Forgets the clone in a directory, and all clones below that directory. */
  remove(directory: string): void {
    this.db.run(
      `DELETE FROM borrowers WHERE directory = ? OR substr(directory, 1, length(?) + 1) IN (? || '/', ? || '\\')`,
      directory,
      directory,
      directory,
      directory,
    );
  }

  /** Who borrows from a mirror, by directory. */
  of(mirror: string): Borrower[] {
    return this.db.all("SELECT * FROM borrowers WHERE mirror = ? ORDER BY directory", mirror)
      .map(borrowerOf);
  }

  /** Everybody who borrows, by directory. */
  list(): Borrower[] {
    return this.db.all("SELECT * FROM borrowers ORDER BY directory").map(borrowerOf);
  }
}

function borrowerOf(row: Readonly<Record<string, unknown>>): Borrower {
  return {
    mirror: String(row["mirror"]),
    directory: String(row["directory"]),
    root: String(row["root"]),
    ecosystem: String(row["ecosystem"]),
    ticket: String(row["ticket"]),
  };
}

// What decided in each clone which programs git runs there, when that was last in order.

/** The seal of a clone. */
export interface SealRow {
  readonly digest: string;
  /** What is needed to name what has changed since, as JSON. */
  readonly parts: string;
  /** Milliseconds since the epoch. */
  readonly sealedAt: number;
  /** Who looked at it; null where nobody had to. */
  readonly sealedBy: string | null;
  /** Since when a process may have worked in it that could write there and nowhere else; null where none did. */
  readonly boxedAt: number | null;
}

/** The seals, by the absolute directory of the clone. */
export class Seals extends StorePart {
  /** The seal of a clone, or null. */
  get(directory: string): SealRow | null {
    const row = this.db.get(
      "SELECT digest, parts, sealed_at, sealed_by, boxed_at FROM seals WHERE directory = ?",
      directory,
    );
    return row === null ? null : {
      digest: String(row["digest"]),
      parts: String(row["parts"]),
      sealedAt: Number(row["sealed_at"]),
      sealedBy: textIn(row["sealed_by"]),
      boxedAt: numberIn(row["boxed_at"]),
    };
  }

  /** Whether a clone was sealed with a digest, and was not boxed since. */
  holds(directory: string, digest: string): boolean {
    return this.db.get(
      "SELECT 1 FROM seals WHERE directory = ? AND digest = ? AND boxed_at IS NULL",
      directory,
      digest,
    ) !== null;
  }

  /** Sets the seal of a clone; that it was boxed stays. */
  set(directory: string, { digest, parts, sealedAt, sealedBy }: Omit<SealRow, "boxedAt">): void {
    this.db.put(
      "INSERT INTO seals",
      { directory, digest, parts, sealed_at: sealedAt, sealed_by: sealedBy },
      `ON CONFLICT (directory) DO UPDATE SET digest = excluded.digest, parts = excluded.parts,
         sealed_at = excluded.sealed_at, sealed_by = excluded.sealed_by`,
    );
  }

  /** Notes that a process works in the clones below a directory that can write there and nowhere else. */
  markBoxed(directory: string, at: number): void {
    const below = `${directory.replace(/[/\\]$/, "")}/`;
    this.db.run(
      `UPDATE seals SET boxed_at = ? WHERE boxed_at IS NULL AND (directory = ? OR substr(directory, 1, ?) = ?)`,
      at,
      directory,
      below.length,
      below,
    );
  }

  /** Forgets the seals of a clone and of all below a directory. */
  forget(directory: string): void {
    const below = `${directory.replace(/[/\\]$/, "")}/`;
    this.db.run(
      "DELETE FROM seals WHERE directory = ? OR substr(directory, 1, ?) = ?",
      directory,
      below.length,
      below,
    );
  }

  /** Whether the clones of a control repository that were there before there were seals have been sealed. */
  hasBegun(root: string): boolean {
    return this.db.get("SELECT 1 AS one FROM sealed_roots WHERE root = ?", root) !== null;
  }

  /** Seals what was there before there were seals, all of it or nothing, and only once. */
  begin(root: string, at: number, found: ReadonlyMap<string, Omit<SealRow, "boxedAt">>): void {
    this.db.transaction(() => {
      if (this.hasBegun(root)) return;
      for (const [directory, seal] of found) {
        if (this.get(directory) === null) this.set(directory, seal);
      }
      this.db.put("INSERT INTO sealed_roots", { root, begun_at: at });
    });
  }
}

// The ranges of ports that ticket workspaces of this machine hold, so that what runs in one is in nobody's way in
// another. A range belongs to one directory and is nobody else's as long as its row stands.

/** How many ports a ticket gets. */
export const PORT_COUNT = 20;
/** The first port of the first range. */
export const FIRST_PORT = 20_000;
/** The last port of the last range. */
export const LAST_PORT = 31_999;

/** How many ranges there are. */
const RANGES = (LAST_PORT - FIRST_PORT + 1) / PORT_COUNT;

/** Whose range it is. */
export interface PortHolding {
  /** The directory of the ticket, absolute. */
  readonly directory: string;
  readonly root: string;
  readonly ecosystem: string;
  readonly ticket: string;
}

interface HeldPorts extends PortHolding {
  /** The first port of it. */
  readonly base: number;
}

/** The ranges that are held. */
export class TicketPorts extends StorePart {
  /** The first port of the range of a directory, or null. */
  of(directory: string): number | null {
    const row = this.db.get("SELECT base FROM ticket_ports WHERE directory = ?", directory);
    return row === null ? null : Number(row["base"]);
  }

  /** All that are held, by port. */
  list(): HeldPorts[] {
    return this.db.all("SELECT * FROM ticket_ports ORDER BY base").map((row) => ({
      base: Number(row["base"]),
      directory: String(row["directory"]),
      root: String(row["root"]),
      ecosystem: String(row["ecosystem"]),
      ticket: String(row["ticket"]),
    }));
  }

  /** Takes the lowest free range for a directory, or answers the one that it has; null when none is free. */
  take({ directory, root, ecosystem, ticket }: PortHolding): number | null {
    return this.db.transaction(() => {
      const own = this.of(directory);
      if (own !== null) return own;
      const taken = new Set(this.list().map(({ base }) => base));
      for (let range = 0; range < RANGES; range++) {
        const base = FIRST_PORT + range * PORT_COUNT;
        if (taken.has(base)) continue;
        this.db.put("INSERT INTO ticket_ports", { base, directory, root, ecosystem, ticket });
        return base;
      }
      return null;
    });
  }

  /** Frees the range of a directory; false when it had none. */
  free(directory: string): boolean {
    return this.db.run("DELETE FROM ticket_ports WHERE directory = ?", directory) > 0;
  }
}

// What this machine has done to the environment of each ecosystem and of each ticket (SPIN-9). Kept apart from the runs, which are
// pruned while environments still stand.

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
    const { action, outcome, provisioner, hash, deployed } = record;
    this.db.put("INSERT OR REPLACE INTO environments", {
      ...{ root, ecosystem, ticket: ticket ?? "", action, outcome, provisioner, hash },
      run_id: record.runId,
      changed_at: record.changedAt,
      deployed_at: deployed?.at ?? null,
      deployed_by: deployed?.provisioner ?? null,
      deployed_hash: deployed?.hash ?? null,
    });
  }
}
