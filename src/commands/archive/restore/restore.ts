/**
 * `amof archive restore`: makes an archived workspace again, with its branches and tickets (WORKSPACE-19).
 *
 * All or nothing like install, except that a branch whose commits its remote no longer has is reported as lost.
 */

import {
  findWorkspace,
  freshState,
  loadState,
  repoDirectory,
  stateText,
  type WorkspaceState,
} from "../../../workspace/mod.ts";
import { workspaceSteps } from "../../../workspace/changing.ts";
import type { Manifest } from "../../../workspace/manifest/mod.ts";
import { type ExecuteContext, mutation } from "../../../contract/mod.ts";
import type { JournalStep } from "../../../state/store/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, few, list } from "../../../base/text/words.ts";
import { restoreBranches, restoreRef } from "../operations.ts";
import type { ArchiveRecord } from "../record.ts";
import { planRestore, type RestoreFacts } from "./plan.ts";
import {
  type LeftOut,
  mirrorsBack,
  type TicketBack,
  type TicketRow,
  ticketRows,
  ticketSteps,
} from "../tickets/back.ts";
import { AmofError } from "../../../base/error.ts";
import { type Table, table } from "../../../base/text/table.ts";

// What is said of the workspaces of tickets that come back out of an archive, before and after (AWAY-2).

/** What is said of the tickets before. */
function backEffects(
  { back, left_out, still_away }: {
    readonly back: readonly TicketBack[];
    readonly left_out: readonly LeftOut[];
    readonly still_away: readonly string[];
  },
): string[] {
  return [
    ...back.map(({ ticket_id: id, workspace, repos }) =>
      `Put ${id} back at ${workspace} as it was, with ${
        count(repos.length, "clone")
      }; fetch the mirrors it borrows from`
    ),
    ...left_out.map(({ ticket_id: id, why }) => `Leave out ${cleanLine(id, 60)}: ${why}`),
    ...(still_away.length === 0
      ? []
      : [`Leave ${few(still_away, 5)} put away; bring them back, too: --tickets`]),
  ];
}

/** What is said of them afterwards. */
function backLines(
  rows: readonly TicketRow[],
  { left_out, still_away, notes }: {
    readonly left_out: readonly LeftOut[];
    readonly still_away: readonly string[];
    readonly notes: readonly string[];
  },
): string[] {
  return [
    ...rows.map(({ ticket_id: id, workspace, ports: { base, count, kept } }) => {
      const range = `ports ${base} to ${base + count - 1}`;
      return `${id} is back in ${workspace}, with ${
        kept ? `its ${range}` : `new ${range}: others have those it had`
      }`;
    }),
    ...rows.flatMap(({ ticket_id: id, missing }) =>
      missing.map(({ repo, objects }) =>
        `⚠ ${id}/${repo} needs ${
          count(objects.length, "object")
        } that its remote has dropped: push them again from a clone that has them`
      )
    ),
    ...left_out.map(({ ticket_id: id, why }) => `– ${cleanLine(id, 60)}: ${why}`),
    ...(still_away.length === 0
      ? []
      : [`Still put away: ${few(still_away, 5)}. Bring them back: amof archive restore --tickets`]),
    ...notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
  ];
}

/** What was restored. */
interface RestoreData {
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
async function outcome(
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
function failureOf(data: RestoreData): { readonly failure?: AmofError } {
  const failure = lostError(data) ?? damageError(data) ?? ticketError(data);
  return failure === null ? {} : { failure };
}

/** The summary and the details of an answer. */
function renderRestore(
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

/** The archived state without what the manifest no longer knows. */
function stateFor(
  ctx: ExecuteContext,
  manifest: Manifest,
  record: ArchiveRecord,
): WorkspaceState {
  const fresh = freshState(ctx.system, manifest.name, manifest.workspaceBranch);
  if (record.state === null) return fresh;
  const known = new Set<string>(manifest.repos.map((repo) => repo.name));
  return {
    ...record.state,
    ecosystem: manifest.name,
    workspace_branch: manifest.workspaceBranch,
    repos: record.state.repos.filter((repo) => known.has(repo.name)),
  };
}

async function baseSteps(
  ctx: ExecuteContext,
  { manifest, directory, state }: {
    readonly manifest: Manifest;
    /** Absolute. */
    readonly directory: string;
    readonly state: WorkspaceState | null;
  },
  { install, workspace_commit, repos }: RestoreFacts,
): Promise<JournalStep[]> {
  if (install === null || state === null) return [];
  const branches = await Promise.all(repos.map(async (entry) => {
    const repo = manifest.repos.find((candidate) => candidate.name === entry.name);
    if (repo === undefined) throw new TypeError(`"${entry.name}" is no longer in the manifest`);
    return restoreBranches.step({
      repo: entry.name,
      directory: await repoDirectory(ctx.system, directory, repo),
      branches: entry.branches,
      current: entry.current,
    });
  }));
  return [
    ...(workspace_commit === null ? [] : [restoreRef.step({
      root: ctx.root,
      branch: install.branch,
      commit: workspace_commit,
    })]),
    ...await workspaceSteps(ctx, manifest, install, {
      directory,
      contents: { state: stateText(ctx.system, state), afterClone: branches },
    }),
  ];
}

/** A moment where the reader may be anywhere, and the words stay as they are: "2026-03-02 14:30 UTC". */
function plainTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** `amof archive restore`. */
export const restoreArchive = mutation({
  name: "amof_restore_archive",
  path: ["archive", "restore"],
  toolset: "ecosystem",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "restore", will: "create the archived workspace again" },
  runs: "archive_restore",
  locks: "ecosystem",
  openWorld: true,
  title: "Restore archive",
  summary: "Make an archived workspace again, with its branches and tickets.",
  description:
    "All or nothing: where one repository cannot be cloned, nothing is left behind. With --tickets the workspaces of tickets come back, too, exactly as they were put away.",
  positionals: ["archive"],
  examples: [
    "archive restore",
    "archive restore demo-20260102T030405000Z --yes",
    "archive restore --tickets",
  ],
  input: (z) => ({
    archive: z.string().optional().describe("Name of the archive; the newest by default"),
    tickets: z.boolean().default(false).describe(
      "Bring tickets back that archive --tickets has put away; only them where the workspace is there",
    ),
  }),
  async preview(ctx, input) {
    const { facts } = await planRestore(ctx, input);
    const { install, back } = facts;
    const tickets = count(back.length, "ticket");
    return {
      facts,
      summary: install === null
        ? `Would bring ${tickets} of ${ctx.ecosystem} back.`
        : `Would restore ${ctx.ecosystem} with ${count(install.repos.length, "clone")}${
          back.length === 0 ? "" : ` and ${tickets}`
        }.`,
      ...(install === null ? { will: `bring ${tickets} back` } : {}),
      effects: [
        ...(install === null ? [] : [
          `Make ${install.workspace} on branch ${install.branch}`,
          ...install.repos.map((repo) => `Clone ${repo.name} (${repo.mode}) from ${repo.url}`),
        ]),
        ...facts.repos.filter((repo) => repo.branches.length > 0).map((repo) =>
          `Restore ${count(repo.branches.length, "branch", "branches")} of ${repo.name}${
            repo.current === null ? "" : `, on ${cleanLine(repo.current, 60)}`
          }`
        ),
        ...(facts.tickets.length === 0
          ? []
          : [`Restore ${count(facts.tickets.length, "ticket")}: ${list(facts.tickets)}`]),
        ...facts.dropped.map((name) =>
          `Leave out ${cleanLine(name, 60)}: the manifest no longer has it`
        ),
        ...facts.damaged.map((what) => `Leave out what is damaged in the record: ${what}`),
        ...backEffects(facts),
      ],
      current: `Archived on ${plainTime(Date.parse(facts.archived_at))} as ${facts.archive}`,
      alternatives: ["Begin anew instead: amof install", "See all archives: amof archive list"],
    };
  },
  undo: {
    irreversible: "this; put the workspace away again: amof archive",
  },
  async execute(ctx, input, facts) {
    const { manifest, record } = await planRestore(ctx, input);
    const { directory } = await findWorkspace(ctx, ctx.root, manifest);
    const { install, back } = facts;
    const state = install === null
      ? await loadState(ctx.system, directory)
      : stateFor(ctx, manifest, record);
    const notes: string[] = [];
    const base = install === null ? directory : null;
    const mirrors = await mirrorsBack(ctx, manifest, { base, back, notes });
    await ctx.perform([
      ...(install === null ? [] : await baseSteps(ctx, { manifest, directory, state }, facts)),
      ...await ticketSteps(ctx, manifest, back),
    ]);
    const data: RestoreData = {
      archive: facts.archive,
      workspace: manifest.workspaceDir,
      only_tickets: install === null,
      active_ticket: state?.active_ticket ?? null,
      tickets: facts.tickets,
      repos: install === null ? [] : await outcome(ctx, directory, manifest, facts),
      dropped: facts.dropped,
      damaged: facts.damaged,
      ticket_workspaces: await ticketRows(ctx, { back, mirrors }),
      left_out: facts.left_out,
      still_away: facts.still_away,
      notes,
    };
    return { data, ...failureOf(data) };
  },
  render: renderRestore,
});
