// Covers Seals: what was there before there were seals is sealed once, and nothing is sealed over.

import { assertEquals } from "@std/assert";
import { openStore } from "../../../../src/state/store/open.ts";

const SEAL = { digest: "first", parts: "{}", sealedAt: 1, sealedBy: null };

Deno.test("Seals.begin() seals what has no seal yet, once for a control repository", () => {
  const { seals, close } = openStore(":memory:");
  seals.set("/space/api", { ...SEAL, digest: "older" });
  seals.begin("/space", 1, new Map([["/space/api", SEAL], ["/space/web", SEAL]]));
  seals.begin("/space", 2, new Map([["/space/docs", SEAL]]));
  assertEquals(
    ["api", "web", "docs"].map((name) => seals.get(`/space/${name}`)?.digest ?? null),
    ["older", "first", null],
  );
  close();
});

Deno.test("Seals.holds() knows the digest of a clone in which nothing worked that could write nowhere else", () => {
  const { seals, close } = openStore(":memory:");
  seals.set("/space/api", SEAL);
  assertEquals(
    [["/space/api", "first"], ["/space/api", "other"], ["/space/web", "first"]].map((
      [directory = "", digest = ""],
    ) => seals.holds(directory, digest)),
    [true, false, false],
  );
  seals.markBoxed("/space", 1);
  assertEquals(seals.holds("/space/api", "first"), false);
  close();
});
