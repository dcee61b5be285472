// Runs that work in one place meet, however it is spelt, and others do not.

import { assertEquals } from "@std/assert";
import { locksAt } from "../../../src/runs/start.ts";

const keys = (ticket: string | null, root = "/control") =>
  locksAt("scope", { root, ecosystem: "shop", ticket }).filter(({ shared }) => !shared)
    .map(({ key }) => key).join();

Deno.test("locksAt() takes two spellings of a ticket for one place, and other tickets, the base and other roots for others", () => {
  assertEquals(keys("PROJ-1"), keys("proj-1"));
  const all = [keys("PROJ-1"), keys("PROJ-2"), keys(null), keys("PROJ-1", "/other")];
  assertEquals(new Set(all).size, all.length);
});
