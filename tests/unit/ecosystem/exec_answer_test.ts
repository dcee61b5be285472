/**
 * What a person is told of programs in many repositories.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { type ExecData, renderExec } from "../../../src/ecosystem/exec_answer.ts";
import type { ExecRow } from "../../../src/ecosystem/exec_run.ts";
import { plainText } from "../../../src/text/parts.ts";

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
    repos,
    retry: null,
  };
  for (const all of [false, true]) {
    const text = plainText(renderExec(data, DEED, all).details);
    const lines = text.trim().split("\n");
    assertStringIncludes(lines[1] ?? "", "✗ r1000");
    assertStringIncludes(
      lines.at(-1) ?? "",
      all
        ? "… and 2900 more: 1700 failed, 1000 ok, 200 deferred"
        : "… and 1900 more: 1700 failed, 200 deferred",
    );
    assertEquals(lines.length < 110, true);
  }
});
