/**
 * The one gate between a preview and its execution: who consented, how, and to what (amof.md §5.4).
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { canonicalJson, factChanges } from "../policy/fingerprint.ts";
import { judge, MOST_LIVE_REQUESTS, MOST_WRONG_TRIES, TOKEN_LIFETIME_MS } from "../policy/token.ts";
import type { Fields, Mutation, Preview } from "../spec/mod.ts";
import { type Confirmation, hashToken, type Store } from "../store/mod.ts";
import { type System, timestamp } from "../system/mod.ts";
import type { Approval, Approver } from "./approver.ts";
import { type CommonArguments } from "./common.ts";

/** A call that reached the gate. */
export interface GateCall {
  readonly command: Mutation;
  /** The command's own arguments, validated. */
  readonly input: Fields;
  readonly root: string;
  readonly ecosystem: string;
  readonly preview: Preview<Fields, Fields>;
  readonly fingerprint: string;
  /** Who may spend tokens here. */
  readonly owner: string;
  readonly door: "cli" | "mcp";
  readonly signal: AbortSignal;
}

/** A consent: how it was given. Anything else is thrown as a refusal. */
export interface Consent {
  readonly way: "none" | "flag" | "prompt" | "elicitation" | "token";
  /** Whether time passed since the preview, so that it must be made again. */
  readonly waited: boolean;
}

/** What the redeemer of a token says. */
export interface Redeeming {
  readonly tokenHash: string;
  readonly typedValue: string | null;
  /** The tool that was called with the token; null when the token alone says which. */
  readonly tool: string | null;
}

/** The gate over one store and clock. */
export class Gate {
  readonly #store: Store;
  readonly #system: System;

  constructor(store: Store, system: System) {
    this.#store = store;
    this.#system = system;
  }

  /** The stored request behind a token; throws `confirmation_invalid`, and tells nothing about other tokens. */
  lookUp(tokenHash: string, owner: string): Confirmation {
    const request = this.#store.confirmations.find(tokenHash, owner);
    if (request === null || request.outcome !== null) throw invalid();
    return request;
  }

  /**
   * The token a call redeems, if any: the one it names, or with `confirm` or `confirm_name` alone the live
   * request of the same owner for exactly this call.
   */
  redeeming(call: GateCall, common: CommonArguments): Redeeming | null {
    const tool = call.command.name;
    const typedValue = common.confirm_name ?? null;
    // A token alone says which request is meant, not that anybody agrees to it.
    if (common.confirm !== true && typedValue === null) return null;
    if (common.confirmation_token !== undefined) {
      return { tokenHash: hashToken(common.confirmation_token), typedValue, tool };
    }
    const live = this.#store.confirmations.live(call.owner, this.#system.clock.now());
    const match = live.find((request) =>
      request.tool === tool && request.fingerprint === call.fingerprint
    );
    return match === undefined ? null : { tokenHash: match.tokenHash, typedValue, tool };
  }

  /**
   * Spends a token, or throws why not. On return the token is spent: nobody can use it again, even if
   * the action fails.
   */
  redeem(call: GateCall, redeeming: Redeeming): Consent {
    const { confirmations } = this.#store;
    const now = this.#system.clock.now();
    const request = confirmations.find(redeeming.tokenHash, call.owner);
    const verdict = judge({
      request,
      now,
      tool: redeeming.tool,
      modeAllows: true,
      fingerprint: call.fingerprint,
      typedValue: redeeming.typedValue,
    });
    switch (verdict) {
      case "invalid":
      case "mode_insufficient":
        throw invalid();
      case "expired":
        confirmations.settle(redeeming.tokenHash, "expired", now);
        throw this.#again(
          call,
          "confirmation_expired",
          "The confirmation came too late; nothing was changed",
          {},
        );
      case "stale": {
        if (
          canonicalJson(request?.args) !== canonicalJson(call.input) ||
          request?.ecosystem !== call.ecosystem
        ) {
          // The token was made for another call: it says nothing about this one and stays alive.
          throw invalid();
        }
        confirmations.settle(redeeming.tokenHash, "stale", now);
        const changed = factChanges(request?.preview, call.preview.facts);
        throw this.#again(
          call,
          "confirmation_stale",
          "Things changed since the preview; nothing was done",
          { changed },
        );
      }
      case "type_failed":
        throw this.#wrongName(call, redeeming.tokenHash, now);
      case "spend":
        if (!confirmations.settle(redeeming.tokenHash, "accepted", now)) throw invalid();
        return { way: "token", waited: false };
    }
  }

  /** The refusal when the preview a person agreed to no longer holds. */
  stale(agreed: GateCall, now: GateCall): AmofError {
    const changed = factChanges(agreed.preview.facts, now.preview.facts);
    return this.#again(
      now,
      "confirmation_stale",
      "Things changed since the preview; nothing was done",
      { changed },
    );
  }

  #wrongName(call: GateCall, tokenHash: string, now: number): AmofError {
    const tries = this.#store.confirmations.countWrongTry(tokenHash);
    if (tries >= MOST_WRONG_TRIES) this.#store.confirmations.settle(tokenHash, "wrong_name", now);
    return new AmofError(
      "type_to_confirm_failed",
      `To ${verb(call.command)} '${call.ecosystem}', set confirm_name='${call.ecosystem}'.`,
      {
        hint: tries >= MOST_WRONG_TRIES
          ? "The request is void after 3 wrong names; make the call again"
          : "A person must type the ecosystem name",
        details: { tries_left: Math.max(0, MOST_WRONG_TRIES - tries) },
      },
    );
  }

  /** Asks a person through the door, or makes a request with a token. Throws every refusal. */
  async consent(call: GateCall, approver: Approver): Promise<Consent> {
    if (call.command.confirm === "none") return { way: "none", waited: false };
    const approval = await approver.ask({
      title: call.command.title,
      kind: call.command.confirm,
      summary: call.preview.summary,
      details: call.preview.details ?? call.preview.effects.join("\n"),
      irreversible: call.preview.irreversible ?? null,
      typed: call.command.confirm === "type"
        ? { what: "ecosystem name", value: call.ecosystem }
        : null,
      signal: call.signal,
    });
    if (approval.decision === "accepted" && approval.way !== "none") {
      return { way: approval.way, waited: approval.way !== "flag" };
    }
    if (approval.decision === "unsupported") {
      throw this.#again(
        call,
        "confirmation_required",
        `${call.command.title} needs a confirmation; nothing has been changed yet`,
        {},
      );
    }
    throw declined(call, approval);
  }

  /** A refusal that carries a fresh request with its token. */
  #again(
    call: GateCall,
    code: "confirmation_required" | "confirmation_expired" | "confirmation_stale",
    message: string,
    details: Fields,
  ): AmofError {
    const { confirm, name } = call.command;
    const kind = confirm === "none" ? "simple" : confirm;
    const token = this.#system.ids.uuid();
    const now = this.#system.clock.now();
    const expiresAt = now + TOKEN_LIFETIME_MS;
    this.#store.confirmations.add({
      tokenHash: hashToken(token),
      owner: call.owner,
      tool: name,
      args: call.input,
      ecosystem: call.ecosystem,
      kind,
      typedValue: kind === "type" ? call.ecosystem : null,
      fingerprint: call.fingerprint,
      preview: call.preview.facts,
      createdAt: now,
      expiresAt,
    }, MOST_LIVE_REQUESTS);
    return new AmofError(code, message, {
      hint: hintFor(call.door, kind, token),
      details: {
        ...details,
        confirmation: {
          token,
          type: kind,
          tool: name,
          expires_at: timestamp(expiresAt),
          preview: call.preview.facts,
          summary: call.preview.summary,
          effects: call.preview.effects,
          ...(call.preview.irreversible === undefined
            ? {}
            : { irreversible: call.preview.irreversible }),
          typed_value_required: kind === "type",
          how: waysFor(call.door, kind, token),
        },
      },
    });
  }
}

/** How a request can be settled, in the words of the door it was made through. */
function waysFor(door: GateCall["door"], kind: Confirmation["kind"], token: string): string[] {
  if (door === "cli") {
    return kind === "type"
      ? [`amof confirm ${token} --confirm-name NAME`, "the same command with --confirm-name NAME"]
      : [`amof confirm ${token}`, "the same command with --yes"];
  }
  return kind === "type"
    ? ["amof_confirm(token, typed_value)", "same call with confirm_name and confirmation_token"]
    : ["amof_confirm(token)", "same call with confirm=true and confirmation_token"];
}

function hintFor(door: GateCall["door"], kind: Confirmation["kind"], token: string): string {
  const [later, same] = waysFor(door, kind, token);
  const who = kind === "type"
    ? "A person must type the ecosystem name"
    : "Show the preview to a person; with their consent";
  return door === "cli"
    ? `Consent now: ${same}; or within 5 minutes: ${later}`
    : `${who}: ${later}`;
}

function verb(command: Mutation): string {
  return command.title.split(" ")[0]?.toLowerCase() ?? "change";
}

function invalid(): AmofError {
  return new AmofError(
    "confirmation_invalid",
    "Cannot use this confirmation: it is unknown, spent, cancelled, or was made for something else",
    {
      hint: "Make the call again to get a fresh preview and token",
    },
  );
}

function declined(call: GateCall, { decision, way }: Approval): AmofError {
  const how = {
    accepted: "was not confirmed",
    declined: "was declined",
    cancelled: "was cancelled",
    timed_out: "was not confirmed in time",
    unsupported: "could not be confirmed",
    wrong_name: "was not confirmed: the name did not match",
  }[decision];
  return new AmofError(
    decision === "wrong_name" ? "type_to_confirm_failed" : "confirmation_declined",
    decision === "wrong_name"
      ? `To ${verb(call.command)} '${call.ecosystem}', set confirm_name='${call.ecosystem}'.`
      : `${call.command.title} ${how}; nothing was changed`,
    { details: { decision, way } },
  );
}
