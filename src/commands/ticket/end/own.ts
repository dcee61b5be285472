/** Ending a ticket that has a workspace of its own: what is said before, and the work (LEAVE-1, LEAVE-2). */

import { join } from "@std/path";
import { inPool } from "../../../base/async/pool.ts";
import type {
  CommandContext,
  ExecuteContext,
  Preview,
  Result,
  WorkspaceEnded,
} from "../../../contract/mod.ts";
import { defined } from "../../../base/object.ts";
import { deleteRemoteBranch, undoLimits } from "../../../workspace/changing.ts";
import { scopeManifest } from "../../../workspace/tickets/mod.ts";
import { freeTicket } from "../../../workspace/tickets/changing.ts";
import { ticketRemovalSteps } from "../../removal/removal.ts";
import { verifyRemotes } from "../../removal/leaving.ts";
import {
  ignoredWarning,
  isMinor,
  type Loss,
  lossLines,
  undeletable,
} from "../../removal/losses.ts";
import { foldedRepos } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import type { Table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import {
  type CleanupFact,
  deletionText,
  describeCleanup,
  foldedCleanup,
  integratedText,
} from "../cleanup.ts";
import {
  type EndInput,
  flagsOf,
  planWorkspaceEnd,
  unaskedLines,
  type WorkspaceEnd,
} from "./workspace.ts";
import type { Integrated } from "./workspace_look.ts";
import type { OwnWorkspace } from "../preflight.ts";

/** What became of a ticket with a workspace. */
export interface OwnEndData {
  readonly ticket_id: string;
  readonly active_ticket: null;
  /** The workspace that went, relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string;
    /** Whether the remote goes on having the branch. */
    readonly kept: boolean;
    readonly why: string | null;
  }[];
  /** What was lost, by consent or because it is minor. */
  readonly losses: readonly Loss[];
  /** What could not be deleted, or null. */
  readonly left: string | null;
}

/** "in main as one commit, 1234567". */
function integratedWords({ how, into, as_commit }: Integrated): string {
  return integratedText({ kept_as: how, in_branch: into, as_commit }) ?? "";
}

/** One line about a branch that goes with its clone, and whose work is in another one. */
function describeDrop(landed: Integrated & { readonly name: string }): string {
  return `Drop ${cleanLine(landed.branch, 60)} of ${landed.name}, ${integratedWords(landed)}`;
}

/** What ending comes to, for who agrees. */
function willText({ workspace, repos, cleanup }: WorkspaceEnd, gone: string | null): string {
  const remote = deletionText(cleanup.map((fact) => ({ ...fact, local: null })));
  return [
    `delete ${workspace} with ${count(repos.length, "clone")}`,
    ...(remote === null ? [] : [remote]),
    ...(gone === null ? [] : [`${gone} what is only there`]),
  ].join(", and ");
}

/** Whether the clones have all commits of branches that are deleted: those that a remote alone has are not kept for undo. */
async function isKept(
  ctx: CommandContext,
  { directory, record }: OwnWorkspace,
  cleanup: readonly CleanupFact[],
): Promise<boolean> {
  const kept = await inPool(
    ctx.jobs,
    cleanup,
    async ({ name, local, remote }) =>
      remote === null || remote === local ||
      local !== null &&
        await ctx.git.at(join(directory, record.repos[name]?.path ?? ""), name).history
          .isAncestor(remote, local),
  );
  return kept.every((each) => each);
}

/** What is said before a ticket with a workspace ends. */
export async function previewOwnEnd(
  ctx: CommandContext,
  own: OwnWorkspace,
  input: EndInput & { readonly all?: boolean | undefined },
): Promise<Preview<WorkspaceEnd, never>> {
  const { facts } = await planWorkspaceEnd(ctx, own, input);
  const { ticket_id: id, workspace, losses } = facts;
  const lost = lossLines(losses.filter((loss) => !isMinor(loss)));
  const forced = facts.cleanup.reduce((sum, fact) => sum + fact.unmerged, 0);
  const commits = `${count(forced, "commit")} that nobody else has`;
  const gone = [...lost, ...(forced === 0 ? [] : [commits])];
  const again = gone.length > 0 && endedOf(facts, input) !== undefined &&
    undoLimits(ctx.settings, await scopeManifest(ctx)).on && await isKept(ctx, own, facts.cleanup);
  const deletions = facts.cleanup.filter((fact) => fact.remote !== null)
    .map((fact) => ({ ...fact, local: null }));
  const drops = facts.landed.map((landed) => ({ ...landed, name: landed.repo }));
  const before = [
    ...unaskedLines(ctx),
    "Ask every remote whether it has every local branch; stop if not",
  ];
  const stays = facts.staying.map(({ name, why }) => `Leave the branch of ${name}: ${why}`);
  const after = [
    ...lossLines(losses).map((line) => `Lose ${line}`),
    `Delete ${workspace} with its clones`,
    ...(facts.environment
      ? ["Leave the environment of the ticket as it is; a ticket with the same id finds it again"]
      : []),
  ];
  return {
    facts,
    subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
    summary: `Would end ${id} and remove its workspace with ${count(facts.repos.length, "clone")}.`,
    effects: [
      ...before,
      ...deletions.map(describeCleanup),
      ...stays,
      ...drops.map(describeDrop),
      ...after,
    ],
    details: [
      ...before,
      ...foldedCleanup(deletions, input),
      ...stays,
      ...foldedRepos(drops, describeDrop, {
        all: input.all,
        brief: (drop) => describeDrop({ ...drop, as_commit: null }),
      }),
      ...after,
    ],
    will: willText(facts, gone.length === 0 ? null : again ? "leave to undo" : "lose"),
    // What is only here asks by --discard-local already; what branches on remotes lose does not.
    ...(gone.length === 0 ? {} : { confirm: "type" as const }),
    ...defined({
      irreversible: gone.length === 0
        ? ignoredWarning(losses) ?? undefined
        : again
        ? `Only undo brings back ${commits}`
        : `Lost work cannot be brought back: ${gone[0]}${
          gone.length > 1 ? `, and ${gone.length - 1} more` : ""
        }`,
    }),
    current: gone.length === 0
      ? `The ticket has its own workspace, ${workspace}; nothing is only there`
      : `The ticket has its own workspace, ${workspace}, and work that is only there`,
    alternatives: [
      "Push what is left first: amof push",
      `Look at it: amof status --ticket ${id}`,
    ],
  };
}

/** What undoing makes again; undefined where what is only there was given up, or cannot be brought into new clones. */
export function endedOf(
  { ticket_id: ticket, repos, cleanup, again }: WorkspaceEnd,
  input: EndInput,
): WorkspaceEnded | undefined {
  if (input.discard_local === true || !again) return undefined;
  return {
    ticket,
    flags: flagsOf(input),
    repos: repos.map(({ name }) => name),
    deleted: cleanup.filter(({ remote }) => remote !== null)
      .map(({ name, branch }) => ({ repo: name, branch })),
  };
}

/** What undoing does not bring back of a workspace that it makes again. */
export function endIrreversible({ cleanup }: WorkspaceEnd): string {
  const remote = cleanup.some((fact) => fact.remote !== null);
  return `ignored files, hooks and settings of its clones${
    remote ? ", and branches that are deleted on remotes" : ""
  }`;
}

/** Ends a ticket with a workspace. */
export async function executeOwnEnd(
  ctx: ExecuteContext,
  own: OwnWorkspace,
  { input, facts }: { readonly input: EndInput; readonly facts: WorkspaceEnd },
): Promise<Result<OwnEndData>> {
  const { ticket_id: id, workspace } = facts;
  const { stock, verify } = await planWorkspaceEnd(ctx, own, input);
  await verifyRemotes(ctx, { what: `end ${id}`, scope: ` --ticket ${id}` }, verify);
  const paths = Object.values(own.record.repos).map(({ path }) => path);
  const { undoable, final, aside } = ticketRemovalSteps(ctx, {
    directory: own.directory,
    stock,
    digests: facts.digests,
    paths,
    among: facts.among,
    scope: ` --ticket ${id}`,
  });
  const remote = facts.cleanup.flatMap((fact) => {
    const directory = verify.find(({ name }) => name === fact.name)?.directory;
    return fact.remote === null || directory === undefined ? [] : [deleteRemoteBranch.step({
      repo: fact.name,
      directory,
      branch: fact.branch,
      commit: fact.remote,
    })];
  });
  const before = [...remote, ...undoable];
  const free = freeTicket.step({ directory: own.directory, ticket: id });
  await ctx.perform([...before, free, ...final], before.length);
  const left = await ctx.system.files.lstat(aside) === null ? null : aside;
  const data: OwnEndData = {
    ticket_id: id,
    active_ticket: null,
    workspace,
    repos: Object.entries(own.record.repos).filter(([, { role }]) => role === "work")
      .map(([name, { branch }]) => {
        const fact = facts.cleanup.find((entry) => entry.name === name);
        const landed = facts.landed.find((entry) => entry.repo === name && entry.branch === branch);
        return {
          name,
          branch,
          kept: facts.repos.find((repo) => repo.name === name)?.stays_remote ?? false,
          why: facts.staying.find((entry) => entry.name === name)?.why ??
            (fact === undefined ? null : integratedText(fact)) ??
            (landed === undefined ? null : integratedWords(landed)),
        };
      }),
    losses: facts.losses,
    left,
  };
  return left === null ? { data } : { data, failure: undeletable(left) };
}

/** What a reader is told of the end of a ticket with a workspace, in one sentence. */
export function ownEndSummary({ ticket_id, workspace, left }: OwnEndData): string {
  return left === null
    ? `Ended ${ticket_id} and removed ${workspace}.`
    : `Ended ${ticket_id}; some files of ${workspace} could not be deleted.`;
}

/** What a reader is told besides. */
export function ownEndDetails({ losses, left }: OwnEndData, repos: Table): (string | Table)[] {
  return [
    repos,
    ...lossLines(losses).map((line) => `Lost ${line}`),
    ...(left === null ? [] : [`⚠ Delete by hand: ${left}`]),
  ];
}
