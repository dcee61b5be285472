// Covers isBranchName(), against git itself, and isUnsafeUrl().

import { isBranchName } from "../../../../src/base/ids.ts";
import { assert, assertEquals } from "@std/assert";
import { isUnsafeUrl } from "../../../../src/git/call/address.ts";

async function gitAccepts(name: string): Promise<boolean> {
  const { success } = await new Deno.Command("git", {
    args: ["check-ref-format", "--branch", name],
    cwd: "/",
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CEILING_DIRECTORIES: "/",
    },
    stdout: "null",
    stderr: "null",
  }).output();
  return success;
}

const BRANCHES: readonly (readonly [string, boolean])[] = [
  ["main", true],
  ["feature/PROJ-123", true],
  ["feature/a/b/c", true],
  ["Grüße/你好", true],
  ["a@b", true],
  ["a./b", true],
  ["x.LOCK", true],
  ["{}", true],
  ["a-", true],
  ["refs/heads/x", true],
  ["heads/HEAD", true],
  ["", false],
  ["HEAD", false],
  ["-x", false],
  ["--all", false],
  ["a..b", false],
  ["a@{b", false],
  ["@{-1}", false],
  ["a//b", false],
  ["/a", false],
  ["a/", false],
  ["a.", false],
  [".a", false],
  ["a/.b", false],
  ["a.lock", false],
  ["a.lock/b", false],
  ["a b", false],
  ["a~1", false],
  ["a^", false],
  ["a:b", false],
  ["+a:b", false],
  ["a?", false],
  ["a*", false],
  ["a[b", false],
  ["a\\b", false],
  ["a\tb", false],
  ["a\nb", false],
  ["a\u007fb", false],
];

for (const [name, expected] of BRANCHES) {
  Deno.test(`isBranchName() says ${expected} about ${JSON.stringify(name)}, as git does`, async () => {
    assertEquals(isBranchName(name), expected);
    assertEquals(await gitAccepts(name), expected);
  });
}

const STRICTER: readonly (readonly [string, string])[] = [
  ["@", "which means HEAD elsewhere"],
  ["a\u0085b", "whose C1 control would reach a terminal"],
  ["x".repeat(245), "which no file system could hold as a lock file"],
];

for (const [name, why] of STRICTER) {
  Deno.test(`isBranchName() refuses ${JSON.stringify(name.slice(0, 5))}, ${why}`, () => {
    assertEquals(isBranchName(name), false);
  });
}

Deno.test("isBranchName() accepts the longest name", () => assert(isBranchName("x".repeat(244))));

Deno.test("isBranchName() refuses NUL, which no argument can hold", () => {
  assertEquals(isBranchName("a\u0000b"), false);
});

const URLS: readonly (readonly [string, boolean])[] = [
  ["https://github.com/org/repo.git", false],
  ["https://user@host/x", false],
  ["git@github.com:org/repo.git", false],
  ["ssh://git@host:22/x", false],
  ["ssh://[::1]/x", false],
  ["file:///srv/x.git", false],
  ["/srv/x.git", false],
  ["../x.git", false],
  ["local://srv/x", false],
  ["host-with-dash:x-y.git", false],
  ["ext::sh -c touch% /tmp/x", true],
  ["fd::17", true],
  ["EXT::x", true],
  ["transport+x::address", true],
  ["-oProxyCommand=x", true],
  ["--upload-pack=x", true],
  ["ssh://-oProxyCommand=x/y", true],
  ["ssh://git@-oProxyCommand=x/y", true],
  ["git+ssh://-oProxyCommand=x/y", true],
  ["ssh+git://-oProxyCommand=x/y", true],
  ["git@-oProxyCommand=x:y", true],
  ["https://host/x\nfoo", true],
  ["https://host/\u0000", true],
  ["https://host/\u001b[31m", true],
];

for (const [url, expected] of URLS) {
  Deno.test(`isUnsafeUrl() says ${expected} about ${JSON.stringify(url)}`, () => {
    assertEquals(isUnsafeUrl(url), expected);
  });
}
