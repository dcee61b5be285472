// The challenge of an approval, as others would compute it.

import { assertEquals, assertNotEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { approvalChallenge } from "../../../../src/base/policy/consent.ts";

const APPROVAL = { request: "3f0c6f4e", fingerprint: "ab".repeat(32), nonce: "cd".repeat(16) };

Deno.test("approvalChallenge() is a hash of request, preview and nonce", () => {
  const { request, fingerprint, nonce } = APPROVAL;
  assertEquals(
    approvalChallenge(APPROVAL),
    createHash("sha256").update(`amof approval\n${request}\n${fingerprint}\n${nonce}`)
      .digest("base64url"),
  );
  for (const member of ["request", "fingerprint", "nonce"]) {
    assertNotEquals(
      approvalChallenge({ ...APPROVAL, [member]: "0" }),
      approvalChallenge(APPROVAL),
      member,
    );
  }
});
