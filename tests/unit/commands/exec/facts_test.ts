// Covers untrustedClones(): what is advised where git would run what nobody has looked at.

import { assertEquals } from "@std/assert";
import { untrustedClones } from "../../../../src/commands/exec/invocation/facts.ts";

type Place = Parameters<typeof untrustedClones>[1][number];

Deno.test("clones are to be left out only where others are left", () => {
  const place = (name: string, changed: boolean): Place => ({
    name,
    untrusted: changed ? [{ kind: "setting", name: "remote.origin.url" }] : [],
  } as unknown as Place);
  const rows: readonly (readonly [repos: readonly Place[], out: string | undefined])[] = [
    [[place("a", true)], undefined],
    [[place("a", true), place("b", true)], undefined],
    [[place("a", true), place("b", false)], "Leave it out: the same command with --repo '!a'"],
    [
      [place("a", true), place("b", true), place("c", false)],
      "Leave them out: the same command with --repo '!a,!b'",
    ],
  ];
  for (const [repos, out] of rows) {
    assertEquals(untrustedClones("true", repos, { selects: true })?.hint.split("\n")[1], out);
  }
});
