// Covers addresses of repositories: what of them lets somebody in, and which mean the same one.

import { assertEquals, assertNotEquals } from "@std/assert";
import {
  addressKey,
  hasCredentials,
  otherAddress,
  otherAddressWords,
  withoutCredentials,
} from "../../../../src/workspace/clones/address.ts";

const TOKEN = "abcdefghij0123456789abcdefghij0123456789";

for (
  const [url, without] of [
    ["https://acme@dev.azure.com/acme/p/_git/svc", null],
    ["https://jane_doe@bitbucket.org/acme/svc.git", null],
    ["https://jane@example.com:8443/svc.git", null],
    ["ssh://git@example.com:2222/svc.git", null],
    ["ssh://jane.doe@example.com/svc.git", null],
    ["git@example.com:acme/svc.git", null],
    ["https://example.com/a:b@c.git", null],
    ["file:///srv/svc.git", null],
    ["/srv/svc.git", null],
    ["https://me:secret@example.com/svc.git", "https://example.com/svc.git"],
    ["https://me:se:cr@et@example.com/svc.git", "https://example.com/svc.git"],
    ["https://:secret@example.com/svc.git", "https://example.com/svc.git"],
    ["ssh://me:secret@example.com/svc.git", "ssh://me@example.com/svc.git"],
    ["HTTPS://me:secret@example.com/svc.git", "HTTPS://example.com/svc.git"],
    [`https://${TOKEN}@example.com/svc.git`, "https://example.com/svc.git"],
    [`https://${TOKEN}:x-oauth-basic@example.com/svc.git`, "https://example.com/svc.git"],
    ["https://ghp_0123456789012345678901@example.com/svc", "https://example.com/svc"],
  ] as const
) {
  Deno.test(`${url.replace(TOKEN, "TOKEN")} ${without === null ? "keeps" : "gives up"} who asks`, () => {
    assertEquals(withoutCredentials(url), without ?? url);
    assertEquals(hasCredentials(url), without !== null);
  });
}

Deno.test("the address of a clone is compared with that of the manifest", async () => {
  const cases: readonly [
    url: string,
    is: { configured?: string; address?: string; meaning?: string },
    other: string | null,
  ][] = [
    ["/srv/api.git", { configured: "/srv/api" }, null],
    ["/srv/api.git", { configured: "/srv/web", address: "/srv/web" }, "/srv/web"],
    ["/srv/api.git", { configured: "gh:api", address: "/srv/api.git" }, null],
    // The manifest may have the short form, too.
    ["gh:api", { configured: "/srv/api", address: "/srv/api", meaning: "/srv/api.git" }, null],
    ["gh:api", { configured: "gh:web", address: "/srv/web", meaning: "/srv/api" }, "/srv/web"],
    ["../api.git", { configured: "/srv/web", address: "/srv/web" }, null],
    ["/srv/api.git", {}, ""],
    ["../api.git", {}, ""],
    // The settings of the user may name one, too.
    ["/srv/api.git", { address: "/srv/api.git" }, null],
  ];
  for (const [url, { configured = null, address = null, meaning = url }, other] of cases) {
    const remotes = {
      configured: () => Promise.resolve(configured),
      address: () => Promise.resolve(address),
      url: () => Promise.resolve(address),
      meaning: () => Promise.resolve(meaning),
    };
    const found = await otherAddress(
      { remotes } as unknown as Parameters<typeof otherAddress>[0],
      url,
    );
    assertEquals(found, other, url);
  }
  assertEquals(otherAddressWords({ url: "/srv/a b.git" }, "/w/api", ""), [
    "it has no remote origin, by which everything goes",
    "git -C /w/api remote add origin '/srv/a b.git'",
  ]);
  assertEquals(otherAddressWords({ url: "/srv/a.git" }, "/w/api", "", "canon"), [
    "its remote is called canon, and everything goes by origin",
    "git -C /w/api remote rename canon origin",
  ]);
});

Deno.test("a token may also stand behind an address", () => {
  assertEquals(hasCredentials("https://example.com/svc.git?access_token=hunter2"), true);
});

Deno.test("spellings of one address have one key, and others another", () => {
  const same = [
    "https://example.com/acme/svc.git",
    "https://Example.com/acme/svc/",
    "https://jane@example.com:443/acme/svc",
    "http://example.com/acme/svc",
    "ssh://git@example.com/acme/svc.git",
    "ssh://git@example.com:22/acme/svc.git",
    "git@example.com:acme/svc.git",
    "git@example.com:/acme/svc.git",
    "example.com:acme/svc",
  ];
  assertEquals([...new Set(same.map(addressKey))], ["example.com/acme/svc"]);
  assertEquals(addressKey("file:///srv/svc.git"), addressKey("/srv/svc"));
  for (
    const other of [
      "https://example.com/acme/other.git",
      "https://example.org/acme/svc.git",
      "ssh://git@example.com:2222/acme/svc.git",
      "/srv/acme/svc.git",
    ]
  ) assertNotEquals(addressKey(other), "example.com/acme/svc");
});
