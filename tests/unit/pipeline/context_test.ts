// Covers contexts: what only looks gets a world that refuses every change, and no call has a higher mode than it may.

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { makeApp } from "../../../src/pipeline/app.ts";
import { effectiveMode, readContext } from "../../../src/pipeline/context.ts";
import { loadCommand } from "../../../src/pipeline/registry.ts";
import { Session } from "../../../src/pipeline/session.ts";
import { AmofError } from "../../../src/base/error.ts";
import { type Mode, MODES } from "../../../src/base/policy/mode.ts";
import { layoutOf } from "../../../src/state/store/mod.ts";
import { ReadOnlyViolation } from "../../../src/base/system/read_only.ts";
import { memoryWorld } from "../../support/memory.ts";
import { rememberingReporter } from "../_support.ts";

function session(mode: Mode, maxMode: Mode): Session {
  return new Session({ id: "sess_1", owner: "owner", mode, maxMode });
}

Deno.test("readContext() has a world that refuses every change, also by git", async () => {
  const { system } = memoryWorld({ env: { HOME: "/home/me" } });
  const app = makeApp(system, layoutOf(system.env), { root: null, jobs: null });
  const caller = {
    session: session("execute", "execute"),
    door: "mcp" as const,
    client: "test",
    signal: new AbortController().signal,
    report: rememberingReporter(),
  };
  const ctx = readContext(app, caller, { root: "", ecosystem: "", ticket: null });
  assertThrows(() => ctx.system.files.write("/a", ""), ReadOnlyViolation);
  await assertRejects(
    () => ctx.git.at("/repo", "repo").refs.create("refs/heads/a", "1".repeat(40)),
    ReadOnlyViolation,
  );
});

Deno.test("effectiveMode() is what a call asks for, at most what its session may have", async () => {
  const command = await loadCommand("amof_push_ecosystem");
  if (command === null) throw new TypeError("There is no such command");
  for (const maxMode of MODES) {
    const door = "mcp" as const;
    assertEquals(effectiveMode({ session: session("ask", maxMode), door }, command), "ask");
    for (const mode of MODES) {
      const work = () => effectiveMode({ session: session("ask", maxMode), door }, command, mode);
      if (MODES.indexOf(mode) <= MODES.indexOf(maxMode)) assertEquals(work(), mode);
      else assertEquals(assertThrows(work, AmofError).code, "mode_insufficient");
    }
  }
});
