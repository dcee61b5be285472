/**
 * Members of `agentpack.yaml` whose names are nearly ones that count: unknown ones pass, but a slip is no wish to be
 * ignored (PACK-3).
 */

import { cleanLine } from "../../../base/text/sanitize.ts";
import { didYouMean } from "../../../base/text/words.ts";
import { configInvalid, type Details } from "../error.ts";

/** Throws `E_CONFIG_INVALID` for the first member that is nearly a known one; `what` is what it is a member of. */
export function refuseMisspelt(
  members: object,
  known: readonly string[],
  { what, details }: { readonly what: string; readonly details: Details },
): void {
  for (const name of Object.keys(members)) {
    const near = known.includes(name) ? null : didYouMean(name, known);
    if (near === null || Object.hasOwn(members, near)) continue;
    const shown = cleanLine(name, 60);
    throw configInvalid(`${what} has no member "${shown}"; did you mean "${near}"?`, {
      ...details,
      field: shown,
      did_you_mean: near,
      allowed: known,
    });
  }
}
