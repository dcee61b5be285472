// Covers masker(): in which forms the values of named variables are hidden, and what is left alone.

import { assertEquals } from "@std/assert";
import type { Manifest } from "../../../../src/workspace/manifest/manifest.ts";
import type { CommandContext } from "../../../../src/contract/mod.ts";
import { masker } from "../../../../src/commands/spin/script.ts";
import { memoryWorld } from "../../../support/memory.ts";

function masked(env: Record<string, string>, line: string): string {
  const { system } = memoryWorld({ env });
  const manifest = { provisionerEnv: ["KEY", "OTHER", "PATH"] } as unknown as Manifest;
  return masker({ system } as unknown as CommandContext, manifest)(line);
}

const CASES: readonly (readonly [string, Record<string, string>, string, string])[] = [
  ["a value", { KEY: "abc/def" }, "is abc/def.", "is ***."],
  ["a value in base64", { KEY: "abc/def" }, btoa("abc/def"), "***"],
  ["a value in a URL", { KEY: "abc/def" }, "?q=abc%2Fdef&x", "?q=***&x"],
  ["a value in JSON", { KEY: 'ab"cd\\e' }, '{"v":"ab\\"cd\\\\e"}', '{"v":"***"}'],
  ["each line of a value", { KEY: "BEGIN X\n  abcdef\nEND" }, "> abcdef", "> ***"],
  ["the longer of two values", { KEY: "abcd", OTHER: "abcdefgh" }, "abcdefgh", "***"],
  ["a value with a colour in it", { KEY: "abcdef" }, "abc\u001b[1mdef", "***"],
  ["a value with an invisible character in it", { KEY: "abcdef" }, "abc\u200bdef", "***"],
];

for (const [what, env, line, expected] of CASES) {
  Deno.test(`masker() hides ${what}`, () => assertEquals(masked(env, line), expected));
}

Deno.test("masker() leaves alone what is too short to be told from text", () => {
  assertEquals(masked({ KEY: "eu" }, "in eu-west"), "in eu-west");
});

Deno.test("masker() leaves alone what every provisioner gets, under whichever name", () => {
  const env = { KEY: "/home/me", HOME: "/home/me", PATH: "/usr/bin" };
  assertEquals(masked(env, "/home/me /usr/bin"), "/home/me /usr/bin");
});
