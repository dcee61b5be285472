// Covers verdict/config.ts: which files a configuration names, and what of it is left to git.

import { assertEquals } from "@std/assert";
import { configKeys } from "../../../../src/git/files/config_text.ts";
import { namedIn } from "../../../../src/git/verdict/watched.ts";

const AT = { file: "/home/me/.gitconfig", clone: "/space/api", home: "/home/me" };

function named(text: string, at: Parameters<typeof namedIn>[1] = AT) {
  const keys = configKeys(text);
  return keys === null ? null : namedIn(keys, at);
}

Deno.test("files that a configuration names are found, whatever its conditions are", () => {
  const none = { included: [], excludes: [], attributes: [] };
  const rows: [string, ReturnType<typeof named>][] = [
    ["[user]\nname = Me", none],
    ["[include]\npath = more\npath = ~/other", {
      ...none,
      included: ["/home/me/more", "/home/me/other"],
    }],
    ['[includeIf "gitdir:/x/"]\npath = /etc/x', { ...none, included: ["/etc/x"] }],
    ["[core]\nexcludesFile = ignored\nattributesFile = ~/attrs", {
      ...none,
      excludes: ["/space/api/ignored"],
      attributes: ["/home/me/attrs"],
    }],
    ['[core]\nexcludesFile = ""', none],
  ];
  for (const [text, expected] of rows) assertEquals(named(text), expected, text);
});

Deno.test("git is asked where a configuration says what is not understood", () => {
  const texts = [
    "[include]\npath = ~other/file",
    "[core]\nexcludesFile = %(prefix)/x",
    "[core]\nattributesFile = :(optional)x",
    "[core]\nexcludesFile",
    "[core]\nworktree = /elsewhere",
    "[core]\nfsmonitor = true",
    "[core]\nfsmonitor",
    "[core]\nfsmonitor = /usr/bin/watch",
    "[core]\nsparseCheckout = true",
    "[core]\nsplitIndex = true",
    "[index]\nsparse = true",
    "[extensions]\npartialClone = origin",
    "[extensions]\nsomethingNew = 1",
    '[remote "origin"]\npromisor = true',
  ];
  for (const text of texts) assertEquals(named(text), null, text);
});

Deno.test("what is switched off is understood, and so are formats of repositories", () => {
  const texts = [
    "[core]\nfsmonitor = false\nsparseCheckout = no\nsplitIndex = 0",
    "[extensions]\nobjectFormat = sha256\nrefStorage = reftable\nworktreeConfig = true",
  ];
  for (const text of texts) assertEquals(named(text)?.included, [], text);
});

Deno.test("a relative name in the environment is left to git", () => {
  const keys = new Map([["include.path", ["more"]]]);
  assertEquals(namedIn(keys, { ...AT, file: null }), null);
});
