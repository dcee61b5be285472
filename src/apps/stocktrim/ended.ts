/**
 * What becomes of a change: done, failed, or nobody knows, which is said as a failure and never tried again (STOCKTRIM-9).
 */

import { AmofError } from "../../base/error.ts";
import type { ChangeOutcome } from "./client/transport.ts";
import { shown } from "./shown.ts";

/** There is no such thing. `reader` is the command that lists what there is. */
export function notFound(what: string, name: string, reader: string): AmofError {
  return new AmofError("stocktrim_not_found", `Cannot find the ${what} "${shown(name)}"`, {
    hint: `See what there is: ${reader}`,
    details: { what, name: shown(name) },
  });
}

/** There is such a thing already, and it is not written over. */
export function alreadyThere(what: string, name: string, hint: string): AmofError {
  return new AmofError(
    "stocktrim_exists",
    `Cannot create the ${what} "${shown(name)}": there is one, and it is not written over`,
    { hint, details: { what, name: shown(name) } },
  );
}

/** A new one has no name, which it needs. */
export function unnamed(what: string, code: string): AmofError {
  return new AmofError("invalid_arguments", `Cannot create ${what} "${shown(code)}" unnamed`, {
    hint: "Name it with --name NAME, or change one that exists with --update",
    details: { issues: [{ path: "name", problem: `is needed for a new ${what}` }] },
  });
}

/** What the service then showed of the record; throws for everything that is not done. `reader` tells how it stands. */
export function requireDone<T>(outcome: ChangeOutcome<T>, reader: string): T | null {
  if (outcome.state === "done") return outcome.value;
  const { code, message, hint, details } = outcome.error;
  if (outcome.state === "failed") {
    const { status } = details;
    // A service that breaks while it works has perhaps done the work.
    if (typeof status !== "number" || status < 500) throw outcome.error;
    throw new AmofError(code, message, {
      hint: `It may be done all the same, so look before you repeat it: ${reader}`,
      details: { ...details, reader },
    });
  }
  throw new AmofError(code, message, {
    hint: `It is not sent again by itself. See how it stands: ${reader}`,
    details: { ...details, said: hint, outcome: "unknown", reader },
  });
}

/**
 * Deletes and looks again: a good answer of the service is not believed before the thing is gone (STOCKTRIM-6). `what` is
 * "product TEA", `reader` the command that tells whether it is there, and `stands` does.
 */
export async function deleteVerified(
  what: string,
  reader: string,
  send: () => Promise<ChangeOutcome<never>>,
  stands: () => Promise<boolean>,
): Promise<void> {
  requireDone(await send(), reader);
  let there: boolean;
  try {
    there = await stands();
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    throw new AmofError(
      "stocktrim_outcome_unknown",
      `Cannot verify that ${what} is gone: StockTrim said it deleted it, and looking again failed`,
      {
        hint: `See how it stands: ${reader}`,
        details: { outcome: "unknown", reader, because: thrown.message },
      },
    );
  }
  if (!there) return;
  throw new AmofError(
    "stocktrim_failed",
    `Cannot delete ${what}: StockTrim said it did, and it is still there`,
    { hint: `See how it stands: ${reader}`, details: { reader } },
  );
}
