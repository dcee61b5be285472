/**
 * What a person is told of programs in many repositories.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  concludeExec,
  type ExecData,
  type ExecRow,
  renderExec,
} from "../../../../src/commands/exec/invocation/answer.ts";
import { runId } from "../../../../src/base/ids.ts";
import { plainText } from "../../../../src/base/text/parts.ts";

const DEED = {
  task: null,
  argv: ["true"],
  shell: null,
  more: [],
  env: [],
  selection: { repos: [], tags: [], only: [] },
  engine: null,
};

function row(name: string, outcome: ExecRow["outcome"]): ExecRow {
  return {
    name,
    outcome,
    exit_code: outcome === "failed" ? 1 : null,
    signal: null,
    seconds: 1,
    layer: null,
    start_error: null,
    last_line: null,
    tail: [],
    because: null,
  };
}

Deno.test("renderExec() shows problems first, and counts those of thousands by how they ended", () => {
  const repos = Array.from(
    { length: 3_000 },
    (_, at) => row(`r${at}`, at < 1_000 ? "ok" : at < 2_800 ? "failed" : "deferred"),
  );
  const data: ExecData = {
    outcome: "partial",
    task: null,
    argv: ["true"],
    shell: null,
    engine: null,
    repos,
    retry: null,
  };
  for (const told of ["problems", "all"] as const) {
    const text = plainText(renderExec(data, DEED, told).details);
    const lines = text.trim().split("\n");
    assertStringIncludes(lines[1] ?? "", "✗ r1000");
    assertStringIncludes(
      lines.at(-1) ?? "",
      told === "all"
        ? "… and 2900 more: 1700 failed, 1000 ok, 200 deferred"
        : "… and 1900 more: 1700 failed, 200 deferred",
    );
    assertEquals(lines.length < 110, true);
  }
});

Deno.test("renderExec() begins with what came of it: run, run in some, or failed", () => {
  const table: readonly (readonly [readonly ExecRow["outcome"][], string])[] = [
    [["ok", "ok"], "Ran true in 2 repos."],
    [["ok", "failed"], "Ran true in 1 of 2 repos."],
    [["failed", "not_started"], "Failed to run true in 2 repos."],
  ];
  for (const [outcomes, summary] of table) {
    const repos = outcomes.map((outcome, at) => row(`r${at}`, outcome));
    const common = { outcome: "partial", task: null, argv: ["true"], shell: null } as const;
    const data: ExecData = { ...common, engine: null, repos, retry: null };
    assertEquals(renderExec(data, DEED, "problems").summary, summary);
  }
});

Deno.test("what only follows from a failure is counted where it is much, in the table and in the error", () => {
  const held = (name: string): ExecRow => ({
    ...row(name, "not_started"),
    because: { reason: "failed", repo: "r0" },
  });
  const answer = (many: number) => {
    const rows = [
      { ...row("r0", "failed"), last_line: "no" },
      ...Array.from({ length: many }, (_, at) => held(`h${at}`)),
    ];
    const ctx = { runId: null, signal: new AbortController().signal, ticket: null };
    const { data, failure } = concludeExec(ctx, DEED, rows);
    return {
      lines: plainText(renderExec(data, DEED, "problems").details).trim().split("\n"),
      message: failure?.message ?? "",
    };
  };
  const much = answer(196);
  assertEquals(much.lines.length, 4);
  assertEquals(much.lines.at(-1), "196 not started: r0 failed");
  assertStringIncludes(
    much.message,
    "did not succeed in 1 of 197 repos: r0 (exit status 1, 1.0s); 196 more were not started",
  );
  const little = answer(2);
  assertEquals(little.lines.filter((line) => line.includes("not started: r0 failed")).length, 2);
  assertStringIncludes(little.message, "did not succeed in 3 of 3 repos: r0");
});

Deno.test("the error of programs that failed in many repositories names how they ended once", () => {
  const told = (rows: readonly ExecRow[]) => {
    const ctx = { runId: null, signal: new AbortController().signal, ticket: null };
    return concludeExec(ctx, DEED, rows).failure?.message ?? "";
  };
  const failed = (count: number) =>
    Array.from({ length: count }, (_, at) => row(`r${at}`, "failed"));
  assertEquals(
    told([...failed(60), row("slow", "timed_out"), row("good", "ok")]),
    `"true" did not succeed in 61 of 62 repos: r0, r1, r2 and 57 more (exit status 1); slow (timed out)`,
  );
  assertStringIncludes(told(failed(5)), "r3 (exit status 1, 1.0s) and r4 (exit status 1, 1.0s)");
  const ways = Array.from(
    { length: 6 },
    (_, at) => ({ ...row(`r${at}`, "failed"), exit_code: at }),
  );
  assertEquals(
    told(ways),
    `"true" did not succeed in 6 of 6 repos: r0 (exit status 0); r1 (exit status 1); r2 (exit status 2); r3 (exit status 3); 2 more ended otherwise`,
  );
});

for (
  const [error, argv, task, ticket, hint] of [
    ["not_found", ["x"], null, null, "Install the program, or name one that is there"],
    [
      "not_found",
      ["x"],
      "lint",
      null,
      'Install what it runs, or correct the task "lint" in the manifest',
    ],
    [
      "not_allowed",
      ["./a b.sh"],
      null,
      "T-1",
      "Make it executable: amof exec --ticket T-1 --repo api,web -- chmod +x './a b.sh'\nThen repeat it: amof exec --ticket T-1 --retry-failed 4e8c1d72",
    ],
    [
      null,
      ["x"],
      null,
      null,
      "Repeat it only there: amof exec --retry-failed 4e8c1d72\nRead its last 1000 lines: amof runs logs 4e8c1d72 --tail 1000",
    ],
  ] as const
) {
  Deno.test(`a ${task ?? "program"} that ends with ${error ?? "exit status 1"} advises what helps there`, () => {
    const id = runId("4e8c1d72-5a0e-4c7e-9f5e-3f0c6f4e8d11");
    const ctx = { runId: id, signal: new AbortController().signal, ticket };
    const rows = ["api", "web"].map((name) => ({ ...row(name, "failed"), start_error: error }));
    assertEquals(concludeExec(ctx, { ...DEED, argv, task }, rows).failure?.hint, hint);
  });
}
