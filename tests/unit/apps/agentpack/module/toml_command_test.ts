// Commands in Markdown become commands of Gemini CLI that say the same, or none at all.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/toml/parse";
import fc from "fast-check";
import { encodeText } from "../../../../../src/apps/agentpack/content.ts";
import {
  commandFrom,
  tomlCommandProblem,
} from "../../../../../src/apps/agentpack/module/syntax.ts";

function made(text: string, described: string | null = null): Record<string, unknown> {
  const result = commandFrom(encodeText(text), described);
  assert(typeof result !== "string", String(result));
  return parse(new TextDecoder().decode(result.bytes));
}

Deno.test("a command keeps its description and its text, with the arguments by their other name", () => {
  assertEquals(made('---\ndescription: "Ship it"\nmodel: x\n---\n\nShip $ARGUMENTS.\n'), {
    description: "Ship it",
    prompt: "Ship {{args}}.\n",
  });
  assertEquals(made("# Plain\n", "Plain"), { description: "Plain", prompt: "# Plain\n" });
  assertEquals(made("---\r\ndescription: x\r\n---\r\nGo\r\n"), {
    description: "x",
    prompt: "Go\r\n",
  });
});

Deno.test("whatever a text holds, the prompt is exactly that text", async () => {
  const piece = fc.constantFrom(
    '"',
    '"""',
    "\\",
    "\\u0041",
    "\r\n",
    "\n",
    "\t",
    "\0",
    "é",
    "'",
    "a ",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 12 }), async (pieces) => {
      // What stands before the first word is no head and no blank line below one.
      const body = `x${pieces.join("")}`;
      const result = commandFrom(encodeText(`---\ndescription: y\n---\n${body}`), null);
      assert(typeof result !== "string");
      const text = new TextDecoder().decode(result.bytes);
      assertEquals(await tomlCommandProblem(text), null);
      assertEquals(parse(text), { description: "y", prompt: body });
    }),
    { numRuns: 200 },
  );
});

Deno.test("a command that would run or read something is left out", () => {
  for (const text of ["!`git log`\n", "!bash x\n", "Try !{rm -rf .}\n", "See @{/etc/passwd}\n"]) {
    const result = commandFrom(encodeText(`---\ndescription: x\n---\n${text}`), null);
    assert(typeof result === "string", text);
  }
});

Deno.test("a command of Gemini CLI needs a prompt", async () => {
  assertEquals(await tomlCommandProblem('prompt = "x"'), null);
  assertStringIncludes(await tomlCommandProblem('description = "x"') ?? "", "prompt");
  assertStringIncludes(await tomlCommandProblem("prompt = ") ?? "", "TOML");
  assertStringIncludes(await tomlCommandProblem('prompt = "x"\ndescription = 1') ?? "", "no text");
});
