// Covers which members of an input only a person may type.

import { assertEquals } from "@std/assert";
import { z } from "zod";
import { isOnlyTyped, onlyTyped, schemaKey } from "../../../src/contract/input.ts";

Deno.test("isOnlyTyped() knows such a member by its schema in either form, and no other", () => {
  assertEquals(isOnlyTyped(onlyTyped(z.boolean().optional())), true);
  assertEquals(isOnlyTyped(z.boolean().meta({ title: "cli" })), false);
  assertEquals(isOnlyTyped({ type: "boolean", [schemaKey("x-only")]: "cli" }), true);
  assertEquals(isOnlyTyped({ type: "boolean" }), false);
});
