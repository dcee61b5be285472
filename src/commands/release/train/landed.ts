/** What of a ticket a train waits for: pull requests that have not landed (RELEASE-13). */

import { cleanLine } from "../../../base/text/sanitize.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { seek } from "../../pr/look.ts";
import { changeSet } from "../../pr/set.ts";
import type { Finding } from "../judge.ts";

/** What keeps a ticket from having landed, by repository. Null as name stands for all of them. */
export async function unlanded(
  ctx: CommandContext,
  ticket: string,
): Promise<readonly (Finding & { readonly repo: string | null })[]> {
  const set = await changeSet(ctx, { ticket_id: ticket });
  const seen = await seek(ctx, set);
  const problem = (repo: string | null, message: string) => ({
    repo,
    gate: "landed",
    message,
    fix: `See what stands in the way: amof pr status ${set.ticket_id}`,
  });
  const found = seen.flatMap(({ name, change, error }) =>
    error !== null
      ? [problem(name, cleanLine(error.message, 200))]
      : change === null || change.state === "merged"
      ? []
      : [problem(name, `#${change.number} of ${set.ticket_id} has not landed`)]
  );
  return found.length > 0 || seen.some(({ change }) => change?.state === "merged")
    ? found
    : [problem(null, `No pull request of ${set.ticket_id} has landed`)];
}
