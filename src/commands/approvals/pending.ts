/** Finds the request that a person means, among those that wait for one (CONFIRM-12). */

import { AmofError } from "../../base/error.ts";
import type { PendingApproval } from "../../state/store/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** The shortest beginning of an id that is accepted. */
const SHORTEST_PREFIX = 4;

/** The request with this id or unique beginning of one, decided or not; throws `approval_not_found`. */
export function requirePending(
  approvals: { byPrefix(prefix: string): PendingApproval[] },
  id: string,
): PendingApproval {
  const prefix = id.toLowerCase();
  const [pending, second] = /^[0-9a-f]+$/.test(prefix) && prefix.length >= SHORTEST_PREFIX
    ? approvals.byPrefix(prefix)
    : [];
  if (pending !== undefined && second === undefined) return pending;
  const shown = cleanLine(id, 40);
  throw new AmofError(
    "approval_not_found",
    pending === undefined
      ? `Cannot find the request "${shown}"`
      : `Cannot tell which request "${shown}" means: several begin so`,
    {
      hint: "List what waits, with the AMOF_HOME of the server where it has one: amof approvals",
      details: { id: shown },
    },
  );
}
