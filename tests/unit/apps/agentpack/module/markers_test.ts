import { assertEquals } from "@std/assert";
import { sha256 } from "../../../../../src/base/hash.ts";
import { decodeText, encodeText } from "../../../../../src/apps/agentpack/content.ts";
import { aggregate, parseSections } from "../../../../../src/apps/agentpack/module/syntax.ts";

const alpha = { moduleId: "instructions:alpha", bytes: encodeText("# Alpha\n\nUse tabs.\n") };
const beta = { moduleId: "instructions:beta", bytes: encodeText("# Beta\n\nUse UTC.") };

Deno.test("aggregate() gives the bytes of appendix A", () => {
  const bytes = aggregate([alpha, beta]);
  assertEquals(bytes.length, 170);
  assertEquals(
    sha256(bytes),
    "ab7c86680266102d5ff9d6b4c37eea603a01bd219a1f6c1860eef491f19f2d94",
  );
});

Deno.test("aggregate() leaves a single section as it is, final newline or not", () => {
  assertEquals(aggregate([beta]), beta.bytes);
});

Deno.test("parseSections() takes an aggregate apart, with the added final newline", () => {
  const sections = parseSections(decodeText(aggregate([alpha, beta])) ?? "");
  assertEquals([...sections ?? []], [
    ["instructions:alpha", "# Alpha\n\nUse tabs.\n"],
    ["instructions:beta", "# Beta\n\nUse UTC.\n"],
  ]);
});

Deno.test("parseSections() keeps carriage returns and ignores text outside of sections", () => {
  const text =
    "before\r\n  <!-- agentpack:module= x -->\r\nbody\r\n<!-- /agentpack -->\t\r\nafter\r\n";
  assertEquals([...parseSections(text) ?? []], [["x", "body\r\n"]]);
});

Deno.test("parseSections() refuses files whose sections cannot be told apart", () => {
  const start = (id: string) => `<!-- agentpack:module=${id} -->\n`;
  const end = "<!-- /agentpack -->\n";
  assertEquals(parseSections(start("a") + end + start("a") + end), null);
  assertEquals(parseSections(start("a") + start("b") + end + end), null);
  assertEquals(parseSections(start("a") + "text\n"), null);
  assertEquals(parseSections(start("") + end), null);
});
