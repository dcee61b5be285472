// Laws of the version ladder: it only ever goes up, and it never makes a tag twice.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { AmofError } from "../../src/base/error.ts";
import {
  compareVersions,
  currentTag,
  formatVersion,
  nextVersion,
  parseVersion,
  PARTS,
  possibleSteps,
  STAGES,
  type Step,
  tagOf,
  type Version,
} from "../../src/commands/release/ladder.ts";

const small = fc.integer({ min: 0, max: 12 });
const version: fc.Arbitrary<Version> = fc.record({
  major: small,
  minor: small,
  patch: small,
  stage: fc.constantFrom(...STAGES),
  num: small,
}).map((parts) => parts.stage === "stable" ? { ...parts, num: null } : parts);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("bump" as const),
    part: fc.constantFrom(...PARTS),
    stage: fc.constantFrom(null, "alpha" as const, "beta" as const, "rc" as const),
  }),
  fc.record({
    kind: fc.constant("promote" as const),
    target: fc.constantFrom("beta" as const, "rc" as const, "stable" as const),
  }),
);

/** The version a step leads to, or null where the ladder refuses it; anything else that is thrown is a defect. */
function tried(current: Version, step: Step): Version | null {
  try {
    return nextVersion(current, step);
  } catch (error) {
    if (error instanceof AmofError && error.code === "invalid_transition") return null;
    throw error;
  }
}

Deno.test("parseVersion() reads back what formatVersion() and tagOf() write", () => {
  fc.assert(fc.property(version, (given) => {
    assertEquals(parseVersion(formatVersion(given)), given);
    assertEquals(parseVersion(tagOf(given)), given);
  }));
});

Deno.test("every sequence of legal steps climbs strictly, each time out of the tags alone", () => {
  let legal = 0;
  fc.assert(
    fc.property(version, fc.array(anyStep, { maxLength: 30 }), fc.infiniteStream(fc.nat()), (
      first,
      steps,
      shuffle,
    ) => {
      const tags = [tagOf(first)];
      for (const step of steps) {
        const current = currentTag(tags);
        assert(current !== null);
        const next = tried(current.version, step);
        if (next === null) continue;
        legal++;
        assert(compareVersions(next, current.version) > 0, `${current.tag} → ${tagOf(next)}`);
        assert(!tags.includes(tagOf(next)), `${tagOf(next)} was made twice`);
        // The order in which git lists tags says nothing.
        tags.splice(shuffle.next().value % (tags.length + 1), 0, tagOf(next));
      }
    }),
    { numRuns: 500 },
  );
  assert(legal > 1000, "steps were legal");
});

Deno.test("a promotion never repeats a tag and keeps the base", () => {
  fc.assert(
    fc.property(version, fc.constantFrom("beta" as const, "rc" as const, "stable" as const), (
      current,
      target,
    ) => {
      const next = tried(current, { kind: "promote", target });
      if (next === null) return;
      assert(tagOf(next) !== tagOf(current));
      assertEquals([next.major, next.minor, next.patch], [
        current.major,
        current.minor,
        current.patch,
      ]);
      assertEquals(next.stage, target);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("a pre-release can always become stable, and a stable version can always go on", () => {
  fc.assert(fc.property(version, (current) => {
    const step: Step = current.stage === "stable"
      ? { kind: "bump", part: "patch", stage: "alpha" }
      : { kind: "promote", target: "stable" };
    assert(tried(current, step) !== null);
    for (const possible of possibleSteps(current)) assert(tried(current, possible) !== null);
  }));
});
