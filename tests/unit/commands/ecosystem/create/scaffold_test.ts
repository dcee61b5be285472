// Covers parseRepo(): `name=url[@branch][:ro]` with every kind of address.

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parseRepo } from "../../../../../src/commands/ecosystem/create/scaffold.ts";
import { AmofError } from "../../../../../src/base/error.ts";

const READ: readonly (readonly [string, string, string | null, boolean])[] = [
  ["https://host/api.git", "https://host/api.git", null, false],
  ["https://host/api.git@develop", "https://host/api.git", "develop", false],
  ["https://host/api.git@feature/a/b", "https://host/api.git", "feature/a/b", false],
  ["https://host/api.git:ro", "https://host/api.git", null, true],
  ["https://host/api.git@v1.x:ro", "https://host/api.git", "v1.x", true],
  ["https://user@host/api.git", "https://user@host/api.git", null, false],
  ["https://user@host/api.git@develop", "https://user@host/api.git", "develop", false],
  ["https://host:8443/api.git@develop", "https://host:8443/api.git", "develop", false],
  ["https://host/api?a=b", "https://host/api?a=b", null, false],
  ["git@host:org/api.git", "git@host:org/api.git", null, false],
  ["git@host:org/api.git@feature/x", "git@host:org/api.git", "feature/x", false],
  ["git@host:org/api.git@feature/x:ro", "git@host:org/api.git", "feature/x", true],
  ["host:org/api.git", "host:org/api.git", null, false],
  ["host:org/api.git@develop", "host:org/api.git", "develop", false],
  ["ssh://git@host/api.git", "ssh://git@host/api.git", null, false],
  ["ssh://git@host:22/api.git@develop", "ssh://git@host:22/api.git", "develop", false],
  ["ssh://git@host/~me/api.git", "ssh://git@host/~me/api.git", null, false],
  ["file:///srv/api.git", "file:///srv/api.git", null, false],
  ["file:///srv/api.git@develop:ro", "file:///srv/api.git", "develop", true],
  ["/srv/api.git@develop", "/srv/api.git", "develop", false],
  ["../api.git", "../api.git", null, false],
];

for (const [address, url, branch, readonly] of READ) {
  Deno.test(`parseRepo() reads api=${address}`, () => {
    assertEquals(parseRepo(`api=${address}`), { name: "api", url, branch, readonly });
  });
}

const REFUSED: readonly (readonly [string, string, string])[] = [
  ["no equals sign", "https://host/api.git", "no valid name"],
  ["no name", "=https://host/api.git", "no valid name"],
  ["a name that is no slug", "../x=https://host/api.git", "no valid name"],
  ["no address", "api=", "may not be cloned"],
  ["no address but :ro", "api=:ro", "may not be cloned"],
  ["an address that runs a program", "api=ext::sh -c x", "may not be cloned"],
  ["an address that is an option", "api=--upload-pack=x", "may not be cloned"],
  ["a host that is an option", "api=ssh://-oProxyCommand=x/y", "may not be cloned"],
  ["an empty branch", "api=https://host/api.git@", "cannot be the name of a branch"],
  ["a branch that is an option", "api=https://host/api.git@-x", "cannot be the name of a branch"],
  ["a branch that git refuses", "api=https://host/api.git@a..b", "cannot be the name of a branch"],
  ["HEAD", "api=https://host/api.git@HEAD", "cannot be the name of a branch"],
];

for (const [what, text, why] of REFUSED) {
  Deno.test(`parseRepo() refuses ${what}`, () => {
    const error = assertThrows(() => parseRepo(text), AmofError);
    assertEquals([error.code, error.details], ["invalid_arguments", { field: "repos" }]);
    assertStringIncludes(error.message, why);
  });
}

Deno.test("parseRepo() repeats no credentials when it refuses", () => {
  const error = assertThrows(() => parseRepo("api=https://me:hunter2@host/api.git@-x"), AmofError);
  assertEquals(error.message.includes("hunter2"), false);
});
