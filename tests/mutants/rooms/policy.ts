/**
 * Breaks of what decides whether something may happen: fingerprints, tokens, modes.
 *
 * @module
 */

import type { Mutant } from "../mutant.ts";

/** Breaks of `src/base/policy`. */
export const POLICY: readonly Mutant[] = [
  {
    id: "token-of-another-tool",
    file: "src/base/policy/consent.ts",
    find: "if (redemption.tool !== null && redemption.tool !== request.tool) return",
    replace: "if (redemption.tool === null && redemption.tool !== request.tool) return",
    harm: "A token that was made for one tool is accepted by another.",
    tests: ["tests/unit/base/policy/token_test.ts"],
  },
  {
    id: "token-spent-twice",
    file: "src/base/policy/consent.ts",
    find: 'if (request.outcome !== null) return "invalid";',
    replace: "",
    harm: "A token that was spent, or settled otherwise, counts once more.",
    tests: ["tests/unit/base/policy/token_test.ts"],
  },
  {
    id: "token-never-expires",
    file: "src/base/policy/consent.ts",
    find: "redemption.now >= request.expiresAt",
    replace: "redemption.now > request.expiresAt + TOKEN_LIFETIME_MS",
    harm: "A token can be spent after its time.",
    tests: ["tests/unit/base/policy/token_test.ts"],
  },
  {
    id: "token-for-another-state",
    file: "src/base/policy/consent.ts",
    find: 'if (!isSame(redemption.fingerprint, request.fingerprint)) return "stale";',
    replace: "",
    harm: "A consent counts although something else would happen than what was shown.",
    tests: ["tests/unit/base/policy/token_test.ts"],
  },
  {
    id: "token-before-approval",
    file: "src/base/policy/consent.ts",
    find: 'if (request.approval === "pending") return "pending";',
    replace: "",
    harm: "The caller spends a token that waits for a person.",
    tests: ["tests/unit/base/policy/token_test.ts"],
  },
  {
    id: "token-after-refusal",
    file: "src/base/policy/consent.ts",
    find: 'if (request.approval === "declined") return "declined";',
    replace: "",
    harm: "What a person declined is not told as declined.",
    tests: ["tests/unit/base/policy/token_test.ts"],
  },
  {
    id: "token-any-name",
    file: "src/base/policy/consent.ts",
    find: 'return typed ? "spend" : "type_failed";',
    replace: 'return typed || redemption.typedValue !== null ? "spend" : "type_failed";',
    harm: "Any name will do where the name of the ecosystem has to be typed.",
    tests: ["tests/unit/base/policy/token_test.ts"],
  },
  {
    id: "same-by-length",
    file: "src/base/policy/consent.ts",
    find: "left.length === right.length && timingSafeEqual(left, right)",
    replace: "left.length === right.length",
    harm: "All hashes are the same.",
    tests: ["tests/unit/base/policy/same_test.ts"],
  },
  {
    id: "fingerprint-without-ticket",
    file: "src/base/policy/fingerprint.ts",
    find: "ticket: bound.ticket ?? undefined }",
    replace: "ticket: undefined }",
    harm: "A consent to a push in one ticket's workspace counts in that of another.",
    tests: ["tests/unit/base/policy/fingerprint_test.ts"],
  },
  {
    id: "fingerprint-order",
    file: "src/base/policy/fingerprint.ts",
    find: `      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, item])`,
    replace: "      .map(([key, item])",
    harm: "The same facts in another order are told as changed, or a hash of the log as broken.",
    tests: ["tests/unit/base/policy/fingerprint_test.ts"],
  },
  {
    id: "recheck-nothing",
    file: "src/base/policy/changes.ts",
    find: "if (isSame(agreed.fingerprint, now.fingerprint)) return;",
    replace: "if (!isSame(agreed.fingerprint, now.fingerprint) || agreed.fingerprint) return;",
    harm: "Whatever changed since the consent is done all the same.",
    tests: ["tests/unit/base/policy/recheck_test.ts", "tests/scenario/push_preview_test.ts"],
  },
  {
    id: "mode-order",
    file: "src/base/policy/mode.ts",
    find: "MODES.indexOf(mode) >= MODES.indexOf(needed)",
    replace: "MODES.indexOf(mode) >= MODES.indexOf(needed) - 1",
    harm: "A session that may only plan executes.",
    tests: ["tests/unit/base/policy/mode_test.ts"],
  },
  {
    id: "approval-challenge-any-preview",
    file: "src/base/policy/consent.ts",
    find: "${request}\\n${fingerprint}\\n${nonce}",
    replace: "${request}\\n${nonce}",
    harm: "A signature by a passkey stands for any preview.",
    tests: ["tests/unit/base/policy/evidence_test.ts"],
  },
  {
    id: "changes-left-out",
    file: "src/base/policy/changes.ts",
    find: "if (found.length > before) return;",
    replace: "return;",
    harm: "Who is told that things changed is not told which.",
    tests: ["tests/unit/base/policy/changes_test.ts"],
  },
];
