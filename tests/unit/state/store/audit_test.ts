// Covers AuditLog: entries come back as they were added, newest first, as a filter wants them.

import { assertEquals, assertMatch } from "@std/assert";
import type { AuditFilter, NewAuditEntry } from "../../../../src/state/store/mod.ts";
import { sha256 } from "../../../../src/base/hash.ts";
import { canonicalJson } from "../../../../src/base/policy/fingerprint.ts";
import { decision } from "./_records.ts";
import { openStore } from "../../../../src/state/store/open.ts";

const ENTRY: NewAuditEntry = decision();

/** The tools of entries that were added with some fields each, as a filter finds them. */
function found(
  filter: Omit<AuditFilter, "limit"> & { readonly limit?: number },
  ...entries: Partial<NewAuditEntry>[]
): string[] {
  const store = openStore(":memory:");
  for (const entry of entries) store.audit.add({ ...ENTRY, ...entry });
  const tools = store.audit.list({ limit: 10, ...filter }).map((entry) => entry.tool);
  store.close();
  return tools;
}

Deno.test("AuditLog.list() answers entries as they were added", () => {
  const store = openStore(":memory:");
  const bare: NewAuditEntry = { ...ENTRY, door: "cli", fingerprint: null, runId: null };
  store.audit.add(ENTRY);
  store.audit.add(bare);
  const posted: NewAuditEntry = { ...ENTRY, door: "http" };
  store.audit.add(posted);
  const found = store.audit.list({ limit: 10 });
  assertEquals(
    found,
    [{ ...posted, id: 3 }, { ...bare, id: 2 }, { ...ENTRY, id: 1 }].map((entry, n) => ({
      ...entry,
      evidence: null,
      ticket: null,
      hash: found[n]?.hash ?? "",
    })),
  );
  for (const { hash } of found) assertMatch(hash, /^[0-9a-f]{64}$/);
  store.close();
});

Deno.test("an entry about a ticket is chained with it, and all others as they always were", () => {
  const store = openStore(":memory:");
  store.audit.add(ENTRY);
  store.audit.add({ ...ENTRY, ticket: "PROJ-1" });
  const [plain, ticket] = store.audit.stored(0, 10);
  assertEquals("ticket" in (plain?.exported ?? {}), false);
  assertEquals(ticket?.exported["ticket"], "PROJ-1");
  assertEquals([plain?.digest(), ticket?.digest()], [plain?.hash, ticket?.hash]);
  const { hash: _, ...members } = plain?.exported ?? {};
  assertEquals(sha256(canonicalJson(members)), plain?.hash);
  assertEquals(store.audit.list({ limit: 9 }).map((entry) => entry.ticket), ["PROJ-1", null]);
  store.close();
});

Deno.test("AuditLog.list() shows the newest first, as many as asked for, and goes on from there", () => {
  const entries = ["a", "b", "c", "d"].map((tool) => ({ tool }));
  assertEquals(found({ limit: 2 }, ...entries), ["d", "c"]);
  assertEquals(found({ limit: 2, before: 3 }, ...entries), ["b", "a"]);
  assertEquals(found({ before: 1 }, ...entries), []);
});

const FILTERS:
  readonly (readonly [Partial<AuditFilter>, Partial<NewAuditEntry>, Partial<NewAuditEntry>])[] = [
    [{ since: 2 }, { at: 2 }, { at: 1 }],
    [{ until: 2 }, { at: 1 }, { at: 2 }],
    [{ root: "/space" }, { root: "/space" }, { root: "/other" }],
    [{ root: "/space" }, { root: "" }, { root: "/space/below" }],
    [{ ecosystem: "demo" }, { ecosystem: "demo" }, { ecosystem: "shop" }],
    [{ client: "EDITOR" }, { client: "my editor 2" }, { client: "tester@cli" }],
    [{ door: "cli" }, { door: "cli" }, { door: "mcp" }],
    [{ door: "http" }, { door: "http" }, { door: "mcp" }],
    [{ decision: "declined" }, { decision: "declined" }, { decision: "cancelled" }],
    [{ way: "human" }, { way: "human" }, { way: "token" }],
    [{ run: "4e8c" }, { runId: "4e8c1d72" }, { runId: "1d724e8c" }],
    [{ run: "4e8c" }, { runId: "4e8c1d72" }, { runId: null }],
  ];

for (const [filter, hit, miss] of FILTERS) {
  Deno.test(`AuditLog.list() finds ${JSON.stringify(filter)} in ${JSON.stringify(hit)} and not in ${JSON.stringify(miss)}`, () =>
    assertEquals(found(filter, { tool: "hit", ...hit }, { tool: "miss", ...miss }), ["hit"]));
}

Deno.test("AuditLog.list() finds a tool by part of its name, taken literally", () => {
  const entries = ["amof_push_ecosystem", "amof_sync_ecosystem"].map((tool) => ({ tool }));
  assertEquals(found({ tool: "push" }, ...entries), ["amof_push_ecosystem"]);
  assertEquals(found({ tool: "%" }, ...entries), []);
});

Deno.test("AuditLog.list() wants all of several conditions", () => {
  const both = { tool: "both", decision: "declined" as const, way: "human" as const };
  const entries = [both, { ...both, tool: "one", way: "token" as const }];
  assertEquals(found({ decision: "declined", way: "human" }, ...entries), ["both"]);
});

Deno.test("every entry holds the hash of the one before", () => {
  const store = openStore(":memory:");
  for (let turn = 0; turn < 3; turn++) store.audit.add(ENTRY);
  const entries = store.audit.stored(0, 10);
  assertEquals(
    entries.slice(1).map(({ previous }) => previous),
    entries.slice(0, -1).map(({ hash }) => hash),
  );
  store.close();
});

Deno.test("AuditLog.addOwed() adds the entry of a run unless one names it", () => {
  const store = openStore(":memory:");
  store.audit.addOwed({ ...ENTRY, runId: "run 1" });
  store.audit.addOwed({ ...ENTRY, runId: "run 1" });
  store.audit.addOwed({ ...ENTRY, runId: "run 2" });
  assertEquals(store.audit.list({ limit: 9 }).map((entry) => entry.runId), ["run 2", "run 1"]);
  store.close();
});
