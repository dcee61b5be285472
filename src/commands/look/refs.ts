/** Names of commits, as callers give them. */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** Throws `invalid_arguments` for a commit that none of the repositories has. */
export function refuseUnknown(
  name: string | null,
  read: number,
  without: readonly string[],
): void {
  if (name === null || read === 0 || without.length < read) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot find "${cleanLine(name, 60)}" in any of the repositories`,
    {
      hint: "See their branches: amof branches --all",
      details: { issues: [{ path: "ref", problem: "is no commit of these repositories" }] },
    },
  );
}

/** The name as it is; throws `invalid_arguments` for one that git would take for a flag, or for more than a name. */
export function plainRef<T extends string | undefined>(name: T): T {
  if (name === undefined || /^[^-\s:][^\s:]*$/.test(name)) return name;
  throw new AmofError(
    "invalid_arguments",
    `Cannot look at "${cleanLine(name, 60)}": that is no name of a commit`,
    {
      hint: "Name a branch, a tag or a commit, such as v1.0.0 or HEAD~3",
      details: { issues: [{ path: "ref", problem: "is no name of a commit" }] },
    },
  );
}
