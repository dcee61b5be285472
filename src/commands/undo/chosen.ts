/**
 * Which repositories of an operation are to be undone: the words of the selection language, over those that the run
 * changed (UNDO-3, SELECT-1).
 *
 * @module
 */

import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { few } from "../../base/text/words.ts";
import { namesThrough, select, type Selecting } from "../../workspace/selection/mod.ts";
import { requireWorkspace } from "../../workspace/mod.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import type { OperationRecord } from "./record.ts";

/** The error of names in which a run changed nothing. */
function unchanged(record: OperationRecord, what: string): AmofError {
  const short = record.run_id.slice(0, 8);
  return new AmofError(
    "invalid_arguments",
    `Cannot undo in ${what}: run ${short} changed nothing there`,
    {
      hint: `See what it changed: amof operations ${short}`,
      details: { field: "repos", repos: record.repos.map(({ name }) => name) },
    },
  );
}

/**
 * The names of the repositories that are left, in the order of the record. Names are looked up among those that the run
 * changed, also where the manifest has lost them since; tags and how repositories stand in the manifest. Throws
 * `invalid_arguments` for a name that fits none of them, and for words that leave none. Empty only where `only` leaves
 * none, or where the manifest has lost them.
 */
export async function chosenRepos(
  ctx: CommandContext,
  record: OperationRecord,
  { repos, tags, only }: Selecting,
): Promise<string[]> {
  const names = record.repos.map(({ name }) => name);
  const { fits, unknown } = namesThrough(ctx.door, repos, names);
  if (unknown.length > 0) {
    throw unchanged(record, few(unknown.map((name) => `"${cleanLine(name, 60)}"`), 5));
  }
  const named = names.filter(fits);
  if (named.length === 0) throw unchanged(record, "the repositories that are selected");
  return await inManifest(ctx, named, { tags, only });
}

/** Those of some names that tags, and how repositories stand, leave; all without such words. */
async function inManifest(
  ctx: CommandContext,
  names: string[],
  { tags = [], only = [] }: Selecting,
): Promise<string[]> {
  if (tags.length + only.length === 0) return names;
  const manifest = await scopeManifest(ctx);
  const { directory: workspace, state } = await requireWorkspace(ctx, ctx.root, manifest);
  const repos = names.filter((name) =>
    manifest.repos.some((repo) => repo.enabled && repo.name === name)
  );
  if (repos.length === 0) return [];
  const left = await select(ctx, { manifest, workspace, state }, { repos, tags, only });
  return names.filter((name) => left.some((repo) => repo.name === name));
}
