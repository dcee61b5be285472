// Covers nextSteps(): a person is shown at most two, and only those that follow from an answer (NEXT-12).

import { assertEquals } from "@std/assert";
import { nextSteps, wantsNextSteps } from "../../../../src/doors/cli/render.ts";
import type { Outcome } from "../../../../src/pipeline/envelope.ts";
import { findCommand } from "../../../../src/pipeline/registry.ts";

/** An answer with suggested actions, as pairs of id and tool, or with the condition that is their reason. */
function answer(
  tool: string,
  actions: readonly (readonly [id: string, tool: string, condition?: string])[],
  envelope: Readonly<Record<string, unknown>> = {},
  isError = false,
): Outcome {
  return {
    command: findCommand(tool),
    isError,
    envelope,
    actions: actions.map(([id, called, condition]) => ({
      id,
      tool: called,
      args: { ecosystem: "demo" },
      ...(condition === undefined ? {} : { condition }),
    })),
  } as unknown as Outcome;
}

const STATUS = ["get_ecosystem_status", "amof_get_ecosystem_status"] as const;
const SYNC = ["sync_ecosystem", "amof_sync_ecosystem"] as const;

Deno.test("nextSteps() names what has a reason, and never more than two", () => {
  assertEquals(
    nextSteps(answer("amof_get_ecosystem_status", [
      ["push_ecosystem", "amof_push_ecosystem", "status.has_unpushed"],
      SYNC,
      ["ticket_list", "amof_ticket_list", "workspace.no_active_ticket"],
      ["list_runs", "amof_list_runs", "run.running"],
    ])),
    ["amof -e demo push", "amof -e demo ticket list"],
  );
});

Deno.test("nextSteps() leads from create to install, and from install to status and a ticket", () => {
  const created = { name: "shop", commit: "1a2b3c4" };
  assertEquals(nextSteps(answer("amof_create_ecosystem", [STATUS], created)), [
    "amof -e shop install",
  ]);
  // Of clones that are there the answer names two ways to go on.
  const adopted = { name: "shop", commit: "1a2b3c4", kind: "directory" };
  assertEquals(nextSteps(answer("amof_create_ecosystem", [STATUS], adopted)), []);
  const reason = "run.success";
  assertEquals(
    nextSteps(answer("amof_install_ecosystem", [
      [...STATUS, reason],
      [...SYNC, reason],
      ["ticket_start", "amof_ticket_start", reason],
    ])),
    ["amof -e demo status", "amof -e demo ticket start"],
  );
});

Deno.test("nextSteps() leads from a run that goes on to its log and its end, not to the same again", () => {
  const looks = [
    ["get_run_status", "amof_get_run_status", "run.running"],
    ["get_run_logs", "amof_get_run_logs", "run.running"],
  ] as const;
  assertEquals(nextSteps(answer("amof_get_run_status", looks, { status: "running" })), [
    "amof -e demo runs logs --follow",
    "amof -e demo runs cancel",
  ]);
  assertEquals(nextSteps(answer("amof_summarize_run", looks, { status: "running" })), [
    "amof -e demo runs status",
    "amof -e demo runs logs --follow",
  ]);
  assertEquals(nextSteps(answer("amof_get_run_status", looks, { status: "success" })), [
    "amof -e demo runs status",
    "amof -e demo runs logs",
  ]);
});

Deno.test("nextSteps() leads from a commit to the push", () => {
  assertEquals(
    nextSteps(answer("amof_commit_ecosystem", [
      ["push_ecosystem", "amof_push_ecosystem"],
      STATUS,
    ])),
    ["amof -e demo push"],
  );
});

Deno.test("nextSteps() is silent where nothing follows, and where a hint says what to do", () => {
  assertEquals(nextSteps(answer("amof_sync_ecosystem", [[...STATUS, "run.success"]])), []);
  assertEquals(nextSteps(answer("amof_push_ecosystem", [STATUS], { execute_hint: "Do it" })), []);
  const failed = answer("amof_push_ecosystem", [[...STATUS, "run.failed"]], {}, true);
  assertEquals(nextSteps(failed), []);
});

Deno.test("wantsNextSteps() only at a terminal, unless somebody wants them off", () => {
  const terminal = { stdoutIsTerminal: true, stderrIsTerminal: true };
  assertEquals(wantsNextSteps(terminal, { quiet: false }), true);
  assertEquals(wantsNextSteps(terminal, { quiet: true }), false);
  assertEquals(wantsNextSteps(terminal, { quiet: false, nextSteps: false }), false);
  assertEquals(wantsNextSteps({ ...terminal, stdoutIsTerminal: false }, { quiet: false }), false);
});
