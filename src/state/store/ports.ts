/**
 * The ranges of ports that ticket workspaces of this machine hold, so that what runs in one is in nobody's way in
 * another. A range belongs to one directory and is nobody else's as long as its row stands.
 */

import { StorePart } from "./sql.ts";

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
        this.db.run(
          "INSERT INTO ticket_ports (base, directory, root, ecosystem, ticket) VALUES (?, ?, ?, ?, ?)",
          base,
          directory,
          root,
          ecosystem,
          ticket,
        );
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
