/** How people are told of repositories that a ticket begins without. */

import { few } from "../../base/text/words.ts";

/** A line for each reason, with the repositories that it left out. */
export function skippedLines(
  skipped: readonly { readonly name: string; readonly reason: string }[],
): string[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, same]) =>
    `– ${few(same.map(({ name }) => name), 6)}: ${reason}`
  );
}
