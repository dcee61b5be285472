// Covers AuditLog: entries come back as they were added, newest first.

// @ts-types="@types/std/assert.d.ts"
import { assertEquals } from "@std/assert";
import type { AuditEntry } from "../../../src/store/mod.ts";
import { openStore } from "../../../src/store/open.ts";

const ENTRY: AuditEntry = {
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
};

Deno.test("AuditLog.list() answers entries as they were added", () => {
  const store = openStore(":memory:");
  const bare: AuditEntry = { ...ENTRY, door: "cli", fingerprint: null, runId: null };
  store.audit.add(ENTRY);
  store.audit.add(bare);
  assertEquals(store.audit.list(10), [bare, ENTRY]);
  store.close();
});

Deno.test("AuditLog.list() shows the newest first, as many as asked for", () => {
  const store = openStore(":memory:");
  for (const tool of ["a", "b", "c"]) store.audit.add({ ...ENTRY, tool });
  assertEquals(store.audit.list(2).map((entry) => entry.tool), ["c", "b"]);
  store.close();
});

Deno.test("AuditLog.list() shows entries since a moment", () => {
  const store = openStore(":memory:");
  for (const at of [1, 2, 3]) store.audit.add({ ...ENTRY, at });
  assertEquals(store.audit.list(10, 2).map((entry) => entry.at), [3, 2]);
  store.close();
});
