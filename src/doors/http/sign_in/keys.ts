/**
 * The passkeys of the user as the server's pages work with them: asking for a signature, and what it is worth (SIGN-4).
 */

import { note } from "../../../pipeline/audit.ts";
import type { App } from "../../../pipeline/app.ts";
import { AmofError } from "../../../base/error.ts";
import { fieldsOf } from "../../../base/object.ts";
import {
  type ApprovalChallenge,
  approvalChallenge,
  isSame,
  type PasskeyEvidence,
} from "../../../base/policy/consent.ts";
import type { Passkey } from "../../../state/store/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import type { AskingPerson } from "../core.ts";
import {
  type AssertionOptions,
  assertionOptions,
  challengeIn,
  creationOptions,
  originAt,
  RP_ID,
  TOUCH_MS,
  verifyAssertion,
  verifyCreation,
} from "./webauthn.ts";

/** With one more the oldest challenge is forgotten. */
const MOST_CHALLENGES = 200;
const MOST_KEYS = 20;

/** What was asked of a key: to become one, to change which there are, or to approve. */
interface Asked {
  readonly purpose: "create" | "keys" | ApprovalChallenge;
  readonly session: string;
  readonly until: number;
}

/** Who asks, at which port. */
export interface At {
  readonly person: AskingPerson;
  readonly port: number;
}

/** Passkeys, and what was asked of them. */
export class Keys {
  readonly #app: App;
  /** By challenge; each is answered once. */
  readonly #asked = new Map<string, Asked>();

  constructor(app: App) {
    this.#app = app;
  }

  /** All keys. */
  async list(): Promise<readonly Passkey[]> {
    return (await this.#app.store()).passkeys.list();
  }

  #ask(challenge: string, purpose: Asked["purpose"], { person }: At): void {
    const until = this.#app.system.clock.now() + TOUCH_MS;
    this.#asked.set(challenge, { purpose, session: person.session.id, until });
    const [oldest = ""] = this.#asked.keys();
    if (this.#asked.size > MOST_CHALLENGES) this.#asked.delete(oldest);
  }

  /** What was asked with the challenge that a response answers; throws `passkey_required` for anything else. */
  #answered(response: unknown, { person }: At): Asked & { readonly challenge: string } {
    const challenge = challengeIn(response);
    const asked = this.#asked.get(challenge);
    this.#asked.delete(challenge);
    const now = this.#app.system.clock.now();
    if (asked !== undefined && asked.session === person.session.id && asked.until > now) {
      return { ...asked, challenge };
    }
    throw new AmofError(
      "passkey_required",
      "Cannot take this passkey: it answers nothing that was asked here, or too late",
      { hint: "Load the page anew and use the passkey again" },
    );
  }

  /** What a browser needs to add a key, or to remove one: signatures of those that are there. */
  async change(at: At): Promise<{
    readonly creation: unknown;
    readonly assertion: AssertionOptions | null;
  }> {
    const keys = await this.list();
    const creation = await creationOptions(at.person.session.user, keys);
    this.#ask(creation.challenge, "create", at);
    return { creation, assertion: keys.length === 0 ? null : this.#assertion(keys, at) };
  }

  #assertion(keys: readonly Passkey[], at: At): AssertionOptions {
    const challenge = approvalChallenge({
      request: "keys",
      fingerprint: this.#app.system.ids.hex(64),
      nonce: this.#app.system.ids.hex(32),
    });
    this.#ask(challenge, "keys", at);
    return assertionOptions(keys, challenge);
  }

  /** Throws `passkey_required` unless one of the keys that are there agrees; the first one needs nobody. */
  async #requireOwner(assertion: unknown, at: At): Promise<void> {
    const keys = await this.list();
    if (keys.length === 0) return;
    const { purpose, challenge } = this.#answered(assertion, at);
    if (purpose !== "keys") throw new AmofError("passkey_required", "Cannot change passkeys so");
    const { key, counter } = await verifyAssertion(assertion, {
      keys,
      challenge,
      origin: originAt(at.port),
    });
    await this.#used(key, counter);
  }

  async #used(key: Passkey, counter: number): Promise<void> {
    const { passkeys } = await this.#app.store();
    passkeys.used(key.id, counter, this.#app.system.clock.now());
  }

  /** Adds a key. `sent` has its name, the new credential, and the assertion of one that is there. */
  async add(sent: unknown, at: At): Promise<void> {
    const { name, credential, assertion } = fieldsOf(sent);
    const called = typeof name === "string" ? cleanLine(name.trim(), 60) : "";
    if (called === "") {
      throw new AmofError("invalid_arguments", "Cannot add a passkey without a name");
    }
    if ((await this.list()).length >= MOST_KEYS) {
      throw new AmofError("invalid_arguments", `Cannot add more than ${MOST_KEYS} passkeys`);
    }
    await this.#requireOwner(assertion, at);
    const { purpose, challenge } = this.#answered(credential, at);
    if (purpose !== "create") {
      throw new AmofError("passkey_required", "Cannot add this passkey: nothing asked for it");
    }
    const made = await verifyCreation(credential, { challenge, origin: originAt(at.port) });
    const { passkeys } = await this.#app.store();
    const key = {
      ...made,
      name: called,
      createdAt: this.#app.system.clock.now(),
      lastUsedAt: null,
    };
    if (!passkeys.add(key)) {
      throw new AmofError("invalid_arguments", "Cannot add this passkey: it is there already");
    }
    await this.#note("passkey_add", key, at);
  }

  /** Removes a key; one of those that are there has to agree. */
  async remove(sent: unknown, at: At): Promise<void> {
    const { id, assertion } = fieldsOf(sent);
    const key = (await this.list()).find((each) => each.id === id);
    if (key === undefined) {
      throw new AmofError("invalid_arguments", "Cannot remove this passkey: it is not there");
    }
    await this.#requireOwner(assertion, at);
    (await this.#app.store()).passkeys.remove(key.id);
    await this.#note("passkey_remove", key, at);
  }

  /** Asks for the signature that approves a request. */
  async approval(
    { request, fingerprint }: Pick<ApprovalChallenge, "request" | "fingerprint">,
    at: At,
  ): Promise<AssertionOptions> {
    const purpose = { request, fingerprint, nonce: this.#app.system.ids.hex(32) };
    const challenge = approvalChallenge(purpose);
    this.#ask(challenge, purpose, at);
    return assertionOptions(await this.list(), challenge);
  }

  /** What proves that this very preview was approved with a key; throws `passkey_required` for anything else. */
  async proof(
    assertion: unknown,
    { request, fingerprint }: Pick<ApprovalChallenge, "request" | "fingerprint">,
    at: At,
  ): Promise<PasskeyEvidence> {
    const { purpose, challenge } = this.#answered(assertion, at);
    if (
      typeof purpose === "string" || purpose.request !== request ||
      !isSame(purpose.fingerprint, fingerprint)
    ) {
      throw new AmofError(
        "passkey_required",
        "Cannot approve with this signature: it was made for something else",
      );
    }
    const origin = originAt(at.port);
    const { key, counter, ...signed } = await verifyAssertion(assertion, {
      keys: await this.list(),
      challenge,
      origin,
    });
    await this.#used(key, counter);
    return {
      kind: "passkey",
      ...purpose,
      rp_id: RP_ID,
      origin,
      credential_id: key.id,
      public_key: key.publicKey,
      authenticator_data: signed.authenticatorData,
      client_data_json: signed.clientDataJson,
      signature: signed.signature,
    };
  }

  async #note(
    tool: string,
    { id, name }: Pick<Passkey, "id" | "name">,
    { person }: At,
  ): Promise<void> {
    const { system } = this.#app;
    await note(this.#app, { log: (_level, message) => system.terminal.err(`${message}\n`) }, {
      at: system.clock.now(),
      door: "http",
      client: `${person.session.user}@page`,
      sessionId: person.session.id,
      root: "",
      ecosystem: "",
      tool,
      args: { id, name },
      mode: "execute",
      decision: "accepted",
      way: "human",
      fingerprint: null,
      outcome: "ok",
      runId: null,
    });
  }
}
