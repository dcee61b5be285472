// Covers Settings: named values that can be replaced.

import { assertEquals } from "@std/assert";
import { openStore } from "../../../../src/state/store/open.ts";

Deno.test("Settings.get() is null for what was never set", () => {
  const store = openStore(":memory:");
  assertEquals(store.settings.get("choice"), null);
  store.close();
});

Deno.test("Settings.set() replaces a value and leaves others alone", () => {
  const store = openStore(":memory:");
  store.settings.set("a", "1");
  store.settings.set("b", "");
  store.settings.set("a", "2");
  assertEquals([store.settings.get("a"), store.settings.get("b")], ["2", ""]);
  store.close();
});
