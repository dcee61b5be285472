// Covers workOn(): how a run ends that works, fails, is cancelled before it begins or meanwhile, or too late.

import { assertEquals } from "@std/assert";
import { asCancelled, workOn } from "../../../src/pipeline/run_work.ts";
import type { Result } from "../../../src/contract/mod.ts";
import { AmofError } from "../../../src/base/error.ts";
import type { Fields } from "../../../src/base/object.ts";
import { openStore } from "../../../src/state/store/open.ts";
import { memoryWorld } from "../../support/memory.ts";
import { newRun } from "../state/store/_records.ts";

const DONE: Result<Fields> = { data: { pushed: 1 } };

/** Work that goes on until it is ended; it gives up by itself where nobody ends it. */
function lasting(signal: AbortSignal): Promise<Result<Fields>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(DONE), 10_000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new AmofError("git_failed", "git was ended"));
    });
  });
}

for (
  const [what, cancelled, work, status, error] of [
    ["works", "never", () => Promise.resolve(DONE), "success", null],
    [
      "fails",
      "never",
      () => Promise.reject(new AmofError("git_failed", "no")),
      "failed",
      "git_failed",
    ],
    ["is cancelled before it begins", "before", () => Promise.resolve(DONE), "cancelled", null],
    ["is cancelled meanwhile", "meanwhile", lasting, "cancelled", "cancelled"],
    ["is cancelled when all is done", "meanwhile", () => Promise.resolve(DONE), "success", null],
    [
      "is cancelled and fails before it notices",
      "meanwhile",
      () => Promise.reject(new AmofError("git_failed", "git was ended")),
      "cancelled",
      "cancelled",
    ],
  ] as readonly (readonly [
    string,
    "never" | "before" | "meanwhile",
    (signal: AbortSignal) => Promise<Result<Fields>>,
    string,
    string | null,
  ])[]
) {
  Deno.test(`workOn() ends a run that ${what} as ${status}`, async () => {
    const store = openStore(":memory:");
    const { system } = memoryWorld();
    const run = newRun();
    store.runs.add(run);
    const { runId } = run;
    if (cancelled === "before") store.runs.move(runId, "cancelled", 1);
    let began = false;
    const end = await workOn(
      { store, system, runId, action: "push", abort: new AbortController() },
      (_, signal) => {
        began = true;
        if (cancelled === "meanwhile") store.runs.requestCancel(runId, 1);
        return work(signal);
      },
    );
    const found = store.runs.get(runId);
    assertEquals([found?.status, end?.failure?.code ?? null], [status, error]);
    assertEquals(began, cancelled !== "before");
    store.close();
  });
}

Deno.test("asCancelled() tells an interrupt, and no change where that left something unread", () => {
  const said = (code: "git_failed" | "confirmation_stale" | "cancelled") =>
    asCancelled(new AmofError(code, "Things changed; nothing was done")).message;
  assertEquals([said("git_failed"), said("confirmation_stale"), said("cancelled")], [
    "Stopped on request: Things changed; nothing was done",
    "Stopped on request; nothing was done",
    "Things changed; nothing was done",
  ]);
});
