/** What is answered about the branches of a ticket that ended (TICKET-6). */

import { cleanLine } from "../../../base/text/sanitize.ts";
import { type Table, table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import type { TicketState } from "../../../workspace/mod.ts";
import { unsentOutside } from "../../look/drift.ts";
import type { Cleanup } from "../cleanup.ts";
import type { TicketPlace } from "../preflight.ts";

/** What became of one branch. */
export interface EndRow {
  readonly name: string;
  readonly branch: string;
  readonly kept: boolean;
  /** Where the work of a deleted branch is, or why a branch stays; null where there is nothing to say. */
  readonly why: string | null;
  /** How many commits went with the branch that were nowhere else; of a workspace its losses tell. */
  readonly lost?: number;
}

/** What is said of a branch. */
function fateOf({ kept, why, lost = 0 }: EndRow): string {
  if (lost > 0) return `${count(lost, "commit")} ${lost === 1 ? "was" : "were"} nowhere else`;
  return why ?? (kept ? "" : "deleted");
}

/** Whether it stays as it was to, or went and its work is somewhere else. */
function isUsual({ kept, why, lost = 0 }: EndRow): boolean {
  return kept ? why === null : lost === 0;
}

/** What became of each branch; of many a person is only told what stays for a reason, and what went with its commits. */
export function endTable(repos: readonly EndRow[], all: boolean): Table {
  const shown = table(
    ["repo", "branch", "kept", "why"],
    repos.map((repo) => [
      repo.name,
      cleanLine(repo.branch),
      repo.kept ? "yes" : "no",
      fateOf(repo),
    ]),
  );
  const usual = new Map(
    repos.entries().filter(([, repo]) => isUsual(repo)).map(([index, { kept, why }]) => [
      index,
      // Each is there as another commit.
      kept ? "kept" : why === null ? "deleted" : `deleted (${why.replace(/, [0-9a-f]+$/, "")})`,
    ]),
  );
  return all
    ? shown
    : shown.folding((index) => usual.has(index), (index) => usual.get(index) ?? "");
}

/** The branches of a ticket that stay because the manifest does not name their repositories any more. */
export function unnamedIn({ manifest }: TicketPlace, { repos }: TicketState): Cleanup["staying"] {
  return Object.keys(repos)
    .filter((name) => !manifest.repos.some((repo) => repo.name === name))
    .map((name) => ({ name, why: "the manifest has no such repository" }));
}

/** What of such clones is sent nowhere, as warnings. */
export async function unsentIn(
  ctx: CommandContext,
  place: TicketPlace,
  ticket: TicketState,
): Promise<string[]> {
  return unnamedIn(place, ticket).length === 0
    ? []
    : await unsentOutside(ctx, place.manifest, place.workspace.directory);
}
