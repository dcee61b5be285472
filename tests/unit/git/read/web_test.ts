// Covers webPage(): the page of a repository out of every spelling of a URL, and out of nothing else.

import { assertEquals } from "@std/assert";
import { webPage } from "../../../../src/git/read/web.ts";

Deno.test("webPage() knows the hosts people use, whatever way they clone", () => {
  const pages: readonly (readonly [string, string])[] = [
    ["https://github.com/shop/api.git", "https://github.com/shop/api"],
    ["https://github.com/shop/api/", "https://github.com/shop/api"],
    ["git@github.com:shop/api.git", "https://github.com/shop/api"],
    ["github.com:shop/api", "https://github.com/shop/api"],
    ["ssh://git@ssh.github.com:443/shop/api.git", "https://github.com/shop/api"],
    ["git://github.com/shop/api.git", "https://github.com/shop/api"],
    ["git@gitlab.com:shop/sub/api.git", "https://gitlab.com/shop/sub/api"],
    ["ssh://git@gitlab.example.com:2222/shop/api.git", "https://gitlab.example.com/shop/api"],
    ["git@bitbucket.org:shop/api.git", "https://bitbucket.org/shop/api"],
    ["https://bb.example.com/scm/shop/api.git", "https://bb.example.com/projects/shop/repos/api"],
    ["https://bb.example.com/scm/~ada/api.git", "https://bb.example.com/users/ada/repos/api"],
    ["https://example.com/git/scm/s/a.git", "https://example.com/git/projects/s/repos/a"],
    ["git@ssh.dev.azure.com:v3/org/shop/api", "https://dev.azure.com/org/shop/_git/api"],
    ["https://dev.azure.com/org/shop/_git/api", "https://dev.azure.com/org/shop/_git/api"],
    ["https://git.example.com:8443/api.git", "https://git.example.com:8443/api"],
    ["http://gitea.local:3000/shop/api.git", "http://gitea.local:3000/shop/api"],
    ["https://[::1]:8443/api", "https://[::1]:8443/api"],
  ];
  assertEquals(pages.map(([url]) => webPage(url)), pages.map(([, page]) => page));
});

Deno.test("webPage() shows no credentials, and is null where no browser can go", () => {
  assertEquals(
    webPage("https://me:hunter2@github.com/shop/api.git"),
    "https://github.com/shop/api",
  );
  assertEquals(webPage("https://a@b:c@github.com/shop/api"), "https://github.com/shop/api");
  assertEquals(webPage("https://github.com/shop/api?token=s#x"), "https://github.com/shop/api");
  const none = [
    "/srv/git/api.git",
    "../api.git",
    "C:\\git\\api",
    "C:/git/api",
    "file:///srv/git/api.git",
    "ext::sh -c id",
    "javascript://github.com/%0Aalert(1)",
    "data:text/html,x",
    "https:///api",
    "https://github.com",
    "",
  ];
  // Without slashes behind it a word in front of a colon is the name of a host, as it is to git.
  assertEquals(
    none.map((url) => webPage(url)?.replace(/^https:\/\/data\/.*/, "") || null),
    none.map(() => null),
  );
  assertEquals(webPage("https://x.com/a/../../b c/$(id)"), "https://x.com/b%20c/$(id)");
});
