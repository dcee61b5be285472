/** What the program remembers between calls, shared by all its processes (STATE-2). */

import type { Approvals, Confirmations } from "./confirmations.ts";
import type { AuditLog } from "./audit.ts";
import type { Borrowers } from "./borrowers.ts";
import type { Environments } from "./environments.ts";
import type { EventLog } from "./events.ts";
import type { Passkeys, SignInLinks } from "./passkeys.ts";
import type { Marks, Settings } from "./settings.ts";
import type { Runs } from "./runs.ts";
import type { TicketPorts } from "./ports.ts";
import type { Seals } from "./seals.ts";
import type { JournalTable } from "./steps.ts";
import type { TrustedProvisioners } from "./trust.ts";

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
export type { Borrower } from "./borrowers.ts";
export type { EnvironmentRecord } from "./environments.ts";
export {
  EVENT_TYPES,
  type EventLevel,
  type EventType,
  LEVELS,
  type NewEvent,
  type RunEvent,
} from "./events.ts";
export {
  type JournalEntry,
  type JournalStep,
  JournalTable,
  type StepState,
  type UnfinishedJournal,
} from "./steps.ts";
export { STORED_PARTS } from "./settings.ts";
export { type Layout, layoutOf } from "../../base/system/layout.ts";
export {
  ACTIVE_STATUSES,
  type Lock,
  type NewRun,
  type RunRecord,
  type RunStatus,
  STATUSES,
} from "./run_record.ts";
export type { Passkey } from "./passkeys.ts";
export { PORT_COUNT, type PortHolding } from "./ports.ts";
export { type RunDay, Runs } from "./runs.ts";
export type { SealRow } from "./seals.ts";

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
