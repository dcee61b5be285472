// Covers where the new branch of a ticket begins, by what is known here and what the remote answers.

import { assertEquals } from "@std/assert";
import { originOf } from "../../../../src/commands/ticket/start/origin.ts";
import type { Repo } from "../../../../src/workspace/manifest/mod.ts";

/** Commits by where they are; `unknown` is what the remote says when it cannot be asked. */
type Asked = Readonly<Record<string, string>> | "unknown" | null;

interface Case {
  readonly what: string;
  readonly asked: Asked;
  readonly refs?: Partial<Record<"remote" | "base" | "localBase", string>>;
  /** The action, where it begins, and whether that is fetched; or the advice where it is refused. */
  readonly is: string;
}

const CASES: readonly Case[] = [
  { what: "the base branch", asked: {}, refs: { base: "b" }, is: "create b" },
  {
    what: "the base branch, whatever a local one has",
    asked: {},
    refs: { base: "b", localBase: "l" },
    is: "create b",
  },
  { what: "the remote's branch", asked: { work: "w" }, refs: { base: "b" }, is: "track w fetched" },
  {
    what: "the remote's, as it is here",
    asked: { work: "w" },
    refs: { remote: "w" },
    is: "track w",
  },
  {
    what: "a base branch that only the remote has",
    asked: { release: "r" },
    is: "create r fetched",
  },
  {
    what: "a base branch of which the remote knows more than the local one",
    asked: { release: "r" },
    refs: { localBase: "l" },
    is: "create r fetched",
  },
  { what: "a local base branch", asked: {}, refs: { localBase: "l" }, is: "create l" },
  { what: "a local one, unasked", asked: "unknown", refs: { localBase: "l" }, is: "create l" },
  { what: "a local one, offline", asked: null, refs: { localBase: "l" }, is: "create l" },
  { what: "nothing", asked: {}, is: "name another base" },
  { what: "nothing, unasked", asked: "unknown", is: "fetch it: amof sync" },
  { what: "nothing, offline", asked: null, is: "ask its remote" },
];

const repo = { name: "api" } as unknown as Repo;

for (const { what, asked, refs = {}, is } of CASES) {
  Deno.test(`a ticket begins at ${what}`, async () => {
    const remotes = asked === null ? null : {
      ask: (_repo: Repo, _directory: string, branch: string) =>
        Promise.resolve(
          asked === "unknown"
            ? { unasked: { name: "api", code: "remote_unreachable" as const, reason: "" } }
            : { commit: asked[branch] ?? null },
        ),
    };
    const found = await originOf(
      remotes,
      { repo, directory: "/api" },
      { branch: "work", source: "release", shared: false },
      { remote: undefined, base: undefined, localBase: undefined, ...refs },
    );
    const said = "action" in found
      ? `${found.action} ${found.start}${found.fetch ? " fetched" : ""}`
      : found.fix;
    assertEquals(said.slice(0, is.length), is);
    if ("action" in found) assertEquals(said, is);
  });
}
