/**
 * Records for the store's tests.
 *
 * @module
 */

import { runId } from "../../../../src/base/ids.ts";
import type {
  Lock,
  NewAuditEntry,
  NewConfirmation,
  NewEvent,
  NewRun,
} from "../../../../src/state/store/mod.ts";

/** A lock that nobody else may hold. */
export function alone(key: string): readonly Lock[] {
  return [{ key, shared: false }];
}

/** A run with plain values and no lock. */
export function newRun(fields: Partial<NewRun> = {}): NewRun {
  return {
    runId: runId(crypto.randomUUID()),
    root: "/space",
    ecosystem: "demo",
    ticket: null,
    action: "push",
    tool: "amof_push_ecosystem",
    args: {},
    locks: [],
    createdAt: 1000,
    sessionId: null,
    origin: "cli",
    requestedBy: "tester",
    confirmation: null,
    fingerprint: "f1",
    preview: {},
    inline: false,
    starter: null,
    ...fields,
  };
}

/** An entry of the audit log. */
export function decision(fields: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    at: 1000,
    door: "mcp",
    client: "editor 1.2",
    sessionId: "sess_1",
    root: "/space",
    ecosystem: "demo",
    tool: "amof_push_ecosystem",
    args: { repos: ["api"], nested: { n: null } },
    mode: "execute",
    decision: "allowed",
    way: "token",
    fingerprint: "f1",
    outcome: "ok",
    runId: "r1",
    ...fields,
  };
}

/** A log line. */
export function line(message: string, fields: Partial<NewEvent> = {}): NewEvent {
  return { at: 1000, level: "info", type: "log", message, ...fields };
}

/** A request as it is added. */
export function request(fields: Partial<NewConfirmation> = {}): NewConfirmation {
  return {
    tokenHash: crypto.randomUUID(),
    owner: "sess_1",
    tool: "amof_push_ecosystem",
    args: { repos: ["api"] },
    ecosystem: "demo",
    ticket: null,
    kind: "simple",
    typedValue: null,
    fingerprint: "f1",
    preview: { api: { head: "abc" } },
    createdAt: 1000,
    expiresAt: 301_000,
    tokenOnly: false,
    timeout: null,
    ...fields,
  };
}
