// Covers files/signature.ts: which remembered answers may be given, and which states nobody can be sure of.

import { assert, assertEquals } from "@std/assert";
import {
  answerIn,
  isRepeated,
  isSettled,
  stampFacts,
  type Verdict,
  verdictFrom,
  withAnswer,
  withNote,
} from "../../../../src/git/files/signature.ts";

const VERDICT: Verdict = {
  environment: "e1",
  watched: { names: [".git/HEAD"], files: ["a.txt"], absent: [".git/shallow"] },
  signatures: { names: "n1", files: "f1" },
  answers: {
    status: { extent: "files", text: "clean", at: 1_000 },
    refs: { extent: "names", text: "main", at: 1_000 },
    noted: { extent: "files", text: "once", at: null },
  },
  looks: {},
};

Deno.test("stamps tell the latest time, whether times are whole seconds, and of other file systems", () => {
  const file = (device: number, ...times: readonly number[]) => [
    ...[0o100644, 1000, 5, 0, 7, 0, 254, device],
    ...times.flatMap((ms) => [Math.floor(ms / 1_000), ms % 1_000 * 1e6]),
  ];
  const none = file(0, 0, 0).fill(0);
  const rows: [number[][], ReturnType<typeof stampFacts>][] = [
    [[], { newestMs: 0, coarse: true, together: true }],
    [[none], { newestMs: 0, coarse: true, together: true }],
    [[file(1, 5_000, 7_001)], { newestMs: 7_001, coarse: false, together: true }],
    [[none, file(1, 9_000, 7_000), none], { newestMs: 9_000, coarse: true, together: true }],
    [[file(1, 1, 2), file(2, 1, 2)], { newestMs: 2, coarse: false, together: false }],
    [[file(1, -1_000, 2)], { newestMs: 4_294_967_295_000, coarse: false, together: true }],
  ];
  for (const [files, facts] of rows) {
    assertEquals(stampFacts(Int32Array.from(files.flat())), facts, files.join("|"));
  }
});

Deno.test("a state is sure once all times are older than the look, by more than the clock lags behind", () => {
  const rows: [newestMs: number, coarse: boolean, sinceMs: number, sure: boolean][] = [
    [1_000, false, 1_000, false],
    [1_000, false, 1_020, false],
    [1_000, false, 1_021, true],
    [1_500, false, 1_000, false],
    [1_000, true, 2_500, false],
    [1_000, true, 3_001, true],
    [Infinity, false, 1e15, false],
  ];
  for (const [newestMs, coarse, sinceMs, sure] of rows) {
    assertEquals(
      isSettled({ newestMs, coarse }, sinceMs),
      sure,
      `${newestMs} ${coarse} ${sinceMs}`,
    );
  }
});

Deno.test("an answer is given to the question that was asked, and by no clock that went back", () => {
  const rows: [string, number, string | undefined][] = [
    ["status", 1_000, "clean"],
    ["status", 999, undefined],
    ["log", 2_000, undefined],
    ["constructor", 2_000, undefined],
    ["noted", 2_000, undefined],
  ];
  for (const [question, nowMs, text] of rows) {
    assertEquals(answerIn(VERDICT, question, nowMs)?.text, text);
  }
  assertEquals(answerIn(undefined, "status", 2_000), null);
});

Deno.test("what an answer depends on is looked for when git says the same for the second time", () => {
  const rows: [Verdict | undefined, string, string, boolean][] = [
    [undefined, "status", "clean", false],
    [VERDICT, "status", "clean", true],
    [VERDICT, "status", "dirty", false],
    [VERDICT, "noted", "once", true],
    [VERDICT, "constructor", "once", false],
  ];
  for (const [before, question, text, repeated] of rows) {
    assertEquals(isRepeated(before, question, text), repeated);
  }
  const noted = withNote(undefined, "status", { extent: "files", text: "clean" });
  assertEquals(answerIn(noted, "status", 2_000), null);
  assert(isRepeated(noted, "status", "clean"));
  // What was known stays, but for the answer that was another one.
  const changed = withNote(VERDICT, "status", { extent: "files", text: "dirty" });
  assertEquals([answerIn(changed, "status", 2_000), answerIn(changed, "refs", 2_000)?.text], [
    null,
    "main",
  ]);
  assertEquals(verdictFrom(JSON.parse(JSON.stringify(noted))), noted);
});

Deno.test("with a new answer those of another state are gone", () => {
  const { answers: _, ...same } = VERDICT;
  const answer = { extent: "files", text: "dirty", at: 2_000 } as const;
  const rows: [Omit<Verdict, "answers">, string[]][] = [
    [same, ["status", "refs", "noted", "new"]],
    [{ ...same, signatures: { names: "n1", files: "f2" } }, ["refs", "noted", "new"]],
    [{ ...same, signatures: { names: "n1", files: null } }, ["refs", "noted", "new"]],
    [{ ...same, signatures: { names: "n2", files: "f1" } }, ["noted", "new"]],
    [{ ...same, environment: "e2" }, ["noted", "new"]],
  ];
  for (const [now, questions] of rows) {
    const next = withAnswer(VERDICT, now, "new", answer);
    assertEquals([Object.keys(next.answers), next.signatures], [questions, now.signatures]);
  }
  assertEquals(Object.keys(withAnswer(undefined, same, "new", answer).answers), ["new"]);
  const again = withAnswer(VERDICT, same, "status", answer);
  assertEquals(again.answers["status"], answer);
});

Deno.test("many answers of one state push the oldest out", () => {
  const { answers: _, ...same } = VERDICT;
  let verdict = VERDICT;
  for (let at = 0; at < 30; at++) {
    verdict = withAnswer(verdict, same, `q${at}`, { extent: "names", text: "", at });
  }
  assertEquals(Object.keys(verdict.answers).length, 12);
  assertEquals(Object.keys(verdict.answers).at(-1), "q29");
});

Deno.test("a damaged record is no record", () => {
  const kept = JSON.parse(JSON.stringify(VERDICT));
  assertEquals(verdictFrom(kept), VERDICT);
  const damaged: unknown[] = [
    null,
    "text",
    [],
    { ...kept, environment: 1 },
    { ...kept, watched: { names: [], files: [] } },
    { ...kept, watched: { names: [], files: [1], absent: [] } },
    { ...kept, signatures: { names: 1, files: "f" } },
    { ...kept, signatures: {} },
    { ...kept, answers: { status: { extent: "all", text: "", at: 1 } } },
    { ...kept, answers: { status: { extent: "files", text: "" } } },
    { ...kept, answers: [] },
    { ...kept, looks: [] },
    { ...kept, looks: { standing: { key: "", text: "{}" } } },
  ];
  for (const one of damaged) assertEquals(verdictFrom(one), undefined, JSON.stringify(one));
});
