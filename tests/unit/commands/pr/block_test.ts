import { assertEquals } from "@std/assert";
import { blockFor, withBlock } from "../../../../src/commands/pr/ensure.ts";

const SIBLINGS = [
  { repo: "lib", number: 7, url: "https://host/lib/7" },
  { repo: "api", number: 12, url: "https://host/api/12" },
];
const BLOCK = blockFor("P-1", "api", { siblings: SIBLINGS, needs: ["lib", "core"] });

Deno.test("blockFor() names the others in their order, and what has to land before", () => {
  assertEquals(BLOCK.split("\n"), [
    "<!-- amof:change-set P-1 -->",
    "One of 2 pull requests of P-1, which land in this order:",
    "",
    "1. [lib #7](https://host/lib/7)",
    "2. **[api #12](https://host/api/12)** (this one)",
    "",
    "Depends-On: https://host/lib/7",
    "<!-- /amof:change-set -->",
  ]);
});

const OLD = "<!-- amof:change-set P-1 -->\nold\n<!-- /amof:change-set -->";
const OTHER = "<!-- amof:change-set P-2 -->\nnot ours\n<!-- /amof:change-set -->";

/** A body, and what it is with our part. */
const BODIES: readonly (readonly [string, string, string])[] = [
  ["nothing", "", BLOCK],
  ["spaces alone", " \n", BLOCK],
  ["a text", "Mine", `Mine\n\n${BLOCK}\n`],
  ["an older part", `a\r\n${OLD}\r\nz  \n`, `a\r\n${BLOCK}\r\nz  \n`],
  ["the same part", `a\n${BLOCK}\nz`, `a\n${BLOCK}\nz`],
  [
    "the same with other ends of lines",
    BLOCK.replaceAll("\n", "\r\n"),
    BLOCK.replaceAll("\n", "\r\n"),
  ],
  ["the part of another ticket", OTHER, `${OTHER}\n\n${BLOCK}\n`],
  [
    "a beginning without an end",
    "<!-- amof:change-set P-1 -->\nmine",
    `<!-- amof:change-set P-1 -->\nmine\n\n${BLOCK}\n`,
  ],
  [
    "a beginning without an end before our part",
    `<!-- amof:change-set P-1 -->\nmine\n\n${OLD}\n`,
    `<!-- amof:change-set P-1 -->\nmine\n\n${BLOCK}\n`,
  ],
  [
    "an end alone before our part",
    `<!-- /amof:change-set -->\n${OLD}`,
    `<!-- /amof:change-set -->\n${BLOCK}`,
  ],
  [
    "a beginning without an end behind our part",
    `${OLD}\n<!-- amof:change-set P-1 -->`,
    `${BLOCK}\n<!-- amof:change-set P-1 -->`,
  ],
  ["both parts of two tickets", `${OTHER}\n${OLD}\n${OTHER}`, `${OTHER}\n${BLOCK}\n${OTHER}`],
  ["two parts", `${OLD}\n${OLD}`, `${BLOCK}\n${OLD}`],
];

for (const [name, body, expected] of BODIES) {
  Deno.test(`withBlock() of ${name}`, () => {
    assertEquals(withBlock(body, "P-1", BLOCK), expected);
    assertEquals(withBlock(expected, "P-1", BLOCK), expected);
  });
}
