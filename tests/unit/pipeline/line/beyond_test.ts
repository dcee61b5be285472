// What words are taken for that no argument takes.

import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { parseInvocation } from "../../../../src/pipeline/line/parse.ts";
import { writtenLines } from "../../../../src/pipeline/tool_words.ts";
import { COMMANDS } from "../../../support/loaded.ts";

const CASES: readonly (readonly [path: string, rest: readonly string[], hint: string])[] = [
  ["commit", ["-m", "Say", "hello"], "Put the whole text in quotes: amof commit -m 'Say hello'"],
  [
    "commit",
    ["-am", "Say", "it", "--allow-base"],
    "Put the whole text in quotes: amof commit -am 'Say it' --allow-base",
  ],
  [
    "push",
    ["--repo", "api", "--commit", "--message=fix", "the", "bug"],
    "Put the whole text in quotes: amof push --repo api --commit '--message=fix the bug'",
  ],
  [
    "commit",
    ["--message-for", "api=Say", "hello"],
    "Put the whole text in quotes: amof commit --message-for 'api=Say hello'",
  ],
  ["journal add", ["We", "met"], "Put the whole text in quotes: amof journal add 'We met'"],
  [
    "journal add",
    ["-e", "shop", "We", "met"],
    "Put the whole text in quotes: amof journal add -e shop 'We met'",
  ],
  // A text with a blank had its quotes.
  [
    "commit",
    ["-m", "Say hello", "api"],
    "Name repositories with --repo: amof commit -m 'Say hello' --repo api\n" +
    "Name the ecosystem: amof commit -m 'Say hello' --ecosystem api",
  ],
  ["commit", ["Say hello"], "Name the text with -m: amof commit -m 'Say hello'"],
  [
    "status",
    ["api", "--fetch", "web"],
    "Name repositories with --repo: amof status --fetch --repo api,web",
  ],
  [
    "push",
    ["--repo", "api", "web"],
    "Name repositories with --repo: amof push --repo api --repo web",
  ],
  [
    "archive",
    ["shop", "--yes"],
    "Name the ecosystem with --ecosystem: amof archive --yes --ecosystem shop",
  ],
  ["ticket start", ["T-1", "more"], "See: amof ticket start --help"],
];

Deno.test("words that no argument takes are told with the line that was meant", async () => {
  for (const [path, rest, hint] of CASES) {
    const entry = COMMANDS.find((command) => command.path.join(" ") === path);
    if (entry === undefined) throw new Error(path);
    const error = await assertRejects(() => parseInvocation(entry, rest), AmofError);
    assertEquals(error.hint, hint, rest.join(" "));
    for (const { words } of writtenLines(hint)) {
      if (!words.includes("--help")) {
        await parseInvocation(entry, words.slice(entry.path.length));
      }
    }
  }
});
