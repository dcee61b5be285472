// Laws of cleaning and masking: nothing unsafe is left, and doing it twice changes nothing.

import { assert, assertEquals } from "@std/assert";
import fc, { anyCharacter } from "fast-check";
import { maskSecrets, maskValue } from "../../src/base/text/mask.ts";
import { cleanLine, stripUnsafe } from "../../src/base/text/sanitize.ts";

/** Texts of pieces that matter, mixed with anything. */
function textOf(...pieces: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom(...pieces),
    fc.string({ unit: anyCharacter, maxLength: 6 }),
  );
  return fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
}

const unsafe = textOf(
  "\u001b",
  "\u001b[",
  "\u001b]8;;",
  "31m",
  "m",
  "\u0007",
  "\u001b\\",
  "\u009b",
  "\u202e",
  "\u200b",
  "\ufeff",
  "\u2028",
  "\t",
  "\n",
  "\r",
  "\ud800",
  "\u{e0041}",
  "text",
);

Deno.test("stripUnsafe() leaves no control character but tab and newline, and no format character", () => {
  fc.assert(fc.property(unsafe, (text) => {
    const clean = stripUnsafe(text);
    assert(!/\p{Cf}|\u2028|\u2029/u.test(clean));
    assert(!/\p{Cc}/u.test(clean.replace(/[\t\n]/g, "")));
  }));
});

Deno.test("stripUnsafe() twice is stripUnsafe() once", () => {
  fc.assert(
    fc.property(unsafe, (text) => assertEquals(stripUnsafe(stripUnsafe(text)), stripUnsafe(text))),
  );
});

Deno.test("stripUnsafe() keeps text that holds nothing unsafe", () => {
  const harmless = textOf("text", "\t", "\n", "[31m", " ").filter((text) =>
    !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text.replace(/[\t\n]/g, ""))
  );
  fc.assert(fc.property(harmless, (text) => assertEquals(stripUnsafe(text), text)));
});

Deno.test("cleanLine() is one line that fits", () => {
  fc.assert(fc.property(unsafe, fc.integer({ min: 1, max: 40 }), (text, max) => {
    const line = cleanLine(text, max);
    assert(line.length <= max);
    assert(!/[\n\t\r]/.test(line));
  }));
});

const secretive = textOf(
  "https://",
  "user:",
  "hunter2",
  "@host/",
  "@",
  "/",
  "Authorization",
  "Authorization: ",
  "Bearer ",
  "basic ",
  "token",
  "password",
  "api-key",
  "=",
  ": ",
  '"',
  "'",
  "\\",
  " ",
  "\n",
  "***",
  `ghp_${"a".repeat(20)}`,
  `sk-${"a".repeat(20)}`,
  `eyJ${"a".repeat(8)}.${"b".repeat(8)}.`,
);

Deno.test("maskSecrets() twice is maskSecrets() once", () => {
  fc.assert(
    fc.property(
      secretive,
      (text) => assertEquals(maskSecrets(maskSecrets(text)), maskSecrets(text)),
    ),
    { numRuns: 1000 },
  );
});

Deno.test("maskValue() twice is maskValue() once", () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom("token", "url", "list", "n"),
      fc.oneof(secretive, fc.array(secretive), fc.nat()),
    ),
  );
  fc.assert(
    fc.property(value, (json) => assertEquals(maskValue(maskValue(json)), maskValue(json))),
  );
});

const word = fc.stringMatching(/^[A-Za-z0-9]{6,20}$/);

Deno.test("maskSecrets() leaves no password of a URL, whatever stands around it", () => {
  fc.assert(
    fc.property(
      word,
      fc.constantFrom("https", "ssh", "ftp", "git+x"),
      textOf(" ", "'", "/", "x"),
      (secret, scheme, around) => {
        fc.pre(!around.includes(secret) && !"***".includes(secret));
        const text = `${around} ${scheme}://me:${secret}@host/x ${around}`;
        assert(!maskSecrets(text).includes(secret), maskSecrets(text));
      },
    ),
  );
});

Deno.test("maskSecrets() leaves no value of a name that says it is secret", () => {
  const name = fc.constantFrom(
    "password",
    "DB_PASSWORD",
    "client_secret",
    "x-api-key",
    "accessKey",
    "private_key",
    "GITHUB_TOKEN",
  );
  const sign = fc.constantFrom("=", ": ", " = ", '="', "='", '": "');
  fc.assert(fc.property(word, name, sign, (secret, key, between) => {
    fc.pre(!`${key}${between}`.toLowerCase().includes(secret.toLowerCase()));
    assert(!maskSecrets(`start ${key}${between}${secret} end`).includes(secret));
  }));
});

Deno.test("maskSecrets() leaves commits as they are", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[0-9a-f]{40}$/),
      (sha) => assertEquals(maskSecrets(`at ${sha}`), `at ${sha}`),
    ),
  );
});
