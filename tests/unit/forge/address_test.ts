import { assertEquals } from "@std/assert";
import { kindAt, slugOf } from "../../../src/forge/forges.ts";
import type { ForgeKind } from "../../../src/forge/port.ts";

/** Address, kind, and what is found: site, owner, name. */
const ADDRESSES: readonly (readonly [string, ForgeKind, readonly string[] | null])[] = [
  ["https://github.com/shop/api.git", "github", ["https://github.com", "shop", "api"]],
  ["https://me@github.com/shop/api", "github", ["https://github.com", "shop", "api"]],
  ["git@github.com:shop/api.git", "github", ["https://github.com", "shop", "api"]],
  ["git@GitHub.com:/shop/api/", "github", ["https://github.com", "shop", "api"]],
  ["ssh://git@ssh.github.com:443/shop/api.git", "github", ["https://github.com", "shop", "api"]],
  ["https://github.com/shop/core/api", "github", null],
  ["https://github.com/api", "github", null],
  ["git@gitlab.com:shop/core/api.git", "gitlab", ["https://gitlab.com", "shop/core", "api"]],
  ["ssh://git@altssh.gitlab.com:443/shop/api", "gitlab", ["https://gitlab.com", "shop", "api"]],
  ["http://localhost:3000/shop/api.git", "gitea", ["http://localhost:3000", "shop", "api"]],
  ["https://host/git/shop/api.git", "gitea", ["https://host/git", "shop", "api"]],
  ["ssh://git@host:2222/shop/api.git", "gitea", ["https://host", "shop", "api"]],
  ["https://host/shop/%2e%2e/api", "gitlab", null],
  ["https://host/shop/a?b=c", "gitea", ["https://host", "shop", "a"]],
  ["git@host:../shop/api", "gitea", null],
  ["file:///srv/git/shop/api.git", "gitea", null],
  ["/srv/git/shop/api.git", "github", null],
  ["../api", "github", null],
  ["ext::sh -c id", "github", null],
];

for (const [url, kind, expected] of ADDRESSES) {
  Deno.test(`slugOf() of ${url} at ${kind}`, () => {
    const found = slugOf(url, kind);
    assertEquals(found === null ? null : [found.site, found.owner, found.name], expected);
  });
}

const FORGES = { "git.example.com": "gitlab", "localhost:3000": "gitea" } as const;
const KINDS: readonly (readonly [string, ForgeKind | null])[] = [
  ["git@github.com:shop/api.git", "github"],
  ["https://codeberg.org/shop/api", "gitea"],
  ["ssh://git@git.example.com:2222/shop/api.git", "gitlab"],
  ["https://git.example.com:8443/shop/api.git", "gitlab"],
  ["http://localhost:3000/shop/api.git", "gitea"],
  ["http://localhost:4000/shop/api.git", null],
  ["https://github.com.evil.example/shop/api", null],
  ["https://constructor/shop/api", null],
  ["/srv/git/api.git", null],
];

for (const [url, expected] of KINDS) {
  Deno.test(`kindAt() of ${url}`, () => {
    assertEquals(kindAt(url, FORGES), expected);
  });
}
