// Covers withoutSecrets(): what an entry holds as a secret is shown nowhere, however it is written.

import { assertEquals } from "@std/assert";
import { secretsIn, withoutSecrets } from "../../../../src/state/entries/shown.ts";

const ENTRY = { env: { MY_TOKEN: 'pl"ain word', HOME: "/home/me" }, args: ["--password", "hush"] };

Deno.test("secretsIn() finds what is called a secret, and what stands behind such an option", () => {
  assertEquals(secretsIn(ENTRY).map(({ member }) => member), ["env.MY_TOKEN", "args.1"]);
  assertEquals(secretsIn({ env: { MY_TOKEN: "${TOKEN}" } }), []);
});

Deno.test("withoutSecrets() hides them in text, in JSON and by themselves", () => {
  const text = JSON.stringify(ENTRY);
  assertEquals(
    withoutSecrets(`${text} and pl"ain word, hush`, ENTRY),
    '{"env":{"MY_TOKEN":"***","HOME":"/home/me"},"args":["--password","***"]} and ***, ***',
  );
});
