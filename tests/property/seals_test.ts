/**
 * What this program reads of a configuration to remember it is what git reads.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { configKeys, listedKeys } from "../../src/git/files/config_text.ts";
import fc from "../support/fast_check.ts";
import { World } from "../support/world.ts";

/** Pieces of which files of configuration consist, right and wrong ones. */
const PIECE = fc.constantFrom(
  ...'[]="\\#; \t\n.-aZ9é%'.split(""),
  "[core]\n",
  '[remote "origin"]',
  '[a "b \\"c\\\\ d"]\n',
  "[Section.Sub]\n",
  "[x] y = z\n",
  "key = value\n",
  "key\n",
  "Name = two  words ; comment\n",
  'quoted = " kept  " rest # comment\n',
  "continued = one \\\n  two\n",
  'escaped = \\t\\n\\b\\\\ \\"\n',
  "wrong = \\q\n",
  "\r\n",
  "include",
  "\n",
);

Deno.test("a configuration is remembered as git reads it, and what git refuses as nothing", async () => {
  await using world = await World.make();
  // All texts in one process: each in a file of its own, which a script lists.
  const texts = fc.sample(fc.array(PIECE, { maxLength: 14 }).map((parts) => parts.join("")), {
    numRuns: 300,
  });
  for (const [index, text] of texts.entries()) await world.write(`${index}`, text);
  const script = `for i in $(seq 0 ${texts.length - 1}); do
    git config --list --no-includes -z --file $i > $i.out 2> /dev/null || rm $i.out; done`;
  await world.command("sh", ["-c", script], { cwd: world.directory });
  for (const [index, text] of texts.entries()) {
    const listed = await Deno.readTextFile(`${world.directory}/${index}.out`).catch(() => null);
    const expected = listed === null ? null : listedKeys(listed);
    assertEquals(configKeys(text), expected, JSON.stringify(text));
  }
});
