// Covers pullRequestIn(): what forges answer to a push.

import { assertEquals } from "@std/assert";
import { pullRequestIn } from "../../../../src/git/read/web.ts";

const SSH = "git@example.com:shop/api.git";

function said(...lines: readonly string[]): string {
  return [
    "Enumerating objects: 3, done.",
    ...lines.map((line) => `remote: ${line}        `),
    "To example.com:shop/api.git",
  ].join("\n");
}

/** What forges say, by what they are asked to begin or already have. */
const FORGES: readonly (readonly [string, readonly string[], string])[] = [
  [
    "GitHub",
    [
      "",
      "Create a pull request for 'x' on GitHub by visiting:",
      "     https://example.com/shop/api/pull/new/x",
      "",
    ],
    "https://example.com/shop/api/pull/new/x",
  ],
  [
    "GitLab",
    [
      "",
      "To create a merge request for x, visit:",
      "  https://example.com/shop/api/-/merge_requests/new?merge_request%5Bsource_branch%5D=x",
      "",
    ],
    "https://example.com/shop/api/-/merge_requests/new?merge_request%5Bsource_branch%5D=x",
  ],
  [
    "Bitbucket",
    [
      "",
      "Create pull request for x:",
      "  https://example.com/shop/api/pull-requests/new?source=x&t=1",
    ],
    "https://example.com/shop/api/pull-requests/new?source=x&t=1",
  ],
  [
    "Gitea",
    [
      "",
      "Visit the existing pull request:",
      "  https://example.com/shop/api/pulls/3 merges into main",
      "",
    ],
    "https://example.com/shop/api/pulls/3",
  ],
  ["one line", ["Merge request: http://example.com/mr/1"], "http://example.com/mr/1"],
];

for (const [forge, lines, url] of FORGES) {
  Deno.test(`pullRequestIn() finds the link of ${forge}, for every spelling of the remote`, () => {
    for (
      const remote of [
        SSH,
        "https://example.com/shop/api.git",
        "ssh://git@ssh.example.com:443/a",
        "/srv/api.git",
      ]
    ) {
      assertEquals(pullRequestIn(said(...lines), remote), { url });
    }
    assertEquals(pullRequestIn(said(...lines).replaceAll("\n", "\r\n"), SSH), { url });
  });
}

Deno.test("pullRequestIn() tells a link to another host as the words that it came with", () => {
  const words = ["Create a pull request by visiting:", "https://elsewhere.example/x\u001b[2J"];
  assertEquals(pullRequestIn(said(...words), SSH), null);
  assertEquals(pullRequestIn(said(words[0] ?? "", "https://elsewhere.example/x"), SSH), {
    text: "Create a pull request by visiting: https://elsewhere.example/x",
  });
  assertEquals(pullRequestIn(said("pull request https://example.com.elsewhere.example/"), SSH), {
    text: "pull request https://example.com.elsewhere.example/",
  });
});

Deno.test("pullRequestIn() takes nothing that is no link to a pull request", () => {
  for (
    const lines of [
      [],
      ["See https://example.com/shop/api/security/dependabot"],
      ["Create a pull request:", "javascript:alert(1)"],
      ["Create a pull request:", "file:///etc/passwd"],
      ["Create a pull request:", "https://name:secret@example.com/x"],
      ["Create a pull request:", `https://example.com/${"x".repeat(1_000)}`],
      ["pull requests are welcome", "", "Thanks", "https://example.com/"],
    ]
  ) assertEquals(pullRequestIn(said(...lines), SSH), null, lines.join());
  assertEquals(pullRequestIn("pull request https://example.com/not-by-the-remote", SSH), null);
});
