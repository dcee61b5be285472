// Subagents as Gemini CLI takes them: what is in its form stays, the rest is rewritten or left out with a reason.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { geminiAgent } from "../../../../../src/apps/agentpack/target/gemini.ts";
import { readFrontMatter } from "../../../../../src/apps/agentpack/module/syntax.ts";
import { encodeText } from "../../../../../src/apps/agentpack/content.ts";

/** What becomes of a subagent with this head: its text, `same`, or why there is none; and what is lost. */
async function made(head: string, mark = ""): Promise<readonly [string, ...string[]]> {
  const text = `${mark}---\n${head}---\n\nYou review.\n`;
  const matter = await readFrontMatter(text);
  const agent = geminiAgent(encodeText(text), matter.kind === "mapping" ? matter.fields : {});
  if (typeof agent === "string") return [agent];
  return [agent.bytes === null ? "same" : new TextDecoder().decode(agent.bytes), ...agent.lost];
}

const NAMED = "name: rev\ndescription: Reviews\n";

Deno.test("a subagent in the form of Gemini CLI stays as it is", async () => {
  for (
    const head of [
      NAMED,
      `${NAMED}tools: ["*"]\n`,
      `${NAMED}kind: local\ntools:\n  - read_file\n  - mcp_github_*\nmodel: gemini-3-pro\nmax_turns: 5\n`,
      "kind: remote\nname: far\nagent_card_url: https://example.org/card\n",
    ]
  ) assertEquals(await made(head), ["same"], head);
});

Deno.test("another one gets the head that Gemini CLI takes, and what is lost is said", async () => {
  assertEquals(
    await made(`${NAMED}tools: Read, Grep, mcp__git__log, mcp__hub\ncolor: red\nmodel: sonnet\n`),
    [
      `---
name: "rev"
description: "Reviews"
tools:
  - "read_file"
  - "grep_search"
  - "mcp_git_log"
  - "mcp_hub_*"
---

You review.
`,
      "color",
      "model",
    ],
  );
  // What only lenient readers take is written so that strict ones do.
  for (const mark of ["", "\ufeff"]) {
    const [text] = await made("name: rev\ndescription: Use it: often\n", mark);
    assertEquals(text, '---\nname: "rev"\ndescription: "Use it: often"\n---\n\nYou review.\n');
  }
  assertEquals((await made(NAMED, "\ufeff"))[0].startsWith("---"), true);
});

Deno.test("one that would be held back by nothing any more, or not be loaded, is left out", async () => {
  for (
    const [more, why] of [
      ["tools: Read, Bash(git:*)\n", "has the tools Bash(git:*), which gemini does not have"],
      ["tools: { a: b }\n", "has tools that are no list of names"],
      ["disallowedTools: Bash\n", "is held back by disallowedTools"],
      ["permissionMode: plan\n", "is held back by permissionMode"],
    ] as const
  ) assertStringIncludes((await made(NAMED + more))[0], why);
  assertStringIncludes((await made("name: My Rev\ndescription: x\n"))[0], "small letters");
});
