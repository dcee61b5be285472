// Covers which names of files say that a secret is kept there, in whatever case they are written.

import { assertEquals } from "@std/assert";
import { looksSecret } from "../../../src/workspace/mod.ts";

const NAMES: readonly (readonly [string, boolean])[] = [
  ["id_rsa", true],
  ["keys/ID_RSA", true],
  ["id_rsa.pub", false],
  [".env", true],
  ["web/.ENV.Production", true],
  [".env.example", false],
  ["certs/Server.PEM", true],
  [".AWS/Credentials", true],
  ["docs/credentials.md", false],
  [".ssh/config", false],
  ["Secrets.YAML", true],
  ["secretary.yaml", false],
];

for (const [path, isSecret] of NAMES) {
  Deno.test(`looksSecret() of ${path}`, () => assertEquals(looksSecret(path), isSecret));
}
