// A passkey counts where it signed what was asked, for this place, by somebody who was there.

import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { approvalChallenge } from "../../../../src/base/policy/consent.ts";
import { verifyAssertion } from "../../../../src/doors/http/sign_in/webauthn.ts";
import { approvedWithPasskey, type Deviation } from "../../../support/passkey.ts";

const APPROVAL = { request: "r", fingerprint: "f", nonce: "n" };
const ORIGIN = "http://localhost:8000";

/** What is otherwise than it should be, and whether it counts. */
const SIGNED: readonly (readonly [string, Deviation, boolean])[] = [
  ["all as it should be", {}, true],
  ["nobody proved to be there", { flags: 0x01 }, false],
  ["another place", { rp: "example.com" }, false],
  ["another question", { challenge: "b3RoZXI" }, false],
  ["another ceremony", { type: "webauthn.create" }, false],
];

for (const [what, deviation, counts] of SIGNED) {
  Deno.test(`verifyAssertion() where ${what}`, async () => {
    const made = await approvedWithPasskey(APPROVAL, deviation);
    const other = await approvedWithPasskey(APPROVAL, deviation);
    const given = (signature: string) => ({
      id: made.credential_id,
      response: {
        clientDataJSON: made.client_data_json,
        authenticatorData: made.authenticator_data,
        signature,
      },
    });
    const key = {
      ...{ id: made.credential_id, name: "Key", publicKey: made.public_key, counter: 0 },
      ...{ transports: [], createdAt: 0, lastUsedAt: null },
    };
    const asked = { keys: [key], challenge: approvalChallenge(APPROVAL), origin: ORIGIN };
    const refused = async (by: unknown, terms = asked) =>
      assertEquals(
        (await assertRejects(() => verifyAssertion(by, terms), AmofError)).code,
        "passkey_required",
      );
    if (counts) assertEquals((await verifyAssertion(given(made.signature), asked)).counter, 7);
    else await refused(given(made.signature));
    await refused(given(other.signature));
    await refused(given(made.signature), { ...asked, keys: [] });
    await refused(given(made.signature), { ...asked, origin: "http://localhost:8001" });
  });
}
