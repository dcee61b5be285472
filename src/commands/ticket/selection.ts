/** Which repositories a ticket takes, and from where: the selections of `amof ticket start`. */

import type { ZodNamespace } from "../../contract/mod.ts";
import { isBranchName } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";

/** How one repository takes part. */
export interface Selection {
  readonly repo: string;
  readonly mode: "ticket_local" | "shared";
  readonly source_branch?: string | undefined;
  readonly target_branch?: string | undefined;
}

/** The member of an input that names bases of repositories. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function otherBases(z: ZodNamespace) {
  return z.array(z.union([
    z.string(),
    z.strictObject({
      repo: z.string(),
      mode: z.enum(["ticket_local", "shared"]).default("ticket_local"),
      source_branch: z.string().optional(),
      target_branch: z.string().optional(),
    }),
  ])).optional().describe("Other bases: repo=branch, or an object");
}

/** Reads a selection, also as its short form `repo=branch`; throws `invalid_arguments`. */
export function toSelection(given: string | Selection): Selection {
  const selection = typeof given === "string" ? shortForm(given) : given;
  for (const branch of [selection.source_branch, selection.target_branch]) {
    if (branch !== undefined && !isBranchName(branch)) {
      throw new AmofError(
        "invalid_arguments",
        `Cannot use "${branch.slice(0, 60)}" as a branch of "${selection.repo}"`,
        {
          hint: "Use a name that git accepts",
          details: { field: "repo_selections", repo: selection.repo },
        },
      );
    }
  }
  return selection;
}

function shortForm(given: string): Selection {
  const at = given.indexOf("=");
  if (at < 1 || at === given.length - 1) {
    throw new AmofError("invalid_arguments", `Cannot read the selection "${given.slice(0, 60)}"`, {
      hint: "Write repo=base-branch, such as api=develop",
      details: { field: "repo_selections" },
    });
  }
  return { repo: given.slice(0, at), mode: "ticket_local", source_branch: given.slice(at + 1) };
}
