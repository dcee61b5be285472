import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  ruleFacts,
  ruleHead,
  sameFacts,
  splitGlobs,
  splitRule,
} from "../../../../../src/apps/agentpack/target/cursor.ts";

Deno.test("splitRule() cuts behind the head and the empty line below it", () => {
  const head = "---\r\nglobs: *.ts\r\n---\r\n\r\n";
  assertEquals(splitRule(`${head}# A\n`), { head, body: "# A\n" });
  assertEquals(splitRule("---\na: b\n---\n# A"), { head: "---\na: b\n---\n", body: "# A" });
  assertEquals(splitRule("# A\n---\n---\n"), { head: "", body: "# A\n---\n---\n" });
  assertEquals(splitRule("---\nnever closed\n"), { head: "", body: "---\nnever closed\n" });
  assertEquals(splitRule(""), { head: "", body: "" });
});

Deno.test("ruleFacts() reads a head as Cursor does, which is no YAML", () => {
  const facts = (...lines: string[]) => ruleFacts(["---", ...lines, "---", ""].join("\n"));
  assertEquals(
    facts("description: Say: it", "globs: *.ts,src/**/*.{js,jsx}", "alwaysApply: true"),
    {
      description: "Say: it",
      globs: ["*.ts", "src/**/*.{js,jsx}"],
      alwaysApply: true,
    },
  );
  assertEquals(facts("description: >-", "  two", "  lines", "globs:", "  - '*.ts'", '  - "*.js"'), {
    description: "two lines",
    globs: ["*.ts", "*.js"],
    alwaysApply: false,
  });
  assertEquals(facts('globs: ["*.ts", "{a,b}.js"]', "alwaysApply:", "other: 1").globs, [
    "*.ts",
    "{a,b}.js",
  ]);
  assertEquals(facts("globs: [*.ts, *.js]").globs, ["*.ts", "*.js"]);
  assertEquals(ruleFacts(""), { description: "", globs: [], alwaysApply: false });
});

Deno.test("splitGlobs() is done soon with braces that nobody closes", () => {
  assertEquals(splitGlobs("{".repeat(100_000)).length, 1);
});

Deno.test("ruleFacts() reads what ruleHead() wrote", () => {
  const glob = fc.stringMatching(/^[a-z*./]{1,8}$/);
  fc.assert(
    fc.property(fc.string(), fc.array(glob), fc.boolean(), (description, globs, alwaysApply) => {
      const facts = {
        description: description.trim(),
        globs: alwaysApply ? [] : globs,
        alwaysApply,
      };
      const head = ruleHead(facts);
      assertEquals(sameFacts(ruleFacts(head), facts), true, head);
      assertEquals(splitRule(`${head}body`), { head, body: "body" });
    }),
  );
});
