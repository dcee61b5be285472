/**
 * How consent is spoken of: the ways to give it, and why it does not count.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import type { Mutation } from "../spec/mod.ts";
import type { Confirmation } from "../store/mod.ts";
import type { Approval } from "./approver.ts";

type Door = "cli" | "mcp";

/** How a request can be settled, in the words of the door it was made through. */
export function waysFor(
  door: Door,
  kind: Confirmation["kind"],
  token: string,
  approvalId: string | null,
): string[] {
  if (approvalId !== null) {
    return [`a person: amof approve ${approvalId} in a terminal`, "then: amof_confirm(token)"];
  }
  if (door === "cli") {
    return kind === "type"
      ? [`amof confirm ${token} --confirm-name NAME`, "the same command with --confirm-name NAME"]
      : [`amof confirm ${token}`, "the same command with --yes"];
  }
  return kind === "type"
    ? ["amof_confirm(token, typed_value)", "same call with confirm_name and confirmation_token"]
    : ["amof_confirm(token)", "same call with confirm=true and confirmation_token"];
}

/** What to do about a request next. */
export function hintFor(
  door: Door,
  kind: Confirmation["kind"],
  token: string,
  approvalId: string | null,
): string {
  const [later, same] = waysFor(door, kind, token, approvalId);
  if (approvalId !== null) {
    return `Ask a person to run in a terminal: amof approve ${approvalId}; then poll amof_confirm(token)`;
  }
  if (door === "cli") return `Consent now: ${same}; or within 5 minutes: ${later}`;
  return `${
    kind === "type"
      ? "A person must type the ecosystem name"
      : "Show the preview to a person; with their consent"
  }: ${later}`;
}

function verb(command: Mutation): string {
  return command.title.split(" ")[0]?.toLowerCase() ?? "change";
}

/** A call whose name somebody has to type. */
interface Named {
  readonly command: Mutation;
  readonly ecosystem: string;
  readonly door: Door;
}

/** The refusal of a name that is missing or wrong; at 0 tries left the request is void (amof.md §5.4). */
export function wrongName(call: Named, triesLeft: number | null): AmofError {
  const { command, ecosystem, door } = call;
  const how = door === "mcp"
    ? `set confirm_name='${ecosystem}'`
    : `add --confirm-name ${ecosystem}`;
  return new AmofError(
    "type_to_confirm_failed",
    `To ${verb(command)} '${ecosystem}', ${how}.`,
    {
      hint: triesLeft === 0
        ? `The request is void after 3 wrong names; ${
          door === "mcp" ? "make the call" : "run the command"
        } again`
        : "A person must type the ecosystem name",
      ...(triesLeft === null ? {} : { details: { tries_left: triesLeft } }),
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

/** The refusal when whoever was asked did not agree. */
export function declined(title: string, { decision, way }: Approval, call?: Named): AmofError {
  if (decision === "wrong_name" && call !== undefined) {
    const { code, message, hint } = wrongName(call, null);
    return new AmofError(code, message, { hint, details: { decision, way } });
  }
  const how = {
    accepted: "was not confirmed",
    declined: "was declined",
    cancelled: "was cancelled",
    timed_out: "was not confirmed in time",
    unsupported: "could not be confirmed",
    wrong_name: "was not confirmed: the name did not match",
  }[decision];
  return new AmofError("confirmation_declined", `${title} ${how}; nothing was changed`, {
    // Who was asked in person needs no advice on asking one.
    ...(way === "prompt" ? { hint: "Repeat the command to be asked again" } : {}),
    details: { decision, way },
  });
}
