// Covers maskSecrets() and maskValue(): credentials disappear, ordinary text stays as it is.

import { assertEquals } from "@std/assert";
import { maskSecrets, maskValue } from "../../../../src/base/text/mask.ts";

// The shapes are put together here, so that no scanner takes this file for a leak.
const GITHUB = `ghp_${"a1B2".repeat(9)}`;
const FINE_GRAINED = `github_pat_${"a1B2_".repeat(8)}`;
const GITLAB = `glpat-${"aB3-_".repeat(4)}`;
const SLACK = `xoxb-${"123456789012-".repeat(2)}abc`;
const AWS = `AKIA${"ABCD1234".repeat(2)}`;
const OPENAI = `sk-${"proj_Ab1-".repeat(4)}`;
const JWT = [`eyJ${"hbGciOiJI".repeat(2)}`, "eyJzdWIiOiIxMjM0NTY3", "SflKxwRJSMeKKF2QT4"].join(".");

const MASKED: readonly (readonly [string, string, string])[] = [
  ["user and password of a URL", "https://me:pa55@host/x.git", "https://***@host/x.git"],
  ["a token as the user of a URL", "https://abcdef@host/x", "https://***@host/x"],
  ["a password that holds an at sign", "https://me:pa@55@host/x", "https://***@host/x"],
  ["an empty user with a password", "https://:pa55@host/x", "https://***@host/x"],
  ["a name for SSH that may be a secret", "ssh://me@host/x", "ssh://***@host/x"],
  ["a name for SSH with a password", "ssh://git:pa55@host/x", "ssh://***@host/x"],
  ["a name for SSH that goes on", "ssh://git@pa55@host/x", "ssh://***@host/x"],
  ["the name for SSH with another scheme", "https://git@host/x", "https://***@host/x"],
  ["credentials of any scheme", "ssh+x://me:pa55@host", "ssh+x://***@host"],
  [
    "credentials of every URL on a line",
    "from https://a:b@one/x to http://c:d@two/y",
    "from https://***@one/x to http://***@two/y",
  ],
  ["a bearer header", "Authorization: Bearer abc.def-1", "Authorization: Bearer ***"],
  ["a basic header", "authorization: basic dXNlcjpwYXNz", "authorization: basic ***"],
  ["a header with a bare value", "Authorization: abcdef", "Authorization: ***"],
  ["a header with an unknown scheme", "Authorization: Negotiate YIIabc", "Authorization: ***"],
  [
    "a header in a git argument",
    'http.extraheader="Authorization: Basic YWJj" fetch',
    'http.extraheader="Authorization: Basic ***" fetch',
  ],
  ["a header in JSON", '{"Authorization":"Bearer abc"}', '{"Authorization":"Bearer ***"}'],
  [
    "a header in an environment variable",
    "HTTP_AUTHORIZATION=Bearer abc",
    "HTTP_AUTHORIZATION=Bearer ***",
  ],
  ["a GitHub token", `push with ${GITHUB} now`, "push with *** now"],
  ["every kind of GitHub token", `gho_${GITHUB.slice(4)} ghs_${GITHUB.slice(4)}`, "*** ***"],
  ["a fine-grained GitHub token", `(${FINE_GRAINED})`, "(***)"],
  ["a GitLab token", `use ${GITLAB}`, "use ***"],
  ["a Slack token", `use ${SLACK}`, "use ***"],
  ["an AWS key id", `id ${AWS}.`, "id ***."],
  ["an API key that begins with sk-", `use ${OPENAI}`, "use ***"],
  ["a JSON Web Token", `got ${JWT}`, "got ***"],
  ["a password that is assigned", "DB_PASSWORD=hunter2 start", "DB_PASSWORD=*** start"],
  ["a password behind a colon", "password: hunter2", "password: ***"],
  ["a secret in a query string", "?client_secret=abc&user=me", "?client_secret=***&user=me"],
  ["a token in JSON", '{"token":"abc","n":1}', '{"token":"***","n":1}'],
  ["a quoted password with spaces", 'password="correct horse" x', 'password="***" x'],
  ["a quoted password with an escaped quote", '{"password":"a\\"b c"}', '{"password":"***"}'],
  ["a password in single quotes", "secret = 'a b' x", "secret = '***' x"],
  ["an access key", "AWS_SECRET_ACCESS_KEY=abc/def+1", "AWS_SECRET_ACCESS_KEY=***"],
  ["an API key in a header", "x-api-key: abc", "x-api-key: ***"],
  [
    "an account's variable",
    "STOCKTRIM_API_AUTH_SIGNATURE=My Shop\nx",
    "STOCKTRIM_API_AUTH_SIGNATURE=***\nx",
  ],
  ["an account's header", "> api-auth-id: ab cd", "> api-auth-id: ***"],
  ["an account in JSON", '{"api-auth-id":"a b","n":1}', '{"api-auth-id":"***","n":1}'],
  ["a private key name in camel case", "apiKey=abc, accessKey=def", "apiKey=***, accessKey=***"],
];

for (const [what, text, masked] of MASKED) {
  Deno.test(`maskSecrets() hides ${what}`, () => assertEquals(maskSecrets(text), masked));
}

const ORDINARY: readonly string[] = [
  "9b9fc3b2d9a1e5b0c7f64f0a8f1f3b0e6d2c4a58",
  "tokenizer works",
  "the token is checked, the secret stays secret",
  "summary_tokens: 2000, max_tokens=5",
  "git@github.com:org/repo.git",
  "from ssh://git@github.com/org/repo.git, as it is",
  "https://github.com/org/repo.git",
  "https://packages.example/@scope/name",
  "mail me at someone@example.com",
  "risk-free task-sk-1 sk-short",
  "AKIA is a prefix",
  "a.b.c and eyJ",
  "Pushed 2 repos in 4.2s → main",
];

for (const text of ORDINARY) {
  Deno.test(`maskSecrets() leaves "${text}" as it is`, () => assertEquals(maskSecrets(text), text));
}

Deno.test("maskSecrets() copes with a long line of word boundaries", () => {
  const line = "a-".repeat(100_000);
  assertEquals(maskSecrets(line), line);
});

Deno.test("maskValue() masks strings at any depth", () => {
  assertEquals(
    maskValue({ repos: [{ url: "https://a:b@host/x" }], note: ["password=x"] }),
    { repos: [{ url: "https://***@host/x" }], note: ["password=***"] },
  );
});

Deno.test("maskValue() masks whole strings under keys that name a secret", () => {
  assertEquals(
    maskValue({
      confirmation_token: "abc",
      "api-key": "abc",
      privateKey: "abc",
      "api-auth-signature": "abc",
      Authorization: "Bearer abc",
      credentials: "abc",
      name: "abc",
    }),
    {
      confirmation_token: "***",
      "api-key": "***",
      privateKey: "***",
      "api-auth-signature": "***",
      Authorization: "***",
      credentials: "***",
      name: "abc",
    },
  );
});

Deno.test("maskValue() keeps numbers, booleans and null", () => {
  const value = { tokens: 5, token: null, dry_run: true, list: [1, false, null] };
  assertEquals(maskValue(value), value);
});

Deno.test("maskValue() changes a copy and not the value", () => {
  const value = { url: "https://a:b@host" };
  maskValue(value);
  assertEquals(value.url, "https://a:b@host");
});
