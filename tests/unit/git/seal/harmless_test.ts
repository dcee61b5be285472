/**
 * Every key of git's documentation, as the seal judges it (SEAL-2): one that a git invents is judged by a person first.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { HOOK_EVENTS } from "../../../../src/git/call/settings.ts";
import { isHarmlessKey } from "../../../../src/git/seal/judge.ts";
import { documentedKeys, type Judged, judgedKeys } from "../../../support/git_keys.ts";

/** A value that no key may have to which values matter. */
const NONSENSE = "--a::b\n";

/** Whether the program judges a key as the file does. */
function agrees({ judgement, key, sample }: Judged): boolean {
  const name = key.toLowerCase().replaceAll(/<[^>]*>|\*/g, "x");
  const passes = (value: string) => isHarmlessKey(name, [value]);
  switch (judgement) {
    case "any":
      return passes(NONSENSE);
    case "some":
      return !passes(NONSENSE) && passes(sample);
    case "look":
    case "expected":
      return ![NONSENSE, "true", "origin", "none"].some(passes);
    case "event":
      return HOOK_EVENTS.includes(key.replace(/^hook:/, ""));
    default:
      return false;
  }
}

Deno.test("every key of git's documentation is judged as the list says", () => {
  assertEquals(judgedKeys().filter((one) => !agrees(one)), []);
});

Deno.test("the git that is installed documents no key that nobody has judged", async () => {
  const judged = new Set(judgedKeys().map(({ key }) => key));
  const fresh = (await documentedKeys()).filter((key) => !judged.has(key));
  assertEquals(fresh, [], "deno task git-keys adds them to the list, where a person judges them");
});
