/** Whether what would happen now is still what was agreed to. */

import { defined } from "../object.ts";
import { AmofError } from "../error.ts";
import { factChanges } from "./changes.ts";
import { isSame } from "./same.ts";

/** What somebody agreed to, or what is the case now. */
interface Reviewed {
  /** A hash of all of it, or all of it as one text. */
  readonly fingerprint: string;
  /** The facts behind it, where it can be told which of them changed. */
  readonly facts?: unknown;
}

/**
 * Throws `confirmation_stale`, with what changed, unless both are the same.
 *
 * @example
 * ```ts
 * import { assertThrows } from "@std/assert";
 * import { AmofError } from "../error.ts";
 * import { recheck } from "./recheck.ts";
 *
 * const agreed = { fingerprint: "a1", facts: { ahead: 1 } };
 * recheck(agreed, { ...agreed });
 * assertThrows(() => recheck(agreed, { fingerprint: "b2", facts: { ahead: 2 } }), AmofError);
 * ```
 */
export function recheck(
  agreed: Reviewed,
  now: Reviewed,
  message = "Things changed between the confirmation and the start; nothing was done",
  hint?: string,
): void {
  if (isSame(agreed.fingerprint, now.fingerprint)) return;
  throw new AmofError("confirmation_stale", message, {
    ...defined({ hint }),
    details: agreed.facts === undefined ? {} : { ...factChanges(agreed.facts, now.facts) },
  });
}
