/** What `amof diff` compares with what, in one repository. */

import { AmofError } from "../../base/error.ts";
import type { DifferenceQuery, Differing, Repository } from "../../git/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";
import { plainRef, ticketBranches } from "../look/looking.ts";

/** What one repository answers. */
export interface Compared {
  /** Null where the commit to compare with is not there. */
  readonly found: Differing | null;
  readonly untracked: readonly string[];
}

const NOTHING: Differing = { files: [], cut: false };

/** What is to be compared in every repository. */
type Comparison =
  | "uncommitted"
  | "staged"
  | "base"
  | { readonly ref: string }
  | { readonly branches: Readonly<Record<string, string>> };

/** The comparison that is asked for; throws `invalid_arguments` where several are. */
export function comparisonOf(
  input: {
    readonly staged: boolean;
    readonly base: boolean;
    readonly ticket?: string | undefined;
    readonly ref?: string | undefined;
  },
  state: WorkspaceState | null,
): Comparison {
  const asked = [
    ...(input.staged ? ["--staged"] : []),
    ...(input.base ? ["--base"] : []),
    ...(input.ticket === undefined ? [] : ["--ticket"]),
    ...(input.ref === undefined ? [] : ["REF"]),
  ];
  if (asked.length > 1) {
    throw new AmofError("invalid_arguments", `Cannot use ${asked[0]} together with ${asked[1]}`, {
      hint: "Choose one of them",
    });
  }
  if (input.ticket !== undefined) return { branches: ticketBranches(state, input.ticket) };
  const ref = plainRef(input.ref);
  if (ref !== undefined) return { ref };
  return input.staged ? "staged" : input.base ? "base" : "uncommitted";
}

async function firstOf(
  clone: Repository,
  commits: readonly string[],
  how: (commit: string) => DifferenceQuery,
): Promise<Differing | null> {
  for (const commit of commits) {
    const found = await clone.differences.find(how(commit));
    if (found !== null) return found;
  }
  return null;
}

/** Compares in one repository. */
export async function compare(
  clone: Repository,
  repo: Repo,
  comparison: Comparison,
  rest: Omit<DifferenceQuery, "of">,
): Promise<Compared> {
  const bases = [`refs/remotes/origin/${repo.branch}`, `refs/heads/${repo.branch}`];
  if (comparison === "uncommitted") {
    const { changes, head } = await clone.status();
    const untracked = changes.filter(({ code }) => code === "??").map(({ path }) => path);
    // A clean repository needs no second look; one without a commit has only what is staged.
    const of = head === null ? "staged" as const : { files: "HEAD" };
    const found = changes.length === untracked.length
      ? NOTHING
      : await clone.differences.find({ ...rest, of });
    return { found, untracked: rest.paths.length === 0 ? untracked : [] };
  }
  if (comparison === "staged") {
    return { found: await clone.differences.find({ ...rest, of: "staged" }), untracked: [] };
  }
  if (comparison === "base") {
    const found = await firstOf(clone, bases, (base) => ({ ...rest, of: { filesSince: base } }));
    return { found, untracked: [] };
  }
  if ("ref" in comparison) {
    const of = { files: comparison.ref };
    return { found: await clone.differences.find({ ...rest, of }), untracked: [] };
  }
  const branch = `refs/heads/${comparison.branches[repo.name]}`;
  const found = await firstOf(clone, bases, (since) => ({ ...rest, of: { branch, since } }));
  return { found, untracked: [] };
}
