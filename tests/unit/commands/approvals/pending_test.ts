// Covers which request a person means, and which toolsets can be named.

import { assertEquals, assertThrows } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { requirePending } from "../../../../src/commands/approvals/pending.ts";
import { requireToolsets } from "../../../../src/commands/mcp/install.ts";
import type { PendingApproval } from "../../../../src/state/store/mod.ts";

const IDS = ["4e8c1d72aa", "4e8c1d72bb", "9b2f6a10cc"];

/** What waits, found by the beginning of its id as the store does it. */
const approvals = {
  byPrefix: (prefix: string) =>
    IDS.filter((id) => id.startsWith(prefix)).map((id) => ({ id }) as unknown as PendingApproval),
};

const REQUESTS: readonly (readonly [string, string])[] = [
  ["9b2f", "9b2f6a10cc"],
  ["9B2F", "9b2f6a10cc"],
  ["4e8c1d72aa", "4e8c1d72aa"],
  ["4e8c", 'Cannot tell which request "4e8c" means: several begin so'],
  ["9b2", 'Cannot find the request "9b2"'],
  ["", 'Cannot find the request ""'],
  ["ffff", 'Cannot find the request "ffff"'],
  // Nothing but digits gets as far as the store, whose search knows patterns.
  ["9b2_", 'Cannot find the request "9b2_"'],
  ["%%%%", 'Cannot find the request "%%%%"'],
];

for (const [given, expected] of REQUESTS) {
  Deno.test(`requirePending() of "${given}"`, () => {
    if (IDS.includes(expected)) {
      return assertEquals<unknown>(requirePending(approvals, given), { id: expected });
    }
    const error = assertThrows(() => requirePending(approvals, given), AmofError);
    assertEquals([error.code, error.message], ["approval_not_found", expected]);
  });
}

const TOOLSETS: readonly (readonly [string, readonly string[], string | null])[] = [
  ["ticket", ["amof"], null],
  ["ticket, release", ["amof"], null],
  ["-release", [], null],
  ["tickets", ["amof"], 'Cannot use the toolset "tickets"; did you mean "ticket"?'],
  ["-nonsense", ["amof"], 'Cannot use the toolset "nonsense"'],
  ["ticket,", ["amof"], 'Cannot use the toolset ""'],
  [
    "tickets",
    ["amof", "agentpack"],
    "Cannot choose toolsets for the server agentpack: it has its own",
  ],
];

for (const [words, servers, refusal] of TOOLSETS) {
  Deno.test(`requireToolsets() of "${words}" for ${servers.join(" and ") || "no server"}`, () => {
    if (refusal === null) return requireToolsets(words, servers);
    const error = assertThrows(() => requireToolsets(words, servers), AmofError);
    assertEquals([error.code, error.message], ["invalid_arguments", refusal]);
  });
}
