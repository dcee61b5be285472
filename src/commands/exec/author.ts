/** Who the commits are by that this program makes. */

import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { WHO_COMMITS } from "../../git/mod.ts";
import { type Authorship, Bundles } from "../../git/write/mod.ts";

/** Who commits are by; throws where nobody has told git. */
export async function requireAuthor(
  ctx: CommandContext,
): Promise<Pick<Authorship, "name" | "email">> {
  const author = await ctx.git.at(ctx.root).part(Bundles).author();
  if (author !== null) return author;
  throw new AmofError(
    "invalid_arguments",
    "Cannot make commits: git does not know who commits here",
    {
      hint: WHO_COMMITS,
    },
  );
}
