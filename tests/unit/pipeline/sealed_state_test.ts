// Covers seal(), unseal() and isFor(): whoever carries a state can neither read another one out of it nor make one.

import { assertEquals } from "@std/assert";
import { isFor, seal, type State, unseal } from "../../../src/pipeline/consent/approver.ts";

const KEY = "k".repeat(64);
const STATE: State = {
  nonce: "0".repeat(32),
  tool: "amof_push_ecosystem",
  args: "a".repeat(64),
  fingerprint: "f".repeat(64),
  principal: "p".repeat(64),
  expiresAt: 1_795_863_873_178,
  round: 1,
  question: "confirm",
};
const TEXT = seal(KEY, STATE);

Deno.test("a state comes out of its seal as it went in, and is not long", () => {
  assertEquals(unseal(KEY, TEXT), STATE);
  assertEquals(seal(KEY, STATE), TEXT);
  assertEquals(TEXT.length < 1024, true);
});

Deno.test("a state that is changed at any place is none", () => {
  for (let at = 0; at < TEXT.length; at++) {
    const other = TEXT[at] === "A" ? "B" : "A";
    const changed = TEXT.slice(0, at) + other + TEXT.slice(at + 1);
    // The last character of a base64 text has bits that stand for nothing.
    if (changed !== TEXT) assertEquals(unseal(KEY, changed), null, `${at}`);
    assertEquals(unseal(KEY, TEXT.slice(0, at)), null, `cut at ${at}`);
  }
});

for (
  const [what, text] of Object.entries({
    "nothing": "",
    "a token": "3f0c6f4e-8a39-4a57-9d0f-2f6f6f7f8a90",
    "more behind it": `${TEXT}A`,
    "a line behind it": `${TEXT}\n`,
    "one of another installation": seal("other", STATE),
    "one that is far too long": TEXT.replace(".", `.${"A".repeat(5_000_000)}`),
    "the seal of a body that is none": "amof1.e30.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  })
) {
  Deno.test(`no state: ${what}`, () => assertEquals(unseal(KEY, text), null));
}

Deno.test("a state is good for the call that it was made for alone", () => {
  const { tool, args, principal } = STATE;
  const other = "b".repeat(64);
  assertEquals(isFor(STATE, { tool, args, principal }), true);
  assertEquals(isFor(STATE, { tool: "amof_discard", args, principal }), false);
  assertEquals(isFor(STATE, { tool, args: other, principal }), false);
  assertEquals(isFor(STATE, { tool, args, principal: other }), false);
});
