/** What two commits come to when they are merged, without a working copy. */

import { AmofError } from "../../base/error.ts";
import { gitFailure } from "../call/error.ts";
import type { Runner } from "../call/runner.ts";

/**
 * The tree of a merge, or the files in which both do not go together: no ref and no file changes. Needs git 2.38. `what`
 * is tried with it, for errors. One process.
 */
export async function mergedTree(
  git: Runner,
  { into, other }: { readonly into: string; readonly other: string },
  what: string,
): Promise<{ readonly tree: string } | { readonly conflicts: readonly string[] }> {
  const words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", into, other];
  const merged = await git.run(words, { access: "internal", patient: true });
  const [tree = "", ...files] = merged.stdout.split("\0");
  if (merged.exitCode === 129) {
    throw new AmofError("git_failed", `Cannot ${what}: this needs git 2.38 or later`, {
      hint: "Install a newer git",
      details: { repo: git.name, kind: "too_old" },
    });
  }
  if (merged.exitCode > 1) throw gitFailure(merged, what, git.name);
  return merged.exitCode === 1
    ? { conflicts: [...new Set(files.filter((file) => file !== ""))] }
    : { tree };
}
