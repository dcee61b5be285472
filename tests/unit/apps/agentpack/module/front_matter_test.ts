// Covers readFrontMatter(): heads that are YAML, and heads as Claude Code writes them.

import { assertEquals } from "@std/assert";
import { readFrontMatter } from "../../../../../src/apps/agentpack/module/syntax.ts";

const READ: readonly (readonly [head: string, fields: Readonly<Record<string, unknown>>])[] = [
  ["name: a\ntags: [x, y]", { name: "a", tags: ["x", "y"] }],
  ["argument-hint: [pr-number] [priority]\ndescription: Review", {
    "argument-hint": "[pr-number] [priority]",
    description: "Review",
  }],
  ["argument-hint: [file] optional words", { "argument-hint": "[file] optional words" }],
  ["argument-hint: {a} {b}", { "argument-hint": "{a} {b}" }],
  ["description: Configure: hooks and skills\nallowed-tools:\n  - Read\n  - Bash(git:*)", {
    description: "Configure: hooks and skills",
    "allowed-tools": ["Read", "Bash(git:*)"],
  }],
  ['description: Use it. <example>user: "a" assistant: "b"</example>\nmodel: inherit', {
    description: 'Use it. <example>user: "a" assistant: "b"</example>',
    model: "inherit",
  }],
  ["description: 'a' or 'b'", { description: "'a' or 'b'" }],
  ["description: *bold* words", { description: "*bold* words" }],
  ["description: @agent does it\nx: `code`", { description: "@agent does it", x: "`code`" }],
  ["description: Use: it\n  when: you like\nname: n", {
    description: "Use: it when: you like",
    name: "n",
  }],
  ["# a comment: here\ndescription: a: b\n\nname: n # said\n", { description: "a: b", name: "n" }],
  ["description: a: b\r\nname: n\r\n", { description: "a: b", name: "n" }],
];

Deno.test("a value that is no YAML by itself is text", async () => {
  for (const [head, fields] of READ) {
    for (const mark of ["", "\ufeff"]) {
      const matter = await readFrontMatter(`${mark}---\n${head}\n---\nBody\n`);
      assertEquals(matter, { kind: "mapping", fields }, head);
    }
  }
});

Deno.test("what lacks its end or says a thing twice is no front matter", async () => {
  for (
    const head of [
      "name: [",
      "tools: [Read, Grep\nname: n",
      'description: "open',
      "a: {b: c",
      "tools:\n  - a: [\nname: n",
      "a: b: c\na: d",
      "a: b: c\nno member",
      "a: |\n  x\n y: z\n b: [",
    ]
  ) {
    assertEquals((await readFrontMatter(`---\n${head}\n---\n`)).kind, "invalid", head);
  }
});
