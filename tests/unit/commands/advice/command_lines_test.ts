// Covers the command that installs the same and keeps what works: it asks for all that was asked for.

import { assertEquals } from "@std/assert";
import { keepingLine } from "../../../../src/commands/advice/command_lines.ts";

const NONE = { push: false, repair: false, locked: false };

const CASES = [
  [NONE, "amof install --keep-going"],
  [{ ...NONE, locked: true }, "amof install --locked --keep-going"],
  [
    { ...NONE, repos: ["api", "!web"], tags: ["back end"], lock_file: "my lock.json" },
    "amof install --repo api --repo '!web' --tag 'back end' --lock-file 'my lock.json' --keep-going",
  ],
  [
    { push: true, repair: true, locked: false, adopt: "/code", allow_no_touch: ["a/*"] },
    "amof install --adopt /code --repair --push --allow-no-touch 'a/*' --keep-going",
  ],
] as const;

for (const [asked, line] of CASES) {
  Deno.test(`an install is repeated, keeping what works: ${line}`, () => {
    assertEquals(keepingLine(asked), line);
  });
}
