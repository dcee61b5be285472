// A long configuration that is read in pieces says what it says when it is read as a whole.

import { assert, assertEquals, assertRejects } from "@std/assert";
import { parse as parseYaml } from "@std/yaml";
import { parseConfig, parseInPieces } from "../../../../../src/apps/agentpack/config/config.ts";
import { interrupted, toAgentpackError } from "../../../../../src/apps/agentpack/error.ts";

const parse = (text: string): unknown => parseYaml(text, { schema: "core" });

const HEAD = "version: 1\nprofiles:\n  default: { include_tags: [base] }\n";

function item(index: number, indent = "  "): string {
  return `${indent}- id: "skill:s${index}"\n${indent}  type: skill\n${indent}  tags: [base]\n` +
    `${indent}  source:\n${indent}    local_path:\n${indent}      path: m/s${index}`;
}

function items(count: number, indent?: string): string[] {
  return Array.from({ length: count }, (_, index) => item(index, indent));
}

async function pieces(text: string): Promise<{ value: object | null; pauses: number }> {
  let pauses = 0;
  const value = await parseInPieces(text, parse, () => {
    pauses++;
    return Promise.resolve();
  });
  return { value, pauses };
}

Deno.test("parseInPieces() reads long lists with pauses, wherever they stand and however they are indented", async () => {
  const list = (indent?: string) => items(450, indent).join("\n");
  for (
    const text of [
      `${HEAD}modules:\n${list()}\n`,
      `${HEAD}modules:\n${list("")}\n`,
      `modules:\n${list()}\n${HEAD}`,
      `${HEAD}modules:\n${items(450).join("\n\n  # another one\n")}\n# the end\n`,
      `${HEAD}modules:\n${list()}\n  - { id: "prompt:p", type: prompt }\n`,
      `${HEAD}modules:\n${list()}\n    metadata:\n      text: |\n        - id: no\n       \n        x\n`,
    ]
  ) {
    const { value, pauses } = await pieces(text);
    assert(value !== null, text.slice(0, 60));
    assertEquals(value, parse(text));
    assertEquals(pauses, 3);
  }
});

Deno.test("parseInPieces() leaves what is short, unusual or wrong to be read as a whole", async () => {
  const list = items(450).join("\n");
  for (
    const text of [
      `${HEAD}modules:\n${items(200).join("\n")}\n`,
      `${HEAD}modules: [{ id: a }]\n`,
      `---\n${HEAD}modules:\n${list}\n`,
      `${HEAD}modules:\n  - &one\n    id: a\n${list}\n`,
      `${HEAD}modules:\n${list}\n  - id: "open\n`,
      `${HEAD}modules:\n${list}\nmodules: []\n`,
      `${HEAD}modules:\n${list}\n   - id: a\n`,
      `${HEAD}modules:\n  - id: "two\n  - lines"\n${list}\n`,
      `- modules\n`,
    ]
  ) {
    assertEquals((await pieces(text)).value, null, text.slice(0, 90));
  }
});

Deno.test("parseConfig() that is interrupted says so, and not that the configuration is wrong", async () => {
  const text = `${HEAD}modules:\n${items(450).join("\n")}\n`;
  assertEquals((await parseConfig(text, "/x")).modules.length, 450);
  const error = await assertRejects(() =>
    parseConfig(text, "/x", () => Promise.reject(interrupted()))
  );
  assertEquals(toAgentpackError(error).code, "E_INTERRUPTED");
});
