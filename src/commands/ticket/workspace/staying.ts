/** Uncommitted work of the base workspace that a ticket in a workspace of its own does not take along. */

import { join } from "@std/path";
import type { CommandContext } from "../../../contract/mod.ts";
import { few } from "../../../base/text/words.ts";
import { inPoolOf } from "../../../workspace/mod.ts";
import type { BasePlace, TicketRepoFact, WorkspaceInput } from "./plan.ts";

/** What is said of it, before the start or after it; nothing where it was asked for. One git process a repository. */
export async function stayingLines(
  ctx: CommandContext,
  { manifest, directory }: BasePlace,
  { carry }: Pick<WorkspaceInput, "carry">,
  { repos, isDone }: {
    readonly repos: readonly Pick<TicketRepoFact, "name" | "role">[];
    readonly isDone: boolean;
  },
): Promise<string[]> {
  if (directory === null || carry !== undefined) return [];
  const work = manifest.repos.filter(({ name }) =>
    repos.some((repo) => repo.name === name && repo.role === "work")
  );
  const found = await inPoolOf(ctx, "checking", work, async ({ name, path }) => {
    const repository = ctx.git.at(join(directory, path), name);
    if (await repository.activity() === null) return [];
    // Of what cannot be read the status tells.
    const status = await repository.status().catch(() => null);
    return (status?.changes.length ?? 0) === 0 ? [] : [String(name)];
  });
  const names = found.flat();
  return names.length === 0 ? [] : [
    `Uncommitted changes of ${few(names, 5)} stay in the base workspace; ${
      isDone
        ? "to take them along: amof undo, then the same start with --carry"
        : "--carry takes them along"
    }`,
  ];
}
