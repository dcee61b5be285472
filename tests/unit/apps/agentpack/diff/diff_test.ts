import { assertEquals } from "@std/assert";
import {
  applyPatch,
  collisionLine,
  mergeTexts,
  parsePatch,
} from "../../../../../src/apps/agentpack/diff.ts";
import { unifiedDiff } from "../../../../../src/base/text/diff/unified.ts";

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");

Deno.test("unifiedDiff() writes a new file as the example of the contract", () => {
  assertEquals(
    unifiedDiff("", "Write a changelog entry.\n", "a/changelog.md", "b/changelog.md"),
    "--- a/changelog.md\n+++ b/changelog.md\n@@ -0,0 +1 @@\n+Write a changelog entry.\n",
  );
});

Deno.test("unifiedDiff() writes a deletion with an empty right side", () => {
  assertEquals(
    unifiedDiff("x\ny\n", "", "a/f", "/dev/null"),
    "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n",
  );
});

Deno.test("unifiedDiff() gives three lines of context and joins hunks that touch", () => {
  const before = numbers(1, 20);
  const near = before.replace("5\n", "five\n").replace("12\n", "twelve\n");
  assertEquals(unifiedDiff(before, near, "a", "b").match(/^@@.*@@$/gm), ["@@ -2,14 +2,14 @@"]);
  const far = before.replace("5\n", "five\n").replace("13\n", "thirteen\n");
  assertEquals(unifiedDiff(before, far, "a", "b").match(/^@@.*@@$/gm), [
    "@@ -2,7 +2,7 @@",
    "@@ -10,7 +10,7 @@",
  ]);
});

Deno.test("unifiedDiff() marks a missing final newline on the side that has none", () => {
  assertEquals(
    unifiedDiff("a\nb", "a\nb\n", "x", "y"),
    "--- x\n+++ y\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
  );
});

Deno.test("unifiedDiff() is empty for equal texts", () => {
  assertEquals(unifiedDiff("a\n", "a\n", "x", "y"), "");
});

Deno.test("unifiedDiff() of long texts without a common line is still a correct patch", () => {
  const before = numbers(1, 4000);
  const after = before.replaceAll("\n", " changed\n");
  const patch = parsePatch(unifiedDiff(before, after, "a/f", "b/f"), "f");
  assertEquals("problem" in patch ? patch : applyPatch(before, patch), after);
});

Deno.test("mergeTexts() takes each side's own changes", () => {
  const base = numbers(1, 9);
  const merged = mergeTexts(base, base.replace("2\n", "two\n"), base.replace("8\n", ""), {
    ours: "ours",
    theirs: "theirs",
  });
  assertEquals(merged, { text: base.replace("2\n", "two\n").replace("8\n", ""), conflicts: 0 });
});

Deno.test("mergeTexts() counts and marks every conflict with the given labels", () => {
  const base = numbers(1, 9);
  const ours = base.replace("2\n", "two\n").replace("8\n", "eight");
  const theirs = base.replace("2\n", "zwei\n").replace("8\n9\n", "acht");
  assertEquals(mergeTexts(base, ours, theirs, { ours: "mine", theirs: "upstream" }), {
    text: "1\n<<<<<<< mine\ntwo\n=======\nzwei\n>>>>>>> upstream\n3\n4\n5\n6\n7\n" +
      "<<<<<<< mine\neight9\n=======\nacht\n>>>>>>> upstream\n",
    conflicts: 2,
  });
});

Deno.test("mergeTexts() does not call the same change on both sides a conflict", () => {
  assertEquals(mergeTexts("a\n", "b\n", "b\n", { ours: "o", theirs: "t" }), {
    text: "b\n",
    conflicts: 0,
  });
});

Deno.test("mergeTexts() merges how lines end as one place of its own", () => {
  const labels = { ours: "ours", theirs: "theirs" };
  const crlf = (text: string) => text.replaceAll("\n", "\r\n");
  const base = numbers(1, 9);
  const ours = base.replace("2\n", "two\n");
  const theirs = base.replace("8\n", "eight\n");
  const both = ours.replace("8\n", "eight\n");
  const merge = (...[a, b, c]: [string, string, string]) => mergeTexts(a, b, c, labels);
  assertEquals(merge(base, crlf(ours), theirs), { text: crlf(both), conflicts: 0 });
  assertEquals(merge(base, ours, crlf(theirs)), { text: crlf(both), conflicts: 0 });
  assertEquals(merge(crlf(base), ours, crlf(theirs)), { text: both, conflicts: 0 });
  assertEquals(merge(crlf(base), crlf(ours), crlf(theirs)), { text: crlf(both), conflicts: 0 });
  // Marks end like the lines around them.
  const marked = merge("a\n", "b\r\n", "c\n");
  assertEquals(marked.text, crlf("<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"));
  // A text that ends its lines in both ways is compared as it is.
  const mixed = "1\r\n2\n";
  assertEquals(merge(mixed, mixed, `${mixed}3\n`), { text: `${mixed}3\n`, conflicts: 0 });
});

function problemOf(text: string, path = "f"): string {
  const patch = parsePatch(text, path);
  return "problem" in patch ? patch.problem : "fine";
}

Deno.test("parsePatch() refuses what the contract refuses", () => {
  const hunk = "@@ -1 +1 @@\n-a\n+b\n";
  assertEquals(problemOf(`--- a/f\n+++ b/f\n${hunk}`), "fine");
  assertEquals(problemOf(`--- f\n+++ f\n${hunk}`), "fine");
  assertEquals(problemOf(`--- a/f\t2026-01-01\n+++ b/f more\n${hunk}`), "fine");
  assertEquals(problemOf(`--- a/g\n+++ b/f\n${hunk}`), "refused");
  assertEquals(problemOf(`--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n`), "refused");
  assertEquals(problemOf(`--- a/f\n+++ b/f\n${hunk}--- a/g\n+++ b/g\n${hunk}`), "refused");
  assertEquals(problemOf("diff --git a/f b/f\nGIT binary patch\nliteral 1\n"), "refused");
  assertEquals(problemOf("Binary files a/f and b/f differ\n"), "refused");
  assertEquals(problemOf(hunk), "corrupt");
  assertEquals(problemOf("--- a/f\n+++ b/f\n"), "corrupt");
  assertEquals(problemOf("--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n+b\n"), "corrupt");
});

Deno.test("parsePatch() takes names with blanks and removed lines that look like headers", () => {
  assertEquals(problemOf("--- a/my f.md\n+++ b/my f.md\n@@ -1 +1 @@\n-a\n+b\n", "my f.md"), "fine");
  const patch = parsePatch("--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n--- old\n b\n", "f");
  assertEquals("problem" in patch ? patch : applyPatch("-- old\nb\n", patch), "b\n");
});

function patched(image: string, hunk: string): string | null {
  const patch = parsePatch(`--- a/f\n+++ b/f\n${hunk}`, "f");
  if ("problem" in patch) return null;
  const result = applyPatch(image, patch);
  return typeof result === "string" ? result : null;
}

Deno.test("applyPatch() finds a moved hunk, but a first hunk only at the beginning", () => {
  const moved = "@@ -4,3 +4,3 @@\n c\n-d\n+D\n e\n";
  assertEquals(patched("0\n0\n0\n0\nc\nd\ne\nf\n", moved), "0\n0\n0\n0\nc\nD\ne\nf\n");
  assertEquals(patched("0\na\nb\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"), null);
});

Deno.test("applyPatch() fits a hunk without trailing context only at the end", () => {
  const atEnd = "@@ -3,2 +3,2 @@\n c\n-d\n+D\n";
  assertEquals(patched("a\nc\nd\n", atEnd), "a\nc\nD\n");
  assertEquals(patched("a\nb\nc\nd\ne\n", atEnd), null);
});

Deno.test("applyPatch() compares bytes: a patch with LF does not fit a file with CRLF", () => {
  assertEquals(patched("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"), null);
});

Deno.test("collisionLine() finds whole collisions only, with labels those of one program", () => {
  const marked = (theirs: string) => `a\n<<<<<<< overlay\nb\n=======\nc\n>>>>>>> ${theirs}\n`;
  const labels = { ours: "overlay", theirs: "upstream" };
  assertEquals(collisionLine(marked("main")), 2);
  assertEquals(collisionLine(marked("main").replaceAll("\n", "\r\n")), 2);
  assertEquals([marked("main"), marked("upstream")].map((one) => collisionLine(one, labels)), [
    null,
    2,
  ]);
  assertEquals(collisionLine(marked("main").replace("=======", "======")), null);
  assertEquals(collisionLine("<<<<<<< a\n".repeat(200_000) + "=======\n"), null);
});
