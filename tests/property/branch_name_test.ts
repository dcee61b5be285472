// isBranchName() agrees with `git check-ref-format --branch`.

import { isBranchName } from "../../src/base/ids.ts";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";

// One shell asks git about many names: each is an argument of its own, so nothing in it is interpreted.
const ASK =
  'for name do git check-ref-format --branch "$name" >/dev/null 2>&1 && echo yes || echo no; done';

async function gitAccepts(names: readonly string[]): Promise<readonly boolean[]> {
  const output = await new Deno.Command("sh", {
    args: ["-c", ASK, "sh", ...names],
    cwd: "/",
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CEILING_DIRECTORIES: "/",
    },
    stdout: "piped",
  }).output();
  return new TextDecoder().decode(output.stdout).trimEnd().split("\n").map((line) =>
    line === "yes"
  );
}

const PIECES = [
  ..."abcXYZ019._-+=,;!#$%&()|<>'\"`{}~^:?*[]\\@/ ",
  "..",
  "//",
  "@{",
  "@{-1}",
  ".lock",
  ".lock/",
  "/.",
  ".LOCK",
  "HEAD",
  "refs/heads/",
  "feature/",
  "é",
  "你",
  "💥",
  "\u200b",
  "\t",
  "\n",
  "\r",
  "\u001b",
  "\u007f",
];

// Not asked: NUL, which no argument can hold; and where isBranchName() is stricter on purpose: "@" alone,
// C1 controls and very long names.
const hostile = fc.array(fc.constantFrom(...PIECES), { maxLength: 7 }).map((pieces) =>
  pieces.join("")
);
// One strange piece in a name that is good without it.
const nearly = fc.tuple(
  fc.constantFrom("", "a", "feature/x"),
  fc.constantFrom(...PIECES),
  fc.constantFrom("", "b", "/b"),
).map((pieces) => pieces.join(""));
const likely = fc.stringMatching(/^[a-z.@/-]{1,6}(?:\.lock)?$/);
const anything = fc.string({ unit: "grapheme", maxLength: 8 });
const name = fc.oneof({ arbitrary: nearly, weight: 3 }, hostile, likely, anything).filter((text) =>
  text !== "@" && [...text].every((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code !== 0 && (code < 0x80 || code > 0x9f);
  })
);

Deno.test({
  name: "isBranchName() agrees with git about hostile names",
  ignore: Deno.build.os === "windows",
  async fn() {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 60, maxLength: 60 }), async (names) => {
        const answers = await gitAccepts(names);
        accepted += answers.filter((answer) => answer).length;
        for (const [index, text] of names.entries()) {
          assertEquals(isBranchName(text), answers[index], JSON.stringify(text));
        }
      }),
      { numRuns: 12 },
    );
    assert(accepted > 10, "names of both kinds were asked");
  },
});
