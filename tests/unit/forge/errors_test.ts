import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ForgeAnswer, ForgeKind } from "../../../src/forge/port.ts";
import { forgeError, limitOf, unmerged, wordsOf } from "../../../src/forge/answers.ts";

const NOW = 1_000_000;
const SLUG = { host: "github.com", site: "https://github.com", owner: "shop", name: "api" };

function answer(
  status: number,
  headers: Record<string, string> = {},
  body: unknown = null,
): ForgeAnswer {
  return { status, headers: new Map(Object.entries(headers)), body };
}

/** What is answered, and for how many milliseconds the host wants to be left alone. */
const LIMITS: readonly (readonly [ForgeAnswer, number | null])[] = [
  [answer(200, { "x-ratelimit-remaining": "0" }), null],
  [answer(403), null],
  [answer(403, { "retry-after": "7" }), 7_000],
  [answer(429, { "retry-after": "0" }), 0],
  [answer(429, { "retry-after": "Thu, 01 Jan 1970 00:16:50 GMT" }), 10_000],
  [answer(429, { "retry-after": "Thu, 01 Jan 1970 00:16:30 GMT" }), 0],
  [answer(429, { "retry-after": "soon" }), 60_000],
  [answer(429), 60_000],
  [answer(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030" }), 30_000],
  [answer(429, { "ratelimit-remaining": "0", "ratelimit-reset": "900" }), 0],
  [answer(403, { "x-ratelimit-remaining": "12" }), null],
  [answer(403, {}, { message: "You have exceeded a secondary rate limit" }), 60_000],
];

for (const [found, expected] of LIMITS) {
  const headers = [...found.headers].join(" ");
  Deno.test(`limitOf() ${found.status} ${headers} ${JSON.stringify(found.body)}`, () => {
    assertEquals(limitOf(found, NOW), expected);
  });
}

/** A status, and what is said of it. */
const REFUSALS: readonly (readonly [number, string])[] = [
  [301, "it has moved"],
  [403, "you have no right to do that"],
  [404, "or you have no right to see it"],
  [422, "the forge refuses it, 422"],
  [502, "the forge has an error of its own, 502"],
];

for (const [status, said] of REFUSALS) {
  Deno.test(`refusal() of ${status}`, () => {
    const body = { message: "Bad \u001b[31mwords\n✓ Merged" };
    const error = forgeError(answer(status, {}, body), "open a pull request", SLUG);
    assertEquals(error.code, "forge_failed");
    assertStringIncludes(error.message, "Cannot open a pull request in shop/api of github.com");
    assertStringIncludes(error.message, said);
    assertStringIncludes(error.message, "(it says: Bad words ✓ Merged)");
  });
}

Deno.test("wordsOf() takes the words of every kind of forge", () => {
  const bodies = [
    { message: "Validation Failed", errors: [{ message: "exists" }, { code: "x" }] },
    { message: ["one", "two"] },
    { error: "insufficient_scope" },
    "a page",
    null,
  ];
  assertEquals(bodies.map((body) => wordsOf({ body })), [
    "Validation Failed; exists",
    "one; two",
    "insufficient_scope",
    "",
    "",
  ]);
});

/** A refused merge, and what is said of it. */
const UNMERGED: readonly (readonly [ForgeKind, number, RegExp])[] = [
  ["github", 405, /^a rule .* or this way of merging is not allowed \(it says: no\)$/],
  ["github", 409, /^something was pushed to it/],
  ["github", 403, /^you have no right to merge there/],
  ["gitlab", 401, /^you have no right to merge there/],
  ["gitlab", 405, /its pipeline has not passed/],
  ["gitlab", 422, /does not go together/],
  ["gitea", 405, /^a rule of the base branch/],
  ["gitea", 423, /archived/],
  ["gitea", 418, /^the forge refuses it, 418/],
  ["github", 502, /^the forge has an error of its own, 502/],
];

for (const [kind, status, said] of UNMERGED) {
  Deno.test(`unmerged() of ${kind} with ${status}`, () => {
    assertMatch(unmerged(kind, answer(status, {}, { message: "no" })), said);
  });
}
