// Covers TrustedProvisioners and Environments: what is kept about provisioners and what they made.

import { runId } from "../../../../src/base/ids.ts";
import { assertEquals } from "@std/assert";
import type { EnvironmentRecord } from "../../../../src/state/store/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";

const approval = (hash: string) => ({ hash, approvedAt: 5, approvedBy: "tester@cli" });

Deno.test("TrustedProvisioners knows only the same content of the same provisioner and root", () => {
  const { trust, close } = openStore(":memory:");
  trust.approve("/a", "local", approval("h1"));
  trust.approve("/a", "local", approval("h1"));
  trust.approve("/a", "local", approval("h2"));
  assertEquals(trust.find("/a", "local", "h1"), approval("h1"));
  assertEquals(trust.find("/a", "local", "h3"), null);
  assertEquals(trust.find("/b", "local", "h1"), null);
  assertEquals(trust.find("/a", "other", "h1"), null);
  assertEquals(trust.count("/a", "local"), 2);
  close();
});

Deno.test("TrustedProvisioners.revoke() takes back every content of one provisioner", () => {
  const { trust, close } = openStore(":memory:");
  for (const hash of ["h1", "h2"]) trust.approve("/a", "local", approval(hash));
  trust.approve("/a", "other", approval("h1"));
  assertEquals(trust.revoke("/a", "local"), 2);
  assertEquals(trust.count("/a", "local"), 0);
  assertEquals(trust.count("/a", "other"), 1);
  assertEquals(trust.revoke("/a", "local"), 0);
  close();
});

const DEMO = { root: "/a", ecosystem: "demo", ticket: null };

Deno.test("Environments keeps the newest record of each ecosystem, and of each ticket", () => {
  const { environments, close } = openStore(":memory:");
  const record: EnvironmentRecord = {
    action: "deploy",
    outcome: "begun",
    runId: runId("r1"),
    changedAt: 1,
    provisioner: "local",
    hash: "h1",
    deployed: null,
  };
  assertEquals(environments.get(DEMO), null);
  environments.set(DEMO, record);
  const done: EnvironmentRecord = {
    ...record,
    outcome: "done",
    changedAt: 2,
    deployed: { at: 2, provisioner: "local", hash: "h1" },
  };
  environments.set(DEMO, done);
  assertEquals(environments.get(DEMO), done);
  assertEquals(environments.get({ ...DEMO, ecosystem: "other" }), null);
  environments.set(DEMO, { ...done, action: "destroy", outcome: "failed", changedAt: 3 });
  assertEquals(environments.get(DEMO)?.deployed, done.deployed);
  const own = { ...DEMO, ticket: "PROJ-1" };
  assertEquals(environments.get(own), null);
  environments.set(own, record);
  assertEquals(environments.tickets("/a", "demo"), ["PROJ-1"]);
  assertEquals(environments.tickets("/a", "other"), []);
  environments.remove(DEMO);
  assertEquals(environments.get(DEMO), null);
  assertEquals(environments.get(own), record);
  close();
});
