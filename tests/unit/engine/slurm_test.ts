/**
 * What Slurm says of an array, in the words it was seen to use.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { Submission } from "../../../src/engine/port.ts";
import { SlurmEngine } from "../../../src/engine/slurm/engine.ts";
import { readAccounts, readQueue } from "../../../src/engine/slurm/reading.ts";
import { memoryWorld } from "../../support/memory.ts";
import { processResult } from "../../support/process_result.ts";

Deno.test("the queue tells state, exit code, node and why a task waits", () => {
  const text = [
    "0|COMPLETED|0|n1|None|",
    "1|FAILED|768|n1|NonZeroExitCode|",
    "2|RUNNING|0|n2|None|",
    "3|PENDING|0||BeginTime|",
    "4|TIMEOUT|0|n3|TimeLimit|",
    "5|NODE_FAIL|0|n3|None|",
    "6|CANCELLED|15|n3|None|",
    "7|FAILED|9|n3|None|",
    "8|OUT_OF_MEMORY|0|n3|OutOfMemory|",
    "9|PREEMPTED|0|n3|None|",
    "10|FAILED|31744|n3|None|",
    "11|FAILED|3:0|n1|NonZeroExitCode|",
    "12|FAILED|0:9|n1|None|",
    "13|COMPLETED|0:0|n1|None|",
    "14|NODE_FAIL|0:1|n1|None|",
    "15|PENDING|0:0||PartitionTimeLimit|",
    "16|PENDING|0:0||JobHeldUser|",
    "17|PENDING|0:0||Resources|",
    "18|PENDING|0:0||QOSMaxWallDurationPerJobLimit|",
    "19|PENDING|0:0||AssocGrpCpuLimit|",
    "N/A|PENDING|0||None|",
  ].join("\n");
  assertEquals(
    [...readQueue(text).values()].map(({ index, state, reason, exitCode, note }) =>
      [index, state, reason, exitCode, note].join(" ")
    ),
    [
      "0 succeeded  0 ",
      "1 failed exit 3 ",
      "2 running   ",
      "3 waiting waits  BeginTime",
      "4 failed timeout 0 ",
      "5 failed node  ",
      "6 cancelled  143 ",
      "7 failed memory 137 ",
      "8 failed memory 0 ",
      "9 failed evicted  ",
      "10 failed timeout 124 ",
      "11 failed exit 3 ",
      "12 failed memory 137 ",
      "13 succeeded  0 ",
      "14 failed node  ",
      "15 failed unstartable  PartitionTimeLimit",
      "16 waiting waits  ",
      "17 waiting waits  Resources",
      "18 failed unstartable  QOSMaxWallDurationPerJobLimit",
      "19 waiting waits  AssocGrpCpuLimit",
    ],
  );
});

Deno.test("accounts tell the same of what the queue has forgotten", () => {
  const text = "7_0|COMPLETED|0:0|n1\n7_1|FAILED|5:0|n2\n7_2|CANCELLED by 1000|0:15|n2\n" +
    "7_[3-4,6%2]|CANCELLED by 0|0:0|None assigned\n7_[10-14:2]|CANCELLED by 0|0:0|None assigned\n7_5.batch|FAILED|1:0|n1\n";
  assertEquals(
    [...readAccounts(text).values()].map((
      { index, state, exitCode, node },
    ) => [index, state, exitCode, node]),
    [
      [0, "succeeded", 0, "n1"],
      [1, "failed", 5, "n2"],
      [2, "cancelled", 143, "n2"],
      [3, "cancelled", 0, null],
      [4, "cancelled", 0, null],
      [6, "cancelled", 0, null],
      [10, "cancelled", 0, null],
      [12, "cancelled", 0, null],
      [14, "cancelled", 0, null],
    ],
  );
});

Deno.test("accounts are asked for the whole list of tasks that never began together", async () => {
  const shards = 60;
  const list = Array.from({ length: shards }, (_, index) => index).join(",");
  const { system } = memoryWorld({ env: { PATH: "/usr/bin" } });
  const engine = new SlurmEngine({
    ...system,
    processes: {
      ...system.processes,
      run: (request) => {
        const isWhole = request.env?.["SLURM_BITSTR_LEN"] === "0";
        const tasks = isWhole ? list : `${list.slice(0, 61)}...`;
        return Promise.resolve(processResult(
          request,
          request.command === "sacct"
            ? { stdout: `7_[${tasks}]|CANCELLED by 0|0:0|None assigned\n` }
            : { exitCode: 1, stderr: "slurm_load_jobs error: Invalid job id specified\n" },
        ));
      },
    },
  });
  const looks = await Array.fromAsync(engine.watch(
    { shards } as unknown as Submission,
    { engine: "slurm", ref: "7" },
    new AbortController().signal,
  ));
  assertEquals(looks.map((views) => views.map(({ state }) => state)), [
    Array(shards).fill("cancelled"),
  ]);
});
