/** Which message the commit of each repository gets. */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";

/** The message of one repository, or its short form `repo=message`. */
type MessageFor = string | { readonly repo: string; readonly message: string };

/** The messages that were given. */
export interface Messages {
  readonly message?: string | undefined;
  readonly message_for?: readonly MessageFor[] | undefined;
}

function refuse(message: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", message, {
    hint,
    details: { field: "message_for" },
  });
}

function pairOf(given: MessageFor): { repo: string; message: string } {
  if (typeof given !== "string") return given;
  const at = given.indexOf("=");
  if (at < 1) {
    throw refuse(
      `Cannot use --message-for "${cleanLine(given, 60)}": it names no repository`,
      'Write --message-for REPO=TEXT, such as --message-for "api=Fix the login"',
    );
  }
  return { repo: given.slice(0, at), message: given.slice(at + 1) };
}

/** Throws `invalid_arguments` for a message that git would take for none. */
function requireText(message: string, whose: string): void {
  if (message.trim() !== "") return;
  throw new AmofError("invalid_arguments", `Cannot commit with an empty message${whose}`, {
    hint: "Write one: amof commit -m TEXT",
    details: { field: "message" },
  });
}

/**
 * The messages by repository; the one for all others is that of the key "". Throws `invalid_arguments` where one is
 * empty, is given twice, or is for none of the repositories `known`.
 */
export function readMessages(
  { message, message_for = [] }: Messages,
  known: readonly string[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (message !== undefined) {
    requireText(message, "");
    found.set("", message);
  }
  for (const { repo, message: own } of message_for.map(pairOf)) {
    if (!known.includes(repo)) {
      const near = didYouMean(repo, known);
      throw refuse(
        `Cannot use a message for "${cleanLine(repo, 60)}": it is none of the chosen repositories${
          near === null ? "" : `; did you mean "${near}"?`
        }`,
        "See what can be committed: amof commit --dry-run",
      );
    }
    if (found.has(repo)) {
      throw refuse(`Cannot use two messages for "${repo}"`, "Give each repository one message");
    }
    requireText(own, ` for "${repo}"`);
    found.set(repo, own);
  }
  return found;
}
