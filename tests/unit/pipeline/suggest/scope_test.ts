/**
 * The scope that an answer speaks of.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { Fields } from "../../../../src/base/object.ts";
import type { Place } from "../../../../src/contract/place.ts";
import { effectiveScope } from "../../../../src/pipeline/suggest/definitions.ts";
import { runAnswer, situation } from "./_support.ts";

Deno.test("effectiveScope() is the tool's, wherever the session stands", () => {
  const scope = (tool: string, at: Place["scope"], code?: string, data: Fields = {}) =>
    effectiveScope(situation({ tool, at, data, ...(code === undefined ? {} : { code }) }));
  assertEquals(scope("amof_list_ecosystems", "global"), "global");
  assertEquals(scope("amof_list_ecosystems", "run"), "global");
  assertEquals(scope("amof_push_ecosystem", "global"), "ecosystem");
  assertEquals(scope("amof_push_ecosystem", "release"), "ecosystem");
  assertEquals(scope("amof_release_status", "run"), "release");
  assertEquals(scope("amof_server_stop", "run"), "server");
  assertEquals(scope("amof_list_runs", "server"), "global");
  assertEquals(scope("amof_list_runs", "run", undefined, { ecosystem: "demo" }), "ecosystem");
  assertEquals(scope("amof_set_mode", "run"), "run");
  assertEquals(scope("amof_switch_ecosystem", "ecosystem"), "ecosystem");
  assertEquals(scope("amof_get_server_status", "global"), "server");
  assertEquals(scope("amof_get_run_status", "run", "run_not_found"), "global");
  const { data } = runAnswer("amof_get_run_status", "success", "install");
  assertEquals(scope("amof_get_run_status", "run", undefined, data), "ecosystem");
});

Deno.test("effectiveScope() of a call about the session is the ecosystem that was named last, where it stands in none", () => {
  const scope = (tool: string, at: Place["scope"], code?: string) =>
    effectiveScope({
      ...situation({ tool, at, ...(code === undefined ? {} : { code }) }),
      ecosystem: "demo",
    });
  assertEquals(scope("amof_set_mode", "global"), "ecosystem");
  assertEquals(scope("amof_confirm", "global", "confirmation_invalid"), "ecosystem");
  assertEquals(scope("amof_confirm", "global", "mode_insufficient"), "ecosystem");
  assertEquals(scope("amof_set_mode", "run"), "run");
});
