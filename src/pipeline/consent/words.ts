/** How consent is spoken of: the ways to give it, and why it does not count. */

import { AmofError, type ErrorCode } from "../../base/error.ts";
import { defined, type Fields } from "../../base/object.ts";
import type { Mutation, Preview } from "../../contract/mod.ts";
import type { ConfirmBy, Door } from "../../base/policy/mode.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { Asker, Confirmation } from "../../state/store/mod.ts";
import { actionNoun, type Approval, capital, typedFor } from "./approver.ts";
import { plainText } from "../../base/text/parts.ts";
import { timestamp } from "../../base/system/mod.ts";

/** How a token is spent, in the words of a door that programs come through. */
const SPENDING: Readonly<
  Record<Exclude<Door, "cli">, { readonly plain: string; readonly typed: string }>
> = {
  mcp: { plain: "amof_confirm(token)", typed: "amof_confirm(token, typed_value)" },
  http: {
    plain: "POST /api/v1/confirmations with token",
    typed: "POST /api/v1/confirmations with token and typed_value",
  },
};

/** Through which door it was asked, and where a person can decide in a browser; null where they cannot. */
interface Asked {
  readonly door: Door;
  readonly pages: string | null;
}

/** The page of a request; `pages` is the beginning of its address. */
export function approvalPage(pages: string, id: string): string {
  return `${pages}/approvals/${id}`;
}

/** Where a person decides about a request: in a terminal, or in the page of a server that runs. */
export function whereToDecide(id: string, pages: string | null): string {
  return pages === null
    ? `Ask a person to run in a terminal: amof approve ${id}`
    : `Ask a person to run in a terminal: amof approve ${id}\nOr to open: ${
      approvalPage(pages, id)
    }`;
}

/** A request, and what settles it. */
interface Settling {
  readonly token: string;
  readonly approvalId: string | null;
  /** Whether it came in the place of another one, so that what was typed may be no more than the token of that. */
  readonly isAnew: boolean;
}

/** How a request can be settled, in the words of the door it was made through. */
function waysFor(
  { door, pages }: Asked,
  kind: Confirmation["kind"],
  { token, approvalId, isAnew }: Settling,
): string[] {
  if (approvalId !== null) {
    const { plain } = SPENDING[door === "cli" ? "mcp" : door];
    return [
      `a person: amof approve ${approvalId} in a terminal`,
      ...(pages === null ? [] : [`or in a browser: ${approvalPage(pages, approvalId)}`]),
      `then: ${plain}`,
    ];
  }
  if (door === "cli") {
    const flag = kind === "type" ? "--confirm-name NAME" : "--yes";
    return [
      `amof confirm ${token}${kind === "type" ? ` ${flag}` : ""}`,
      ...(isAnew ? [] : [`the same command with ${flag}`]),
    ];
  }
  const { plain, typed } = SPENDING[door];
  return kind === "type"
    ? [typed, "same call with confirm_name and confirmation_token"]
    : [plain, "same call with confirm=true and confirmation_token"];
}

/** What to do about a request next. */
export function hintFor(
  call: Named & Asked,
  kind: Confirmation["kind"],
  { tokenOnly, ...way }: Settling & {
    /** Whether nothing but the token settles it. */
    readonly tokenOnly: boolean;
  },
): string {
  const { door } = call;
  const { approvalId } = way;
  const [later, same] = waysFor(call, kind, way);
  if (approvalId !== null) {
    return `${whereToDecide(approvalId, call.pages)}\nThen poll ${
      SPENDING[door === "cli" ? "mcp" : door].plain
    }`;
  }
  if (door === "cli") {
    return `${
      same === undefined ? "" : `Consent now: ${same}\n`
    }Consent within 5 minutes: ${later}`;
  }
  return `${
    kind === "type"
      ? `A person must type the ${typedOf(call).what}`
      : `Show the preview to a person; with their consent${
        tokenOnly ? "" : " the same call with confirm=true, or"
      }`
  }: ${later}`;
}

function verb(command: Mutation): string {
  return command.title.split(" ")[0]?.toLowerCase() ?? "change";
}

/** A call whose name somebody has to type. */
interface Named {
  readonly command: Mutation;
  readonly preview: Preview<Fields, Fields>;
  readonly ecosystem: string;
  readonly door: Door;
}

function typedOf({ preview, ecosystem }: Named): { readonly what: string; readonly value: string } {
  return typedFor(preview, ecosystem);
}

/** The refusal of a name that is missing or wrong; at 0 tries left the request is void (CONFIRM-10). */
export function wrongName(
  call: Named,
  triesLeft: number | null,
  { way = "token", redeems = false }: {
    readonly way?: Approval["way"] | "token" | "none" | undefined;
    /** Whether the name came with a token alone, and not with the call. */
    readonly redeems?: boolean | undefined;
  } = {},
): AmofError {
  const { command, door } = call;
  const { what, value } = typedOf(call);
  const shown = cleanLine(value);
  const how = door === "cli"
    ? "give exactly that name with --confirm-name"
    : `set ${redeems ? "typed_value" : "confirm_name"}='${shown}'`;
  return new AmofError(
    "type_to_confirm_failed",
    `To ${verb(command)} '${shown}', ${how}.`,
    {
      hint: triesLeft === 0
        ? `The request no longer counts after 3 wrong names; ${
          door === "cli" ? "run the command" : "make the call"
        } again`
        : `A person must type the ${what}`,
      ...(triesLeft === null ? {} : { details: { tries_left: triesLeft, way } }),
    },
  );
}

/** The refusal of a token that opens nothing; tells nothing about other tokens. */
export function invalid(): AmofError {
  return new AmofError(
    "confirmation_invalid",
    "Cannot use this confirmation: it is unknown, spent, cancelled, or was made for something else",
  );
}

/** How each way of not agreeing is said and which code it has. */
const REFUSALS: Readonly<
  Record<Exclude<Approval["decision"], "accepted">, readonly [code: ErrorCode, how: string]>
> = {
  declined: ["confirmation_declined", "declined by user"],
  cancelled: ["confirmation_cancelled", "cancelled by user"],
  timed_out: ["confirmation_timed_out", "not confirmed in time"],
  wrong_name: ["type_to_confirm_failed", "not confirmed: the name did not match"],
  ask_failed: ["confirmation_failed", "not confirmed: the client could not ask"],
  unsupported: ["confirmation_required", "not confirmed: nobody can be asked here"],
};

/** The refusal when whoever was asked did not agree; `what` is what they were asked for: "push of shop". */
export function declined(
  what: string,
  { decision, way }: Pick<Approval, "way"> & { readonly decision: keyof typeof REFUSALS },
  call?: Named,
): AmofError {
  if (decision === "wrong_name" && call !== undefined) {
    const { code, message, hint } = wrongName(call, null);
    return new AmofError(code, message, { hint, details: { decision, way } });
  }
  const [code, how] = REFUSALS[decision];
  // Over MCP a person's refusal is marked in the summary; a terminal needs no mark.
  const mark = way === "prompt" || way === "flag" ? "" : "❌ ";
  return new AmofError(code, `${mark}${capital(what)} ${how}; nothing was changed`, {
    // The usual hint, to ask the person, does not fit if the person has just answered.
    ...(way === "prompt" ? { hint: "Repeat the command to be asked again" } : {}),
    details: { decision, way },
  });
}

/** What a call needs that nobody has agreed to yet: what it will do, and how to agree. */
export function needed(
  call: Named,
  kind: Confirmation["kind"],
  by: "token" | "token_only" | "human" | "human_alone" | "unattended",
): string {
  const { command, preview, door } = call;
  const { what } = typedOf(call);
  const does = preview.will ?? command.asks?.will ?? command.summary;
  const will = `${capital(actionNoun(command))} will ${does}`;
  if (by === "human") return `${will}; a person must approve it`;
  if (by === "unattended") {
    return `${will}; a person must approve it, because the client said no to the form before anybody could have read it`;
  }
  if (by === "human_alone") {
    return `${will}; a person must approve it, because this client shows no forms and no word of a program counts`;
  }
  if (door === "cli") {
    return kind === "type"
      ? `${will}; give the ${what} with --confirm-name`
      : `${will}; consent with --yes`;
  }
  if (kind === "type") return `${will}. A person must type the ${what}.`;
  // A client that has set confirm=true already must not be told to set it again.
  return `${will}. ${
    by === "token_only" ? "Nobody has seen its preview yet: confirm by token." : "Set confirm=true."
  }`;
}

// A call that reached the gate, and how the request that it is answered with looks from outside.

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
    deed: actionNoun(command),
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
