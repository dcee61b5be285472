/**
 * How it ended in a repository, from what its shard told and what the engine says of the shard.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { rowAt } from "../../../../../src/commands/exec/engine/run.ts";
import { noteOf } from "../../../../../src/commands/exec/invocation/answer.ts";
import type { ArrayEnd, ItemEnd, ShardView } from "../../../../../src/engine/mod.ts";
import { repoName } from "../../../../../src/base/ids.ts";

const PLACE = {
  name: repoName("a"),
  directory: "",
  workspace: "",
  layer: null,
  cloned: true,
  untrusted: [],
  remote: null,
};

function outcome(
  item: Pick<ItemEnd, "state" | "signal">,
  view: Pick<ShardView, "state" | "reason">,
  cancelled: ArrayEnd["cancelled"] = null,
): string | undefined {
  const told: ItemEnd = {
    ...item,
    i: 0,
    repo: "a",
    exit_code: null,
    seconds: 1,
    why: null,
    commit: null,
    tail: [],
  };
  const end: ArrayEnd = {
    views: [{ index: 0, exitCode: null, node: null, note: null, ...view }],
    items: new Map([[0, told]]),
    refused: new Map(),
    begun: new Set([0]),
    told: new Set([0]),
    ran: new Set([0]),
    cancelled,
  };
  return rowAt(PLACE, { at: 0, end, record: { shards: 1 } })?.outcome;
}

const BY_US = { confirmed: true, unreachable: [], told: [] };
const GONE = { state: "cancelled", reason: null } as const;
const FAILED = { state: "failed", reason: "exit" } as const;

Deno.test("rowAt() takes a program that ended together with its shard for ended by the engine", () => {
  for (const signal of ["SIGTERM", "SIGKILL"]) {
    const ended = { state: "failed", signal } as const;
    assertEquals(outcome(ended, GONE), "cancelled");
    assertEquals(outcome(ended, FAILED, BY_US), "cancelled");
    assertEquals(outcome(ended, { state: "failed", reason: "timeout" }), "timed_out");
    assertEquals(outcome(ended, { state: "failed", reason: "evicted" }), "evicted");
    assertEquals(outcome(ended, { state: "failed", reason: "memory" }), "out_of_memory");
    assertEquals(outcome(ended, { state: "failed", reason: "node" }), "node_lost");
  }
});

Deno.test("rowAt() takes a program that failed by itself for failed, whatever became of its shard", () => {
  for (const view of [GONE, FAILED, { state: "failed", reason: "timeout" } as const]) {
    assertEquals(outcome({ state: "failed", signal: null }, view), "failed");
    assertEquals(outcome({ state: "failed", signal: "SIGSEGV" }, view, BY_US), "failed");
    assertEquals(outcome({ state: "ok", signal: null }, view, BY_US), "ok");
  }
  assertEquals(outcome({ state: "failed", signal: "SIGTERM" }, FAILED), "failed");
});

Deno.test("rowAt() tells the engine's word of a shard that can never begin", () => {
  const end: ArrayEnd = {
    views: [{
      index: 0,
      state: "failed",
      reason: "unstartable",
      exitCode: null,
      node: null,
      note: "PartitionTimeLimit",
    }],
    items: new Map(),
    refused: new Map(),
    begun: new Set(),
    told: new Set(),
    ran: new Set(),
    cancelled: null,
  };
  const row = rowAt(PLACE, { at: 0, end, record: { shards: 1 } });
  assertEquals(
    row === null ? null : noteOf(row),
    "not started: the engine can never start it: PartitionTimeLimit",
  );
});

Deno.test("rowAt() takes what a shard ended when it was asked to for what its engine says", () => {
  const ended = { state: "cancelled", signal: "SIGTERM" } as const;
  assertEquals(outcome(ended, GONE), "cancelled");
  assertEquals(outcome(ended, { state: "failed", reason: "timeout" }), "timed_out");
  assertEquals(outcome(ended, { state: "failed", reason: "timeout" }, BY_US), "cancelled");
});
