/** Opens the store. Kept apart from `mod.ts`, so that what only names its types does not load SQLite. */

import { dirname, join } from "@std/path";
import { Anchor } from "./chain.ts";
import { Approvals, Confirmations } from "./confirmations.ts";
import { AuditLog } from "./audit.ts";
import { Borrowers, Environments, Seals, TicketPorts } from "./machine.ts";
import { openDatabase } from "./database.ts";
import { EventLog, JournalTable } from "./events.ts";
import { Marks, Passkeys, Settings, SignInLinks, TrustedProvisioners } from "./person.ts";
import type { Store } from "./mod.ts";
import { Runs } from "./runs.ts";

/** Opens the store at a path, or a private one with `:memory:`. */
export function openStore(path: string): Store {
  const database = openDatabase(path);
  const confirmations = new Confirmations(database);
  return {
    runs: new Runs(database),
    events: new EventLog(database),
    confirmations,
    approvals: new Approvals(database, confirmations),
    audit: new AuditLog(
      database,
      path === ":memory:" ? null : new Anchor(join(dirname(path), "audit.anchor")),
    ),
    settings: new Settings(database),
    journal: new JournalTable(database),
    trust: new TrustedProvisioners(database),
    environments: new Environments(database),
    ports: new TicketPorts(database),
    borrowers: new Borrowers(database),
    seals: new Seals(database),
    signIn: new SignInLinks(database),
    passkeys: new Passkeys(database),
    marks: new Marks(database),
    close: () => database.close(),
  };
}
