/** A call that reached the gate, and how the request that it is answered with looks from outside. */

import { defined, type Fields } from "../../base/object.ts";
import type { Mutation, Preview } from "../../contract/mod.ts";
import type { Door } from "../../base/policy/mode.ts";
import type { Asker, Confirmation } from "../../state/store/mod.ts";
import { plainText } from "../../base/text/parts.ts";
import { timestamp } from "../../base/system/mod.ts";
import type { ConfirmBy } from "../../base/policy/confirm_by.ts";
import { deedOf, typedFor } from "./approver.ts";
import { approvalPage, waysFor } from "./words.ts";

/** A call that reached the gate. */
export interface GateCall {
  readonly command: Mutation;
  /** The command's own arguments, validated. */
  readonly input: Fields;
  readonly root: string;
  readonly ecosystem: string;
  readonly ticket: string | null;
  readonly preview: Preview<Fields, Fields>;
  readonly fingerprint: string;
  /** Who may spend tokens here. */
  readonly owner: string;
  /** Whether the caller has a session, whose live requests are its own. */
  readonly lasts: boolean;
  readonly door: Door;
  /** Whose word counts where nobody can be asked at once. */
  readonly confirmBy: ConfirmBy;
  /** The beginning of the addresses at which a person can decide in a browser; null where there are none. */
  readonly pages: string | null;
  /** How long one transfer may take, in seconds; null where nobody has said. */
  readonly timeout: number | null;
  readonly asker: Asker;
  readonly signal: AbortSignal;
}

/** A consent: how it was given. Anything else is thrown as a refusal. */
export interface Consent {
  readonly way: "none" | "flag" | "prompt" | "elicitation" | "token" | "human";
  /** Whether time passed since the preview, so that it must be made again. */
  readonly waited: boolean;
}

/** A request as the answer shows it; `approvalId` is that of one that a person settles in a terminal. */
export function shownRequest(
  { door, command, preview, ecosystem, pages }: GateCall,
  { kind, token, expiresAt, approvalId, isAnew = false }: {
    readonly kind: Confirmation["kind"];
    readonly token: string;
    readonly expiresAt: number;
    readonly approvalId: string | null;
    readonly isAnew?: boolean;
  },
): Fields {
  return {
    token,
    type: kind,
    tool: command.name,
    expires_at: timestamp(expiresAt),
    preview: preview.facts,
    deed: deedOf(command),
    summary: preview.summary,
    effects: preview.effects,
    ...(preview.details === undefined ? {} : { details: plainText(preview.details) }),
    ...defined({ irreversible: preview.irreversible, undo: preview.undo }),
    // Where a person decides in a terminal, the name is typed there.
    typed_value_required: kind === "type" && approvalId === null,
    ...(kind === "type" ? { typed_value_is: typedFor(preview, ecosystem).what } : {}),
    ...(approvalId === null ? {} : {
      approval: {
        id: approvalId,
        command: `amof approve ${approvalId}`,
        ...(pages === null ? {} : { page: approvalPage(pages, approvalId) }),
      },
    }),
    how: waysFor({ door, pages }, kind, { token, approvalId, isAnew }),
  };
}
