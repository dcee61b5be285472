/**
 * What Kubernetes says of an array, what stays of a shard whose log is gone, and what pods are made of.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { jobObject, podsOf, viewsOf } from "../../../src/engine/kubernetes/manifest.ts";
import { profileOf } from "../../../src/engine/port.ts";
import { linesOfSummary, summaryOf } from "../../../src/engine/shard/ends.ts";
import type { ItemEnd } from "../../../src/engine/shard/line.ts";
import { memberAt } from "../../../src/base/object.ts";

const RUN = "0b7f3c52-5a0e-4c7e-9f5e-3f0c6f4e8d11";

function pod(index: number, status: Record<string, unknown>, terminated?: Record<string, unknown>) {
  return {
    metadata: {
      name: `pod-${index}`,
      labels: { "batch.kubernetes.io/job-completion-index": String(index) },
    },
    spec: { nodeName: `n${index}` },
    status: {
      ...status,
      ...(terminated === undefined ? {} : { containerStatuses: [{ state: { terminated } }] }),
    },
  };
}

Deno.test("a Job and its pods tell how each shard stands, and why one failed", () => {
  const disrupted = [{
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByTaintManager",
  }];
  const list = {
    items: [
      pod(0, { phase: "Succeeded" }, { exitCode: 0 }),
      pod(1, { phase: "Failed" }, { exitCode: 137, reason: "OOMKilled" }),
      pod(2, { phase: "Failed", reason: "DeadlineExceeded" }),
      pod(3, { phase: "Failed", reason: "Evicted" }),
      pod(4, { phase: "Failed", conditions: disrupted }),
      pod(5, { phase: "Running" }),
      pod(6, {
        phase: "Pending",
        containerStatuses: [{ state: { waiting: { reason: "ErrImagePull" } } }],
      }),
      pod(7, { phase: "Failed" }, { exitCode: 5 }),
    ],
  };
  const job = { status: { completedIndexes: "0", failedIndexes: "1-4,7" } };
  const views = viewsOf(job, { pods: podsOf(list), shards: 9, exits: new Map() });
  assertEquals(
    views.map(({ index, state, reason, note }) => [index, state, reason, note].join(" ").trim()),
    [
      "0 succeeded",
      "1 failed memory",
      "2 failed timeout",
      "3 failed evicted",
      "4 failed node",
      "5 running",
      "6 waiting waits ErrImagePull",
      "7 failed exit",
      "8 waiting waits",
    ],
  );
});

Deno.test("of a Job that somebody deleted only what shards told is known", () => {
  const exits = new Map([[0, 0], [1, 5]]);
  const views = viewsOf(null, { pods: [], shards: 3, exits });
  assertEquals(views.map(({ state, reason }) => [state, reason]), [
    ["succeeded", null],
    ["failed", "exit"],
    ["failed", "vanished"],
  ]);
});

Deno.test("a shard that failed without a pod was on a node that is gone, and pods outlive their Job", () => {
  const gone = viewsOf({ status: { failedIndexes: "0" } }, {
    pods: [],
    shards: 1,
    exits: new Map(),
  });
  assertEquals(gone.map(({ state, reason }) => [state, reason]), [["failed", "node"]]);
  const pods = podsOf({ items: [pod(0, { phase: "Running" })] });
  const deleted = viewsOf(null, { pods, shards: 1, exits: new Map() });
  assertEquals(deleted.map(({ state }) => state), ["running"]);
});

Deno.test("what a pod's status keeps of a shard names what failed first, and fits", () => {
  const ends = Array.from({ length: 2_000 }, (_, i): ItemEnd => ({
    i,
    repo: `r${i}`,
    state: i === 1_999 ? "failed" : "ok",
    exit_code: i === 1_999 ? 3 : 0,
    signal: null,
    seconds: 1,
    why: null,
    commit: null,
    tail: [],
  }));
  const place = { run: RUN, shard: 4, attempt: "00000001" };
  const text = summaryOf(place, { exit: 5, ends, refused: null });
  assert(text.length <= 4_000);
  const lines = linesOfSummary(text, RUN, 4);
  const [first] = lines;
  assert(first?.type === "item" && lines.length > 300);
  assertEquals([first.i, first.state, first.exit_code], [1_999, "failed", 3]);
  assert(lines.at(-1)?.type === "end");
  for (const other of ["", "{}", text.replace(RUN, "another"), "killed"]) {
    assertEquals(linesOfSummary(other, RUN, 4), []);
  }
  assertEquals(linesOfSummary(text, RUN, 5), []);
});

Deno.test("pods have no rights, and no word of the plan's arguments is taken for a variable", () => {
  const profile = profileOf({
    engines: { kube: { kind: "kubernetes", image: "amof@sha256:00", scratch: "/a/$(HOME)" } },
  }, "kube");
  const job = jobObject({
    run: RUN,
    profile,
    plan: { path: "/nowhere", sha256: "0".repeat(64) },
    key: "1".repeat(64),
    shards: 3,
    directory: "/nowhere",
  }, {});
  const spec = memberAt(job, ["spec", "template", "spec"]);
  assertEquals(memberAt(spec, ["automountServiceAccountToken"]), false);
  assertEquals(memberAt(spec, ["securityContext", "runAsNonRoot"]), true);
  const container = memberAt(spec, ["containers", 0]);
  assertEquals(memberAt(container, ["securityContext"]), {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  const command = memberAt(container, ["command"]);
  assert(Array.isArray(command));
  assert(command.includes("$(JOB_COMPLETION_INDEX)") && command.includes("/a/$$(HOME)"));
});
