/**
 * `amof archive`: puts a workspace away (WORKSPACE-17).
 *
 * Nothing is deleted unless everything is on a remote: feature branches are pushed, then the remotes themselves are
 * asked, and only then the workspace goes. A record of branches and tickets stays for `archive restore`.
 */

import { defined } from "../../base/object.ts";
import { basename, dirname, join, relative } from "@std/path";
import { allowNoTouch } from "../../workspace/manifest/mod.ts";
import { awayBeside, putTicketAway } from "../../workspace/tickets/changing.ts";
import { CONTROL } from "../../workspace/removal/mod.ts";
import { removalSteps } from "../removal/removal.ts";
import { attempt, NOTHING_DELETED, verifyRemotes } from "../removal/leaving.ts";
import {
  environmentLines,
  ignoredWarning,
  isMinor,
  type Loss,
  lossLines,
  lossParts,
  undeletable,
} from "../removal/losses.ts";
import { deleteRemoteBranch, makeDirectories, replaceFile } from "../../workspace/changing.ts";
import { foldingInput } from "../../contract/input.ts";
import { type ExecuteContext, mutation, unlisted } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { foldedRepos } from "../../base/text/parts.ts";
import { table } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";
import { committing } from "../repo/context.ts";
import { type ArchiveRecord, newFile } from "./record.ts";
import { type ArchiveFacts, planArchive } from "./plan.ts";
import type { PushPlan } from "./findings.ts";
import { ticketEffects } from "./tickets/back.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { inPoolOf, refuseAll, type WorkspaceState } from "../../workspace/mod.ts";
import { sha } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { gitFailure, reason } from "../../git/mod.ts";
import { logLines } from "../../git/changing.ts";

/** The workspace of a ticket, and where it is put away: absolute places. */
interface Away {
  readonly ticket: string;
  readonly directory: string;
  readonly away: string;
}

/** The record of what is archived. */
function recordOf(
  ctx: ExecuteContext,
  facts: ArchiveFacts,
  { state, now, away }: {
    readonly state: WorkspaceState | null;
    readonly now: number;
    readonly away: readonly Away[];
  },
): ArchiveRecord {
  return {
    version: 1,
    ecosystem: ctx.ecosystem,
    archived_at: timestamp(now),
    workspace_branch: facts.workspace_branch,
    workspace_commit: facts.workspace_commit,
    message: facts.message,
    tickets: facts.tickets,
    repos: facts.repos,
    state,
    ticket_workspaces: facts.ticket_workspaces.flatMap(({ ticket_id, repos }) =>
      away.filter(({ ticket }) => ticket === ticket_id)
        .map(({ away }) => ({ ticket_id, away: basename(away), repos }))
    ),
  };
}

/** The steps that write a record into the control repository. */
async function recordSteps(
  ctx: ExecuteContext,
  file: string,
  record: object,
): Promise<JournalStep[]> {
  const path = join(ctx.root, file);
  const records = dirname(path);
  return [
    ...(await ctx.system.files.lstat(records) === null
      ? [makeDirectories.step({ paths: [records] })]
      : []),
    replaceFile.step({
      file: path,
      before: null,
      after: `${JSON.stringify(record, null, 2)}\n`,
      what: `Write ${file}`,
      keep: null,
    }),
  ];
}

interface ArchiveData {
  readonly workspace: string;
  /** The record, relative to the control repository. */
  readonly file: string;
  readonly tickets: readonly string[];
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string | null;
    readonly pushed: readonly string[];
  }[];
  /** Workspaces of tickets that were put away as they are. */
  readonly ticket_workspaces: readonly {
    readonly ticket_id: string;
    /** Where it lies now, relative to the control repository. */
    readonly away: string;
  }[];
  readonly losses: readonly Loss[];
  readonly workspace_branch_kept: boolean;
  /** What could not be deleted, or null. */
  readonly left: string | null;
}

/** What was archived; `left` is where files lie that could not be deleted, or null. */
function answerOf(
  facts: ArchiveFacts,
  file: string,
  { root, away, left }: {
    readonly root: string;
    readonly away: readonly Away[];
    readonly left: string | null;
  },
): ArchiveData {
  return {
    workspace: facts.workspace,
    file,
    tickets: facts.tickets,
    repos: facts.repos.map(({ name, branch }) => ({
      name,
      branch,
      pushed: facts.push.filter((entry) => entry.repo === name).map((entry) => entry.branch),
    })),
    ticket_workspaces: away.map(({ ticket, away }) => ({
      ticket_id: ticket,
      away: relative(root, away).replaceAll("\\", "/"),
    })),
    losses: facts.losses,
    workspace_branch_kept: !facts.delete_workspace,
    left,
  };
}

const REMOTE = "origin";

/** What is said of a push that makes a branch again: without its commits no record could bring it back. */
const AGAIN = {
  never: "",
  open: ", upstream gone: made again",
  merged: ", merged and upstream gone: made again",
};

/** How a repository is called where its remote is spoken of: the workspace itself has none but that. */
function calledAt(repo: string): string {
  return repo === CONTROL ? "control repository" : repo;
}

const ASK = "Ask every remote whether it has every local branch; stop if not";

/** A repository by the name that it is called by. */
type Called<T> = T & { readonly name: string };

function pushLine({ name, branch, commits, gone }: Called<PushPlan>): string {
  const what = `${count(commits, "commit")}${AGAIN[gone ?? "never"]}`;
  return `Push ${name} ${cleanLine(branch, 60)} (${what})`;
}

function cleanupLine({ name, branch }: Called<ArchiveFacts["cleanup"][number]>): string {
  return `Delete ${branch} on the remote of ${name}`;
}

/** Pushes branches, never with force. Throws one error for all that did not go. */
async function pushAll(
  ctx: ExecuteContext,
  plans: readonly PushPlan[],
  directories: ReadonlyMap<string, string>,
): Promise<void> {
  // The branches of one repository go one after another, so that git never waits for itself.
  const repos = [...new Set(plans.map((plan) => plan.repo))];
  const failures = await inPoolOf(ctx, "pushing", repos, async (repo) => {
    const called = calledAt(repo);
    for (const { branch, commit, commits } of plans.filter((plan) => plan.repo === repo)) {
      if (ctx.signal.aborted) {
        throw new AmofError("cancelled", `Stopped before pushing; ${NOTHING_DELETED}`);
      }
      const failure = await attempt(ctx, called, "push it by hand, then repeat", async () => {
        const directory = directories.get(repo) ?? "";
        const outcome = await ctx.git.at(directory).remotes.push({
          commit: sha(commit),
          branch,
          remote: REMOTE,
          onLine: logLines(ctx.report.log, called, { stdout: "info", stderr: "info" }),
        });
        if (!outcome.ok) {
          const call = { cwd: directory, network: true };
          const error = gitFailure(outcome.result, `push "${called}"`, called, call);
          const why = cleanLine(outcome.reason ?? reason(outcome.result));
          return {
            repo: called,
            code: error.code,
            problem: `could not push ${cleanLine(branch, 60)}: ${why}`,
            fix: error.hint ?? "push it by hand, then repeat",
          };
        }
        ctx.report.log("info", `${called}: pushed ${count(commits, "commit")} on ${branch}`, {
          type: "repo",
          payload: { repo, commit },
        });
        return null;
      });
      if (failure !== null) return failure;
    }
    return null;
  });
  refuseAll(
    `archive ${ctx.ecosystem}`,
    failures.filter((failure) => failure !== null),
    NOTHING_DELETED,
  );
}

/** `amof archive`. */
export const archive = mutation({
  name: "amof_archive_ecosystem",
  path: ["archive"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "archive", will: "push what is left and remove the workspace" },
  runs: "archive",
  locks: "ecosystem",
  openWorld: true,
  next: "archived",
  title: "Archive ecosystem",
  summary: "Push all work, verify it on the remotes, then put the workspace away.",
  description:
    "Refuses while anything would be lost: uncommitted files, stashes, commits on base branches. Feature branches are pushed, never with force, and the remotes are asked before anything is deleted. A failure in one repository keeps the whole workspace. archive restore brings it back. Tickets with workspaces of their own refuse it unless --tickets puts them away, too: as they are, with everything that is only there.",
  short: { message: "m" },
  instead: { force: "Give up what is only here: amof archive --discard-local" },
  examples: ["archive --dry-run", 'archive -m "Until spring" --yes', "archive --tickets --dry-run"],
  input: (z) => ({
    message: z.string().min(1).max(1000).optional().describe("A note for the record"),
    delete_workspace: z.boolean().default(false).describe("Delete the workspace branch, too"),
    cleanup_features: z.boolean().default(false).describe(
      "Delete merged branches on the remotes",
    ),
    discard_local: z.boolean().default(false).describe(
      "Lose what is only here; asks for typing",
    ),
    tickets: unlisted(
      z.boolean().default(false).describe("With the tickets that have workspaces of their own"),
    ),
    allow_no_touch: allowNoTouch(z),
    ...foldingInput(z),
  }),
  raised: (input) =>
    input.discard_local || input.allow_no_touch !== undefined ? { confirm: "type" } : null,
  async preview(ctx, input) {
    const { facts } = await planArchive(ctx, input);
    const lost = facts.losses.filter((loss) => !isMinor(loss));
    const push = facts.push.map((plan) => ({ ...plan, name: calledAt(plan.repo) }));
    const cleanup = facts.cleanup.map((one) => ({ ...one, name: calledAt(one.repo) }));
    const before = [
      "Write a record into the control repository",
      ...ticketEffects(facts.ticket_workspaces),
    ];
    const after = [
      `Delete ${facts.workspace} with its clones`,
      ...(facts.delete_workspace ? [`Delete the branch ${facts.workspace_branch}`] : []),
      ...await environmentLines(ctx),
    ];
    return {
      facts,
      summary: `Would archive ${ctx.ecosystem} with ${count(facts.repos.length, "repo")}.`,
      effects: [
        ...push.map(pushLine),
        ASK,
        ...cleanup.map(cleanupLine),
        ...before,
        ...lossLines(facts.losses).map((line) => `Lose ${line}`),
        ...after,
      ],
      details: [
        ...foldedRepos(push, pushLine, input),
        ASK,
        ...foldedRepos(cleanup, cleanupLine, input),
        ...before,
        ...lossParts(facts.losses, "Lose", input),
        ...after,
      ],
      ...defined({
        irreversible: lost.length === 0
          ? ignoredWarning(facts.losses) ?? undefined
          : `${count(lost.length, "loss", "losses")} cannot be brought back.`,
      }),
      current: `${count(facts.tickets.length, "ticket")}, ${
        count(facts.push.length, "branch", "branches")
      } to push`,
      alternatives: ["Only push: amof push", "Look at the state: amof status"],
    };
  },
  undo: {
    irreversible: (_facts, { tickets }) =>
      `this; bring the workspace back: amof archive restore${tickets ? " --tickets" : ""}`,
  },
  async execute(ctx, input, facts) {
    const { place, stock, state, givenUp, lostHeads } = await planArchive(ctx, input);
    const directories = new Map([
      [CONTROL, place.directory],
      ...stock.repos.map((repo) => [repo.name, join(place.directory, repo.path)] as const),
    ]);
    await pushAll(ctx, facts.push, directories);
    await verifyRemotes(
      ctx,
      { what: `archive ${ctx.ecosystem}` },
      facts.repos.map((repo) => ({
        name: repo.name,
        directory: directories.get(repo.name) ?? "",
        branches: repo.branches,
        detached: repo.branch === null && !lostHeads.has(repo.name) ? repo.commit : null,
        refs: stock.repos.find(({ name }) => name === repo.name)?.refs ?? [],
        givenUp: givenUp.get(repo.name) ?? { commits: [], tags: [] },
      })),
    );
    const now = ctx.system.clock.now();
    const file = newFile(ctx.ecosystem, now);
    const away = facts.ticket_workspaces.map(({ ticket_id: ticket, workspace }): Away => {
      const directory = join(ctx.root, workspace);
      return { ticket, directory, away: awayBeside(ctx, directory) };
    });
    const { undoable, final, aside } = removalSteps(ctx, {
      root: ctx.root,
      directory: place.directory,
      stock,
      digests: facts.digests,
      branch: facts.delete_workspace && facts.workspace_commit !== null
        ? { name: facts.workspace_branch, commit: facts.workspace_commit }
        : null,
    });
    const before = [
      ...facts.cleanup.map(({ repo, branch, commit }) =>
        deleteRemoteBranch.step({
          repo,
          directory: directories.get(repo) ?? "",
          branch,
          commit,
        })
      ),
      ...await recordSteps(ctx, file, recordOf(ctx, facts, { state, now, away })),
      ...away.map((one) => putTicketAway.step({ ...one })),
      ...undoable,
    ];
    await ctx.perform([...before, ...final], before.length);
    const left = await ctx.system.files.lstat(aside) === null ? null : aside;
    const data = answerOf(facts, file, { root: ctx.root, away, left });
    return left === null ? { data } : { data, failure: undeletable(left) };
  },
  render: (data: ArchiveData, input) => ({
    summary: data.left === null
      ? `Archived ${data.workspace} with ${count(data.repos.length, "repo")}.`
      : `Archived ${data.workspace}; some files could not be deleted.`,
    details: [
      `Record: ${data.file}`,
      ...(data.repos.length === 0 ? [] : [
        "",
        table(
          ["repo", "branch", "pushed"],
          data.repos.map((repo) => [
            repo.name,
            cleanLine(repo.branch ?? "(detached)"),
            cleanLine(repo.pushed.join(", "), 80) || "nothing new",
          ]),
        ),
      ]),
      ...data.ticket_workspaces.map(({ ticket_id }) =>
        `Put ${ticket_id} away. Bring it back: amof archive restore --tickets`
      ),
      ...lossParts(data.losses, "Lost", input),
      ...(data.left === null ? [] : [`⚠ Delete by hand: ${data.left}`]),
      "",
      ...committing(data.file, `Archive ${basename(data.workspace)}`),
    ],
  }),
});
