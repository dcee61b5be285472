/** What a restored archive came to, and how it is told. */

import type { ExecuteContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { type Table, table } from "../../../base/text/table.ts";
import { count, few } from "../../../base/text/words.ts";
import type { Manifest } from "../../../workspace/manifest/mod.ts";
import { repoDirectory } from "../../../workspace/mod.ts";
import type { RestoreFacts } from "./plan.ts";
import type { LeftOut, TicketRow } from "../tickets/back.ts";
import { backLines } from "../tickets/words.ts";

/** What was restored. */
export interface RestoreData {
  readonly archive: string;
  readonly workspace: string;
  /** Whether the workspace was there, and only tickets came back. */
  readonly only_tickets: boolean;
  readonly active_ticket: string | null;
  readonly tickets: readonly string[];
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    readonly branches: number;
    /** Branches that could not be made again. */
    readonly lost: readonly string[];
  }[];
  readonly dropped: readonly string[];
  /** What the record is damaged about, one phrase each. */
  readonly damaged: readonly string[];
  /** Tickets that came back with their workspaces. */
  readonly ticket_workspaces: readonly TicketRow[];
  /** Those of the record that did not. */
  readonly left_out: readonly LeftOut[];
  /** Tickets that stay put away, because they were not asked for. */
  readonly still_away: readonly string[];
  readonly notes: readonly string[];
}

/** What came of each repository, looked at afterwards. */
export async function outcome(
  ctx: ExecuteContext,
  directory: string,
  manifest: Manifest,
  facts: RestoreFacts,
): Promise<RestoreData["repos"]> {
  const rows: RestoreData["repos"][number][] = [];
  for (const repo of manifest.repos.filter((entry) => entry.enabled)) {
    const clone = await repoDirectory(ctx.system, directory, repo);
    const there = await ctx.git.at(clone, repo.name).branches.list();
    const wanted = facts.repos.find((entry) => entry.name === repo.name)?.branches ?? [];
    rows.push({
      name: repo.name,
      branch: await ctx.git.at(clone).branches.current() ?? "HEAD",
      branches: there.length,
      lost: wanted.map((branch) => branch.name)
        .filter((name) => !there.some((branch) => branch.name === name)),
    });
  }
  return rows;
}

/** The error of branches whose commits are nowhere any more; null where there are none. */
function lostError({ repos, damaged }: RestoreData): AmofError | null {
  const lossy = repos.filter((repo) => repo.lost.length > 0);
  const [first] = lossy;
  if (first === undefined) return null;
  return new AmofError(
    "partial_failure",
    `Restored the workspace, but ${count(lossy.length, "repository", "repositories")} ${
      lossy.length === 1 ? "has" : "have"
    } lost branches: "${first.name}" ${first.lost.map((name) => cleanLine(name, 60)).join(", ")}`,
    {
      hint: "Their remote no longer has the commits: end the tickets that used them",
      details: { repos: lossy.map(({ name, lost }) => ({ name, lost })), damaged },
    },
  );
}

/** The error of a record that could not be read in all its parts; null where it could. */
function damageError({ archive, damaged }: RestoreData): AmofError | null {
  if (damaged.length === 0) return null;
  return new AmofError(
    "partial_failure",
    `Restored the workspace, but the record is damaged; left out: ${
      damaged.slice(0, 5).join("; ")
    }`,
    {
      hint:
        `Compare ${archive}.json with an older version of the file, and make by hand what is missing`,
      details: { damaged },
    },
  );
}

/** The error of tickets that did not come back, or not whole; null where all did. */
function ticketError({ left_out, ticket_workspaces }: RestoreData): AmofError | null {
  const broken = ticket_workspaces.filter(({ missing }) => missing.length > 0);
  const [first] = left_out;
  if (first === undefined && broken.length === 0) return null;
  const what = first === undefined
    ? `${few(broken.map(({ ticket_id: id }) => id), 5)} ${
      broken.length === 1 ? "lacks" : "lack"
    } objects that a remote has dropped`
    : `${cleanLine(first.ticket_id, 60)} is left out: ${first.why}`;
  return new AmofError("partial_failure", `Restored all but this: ${what}`, {
    hint: first === undefined
      ? "See what is missing: amof doctor\nPush it again from a clone that has it"
      : `Begin it anew from its remote branches: amof ticket start ${
        cleanLine(first.ticket_id, 60)
      } --workspace`,
    details: { left_out, broken },
  });
}

/** What a restore fails with although the workspace is there; nothing where all of it is. */
export function failureOf(data: RestoreData): { readonly failure?: AmofError } {
  const failure = lostError(data) ?? damageError(data) ?? ticketError(data);
  return failure === null ? {} : { failure };
}

/** The summary and the details of an answer. */
export function renderRestore(
  data: RestoreData,
): { readonly summary: string; readonly details: (string | Table)[] } {
  const back = count(data.ticket_workspaces.length, "ticket");
  return {
    summary: data.only_tickets
      ? `Brought ${back} back.`
      : `Restored ${data.workspace} with ${count(data.repos.length, "repo")}${
        data.ticket_workspaces.length === 0 ? "" : ` and ${back}`
      }.`,
    details: [
      ...(data.only_tickets ? [`From ${data.archive}`] : [
        `From ${data.archive} · ${
          data.active_ticket === null ? "no active ticket" : `ticket ${data.active_ticket}`
        } · ${count(data.tickets.length, "ticket")}`,
      ]),
      ...(data.repos.length === 0 ? [] : [
        "",
        table(
          ["repo", "branch", "branches", "lost"],
          data.repos.map((repo) => [
            repo.name,
            cleanLine(repo.branch),
            repo.branches,
            repo.lost.map((name) => cleanLine(name, 60)).join(", "),
          ]),
        ),
      ]),
      ...data.dropped.map((name) => `– ${cleanLine(name, 60)}: no longer in the manifest`),
      ...data.damaged.map((what) => `⚠ Damaged in the record, left out: ${cleanLine(what, 200)}`),
      ...backLines(data.ticket_workspaces, data),
    ],
  };
}
