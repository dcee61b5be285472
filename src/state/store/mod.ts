/** What the program remembers between calls, shared by all its processes (STATE-2). */

import type { Approvals, Confirmations } from "./confirmations.ts";
import type { AuditLog } from "./audit.ts";
import type { Borrowers, Environments, Seals, TicketPorts } from "./machine.ts";
import type { EventLog, JournalTable } from "./events.ts";
import type { Marks, Passkeys, Settings, SignInLinks, TrustedProvisioners } from "./person.ts";
import type { Runs } from "./runs.ts";

export {
  anchorDigits,
  type Anchored,
  ChainCheck,
  type Finding,
  type Link,
  MOST_FINDINGS,
  PROBLEMS,
  sealText,
} from "./chain.ts";
export {
  type Asker,
  type Confirmation,
  hashToken,
  type NewConfirmation,
  type PendingApproval,
} from "./confirmations.ts";
export {
  type AuditEntry,
  type AuditFilter,
  type Decision,
  DECISIONS,
  type NewAuditEntry,
  type Way,
  WAYS,
} from "./audit.ts";
export {
  type Borrower,
  type EnvironmentRecord,
  PORT_COUNT,
  type PortHolding,
  type SealRow,
} from "./machine.ts";
export {
  EVENT_TYPES,
  type EventLevel,
  type EventType,
  type JournalEntry,
  type JournalStep,
  JournalTable,
  LEVELS,
  type NewEvent,
  type RunEvent,
  type StepState,
  type UnfinishedJournal,
} from "./events.ts";
export { type Passkey, STORED_PARTS } from "./person.ts";
export { type Layout, layoutOf } from "../../base/system/layout.ts";
export {
  ACTIVE_STATUSES,
  type Lock,
  type NewRun,
  type RunRecord,
  type RunStatus,
  STATUSES,
} from "./run_record.ts";
export { type RunDay, Runs } from "./runs.ts";

/** The store: one object per table over one connection. */
export interface Store {
  readonly runs: Runs;
  readonly events: EventLog;
  readonly confirmations: Confirmations;
  readonly approvals: Approvals;
  readonly audit: AuditLog;
  readonly settings: Settings;
  readonly journal: JournalTable;
  readonly trust: TrustedProvisioners;
  readonly environments: Environments;
  readonly ports: TicketPorts;
  readonly borrowers: Borrowers;
  readonly seals: Seals;
  readonly signIn: SignInLinks;
  readonly passkeys: Passkeys;
  readonly marks: Marks;
  close(): void;
}
