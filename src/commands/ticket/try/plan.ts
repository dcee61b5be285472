/**
 * What trying tickets together would join and run, and why it is refused (TRY-1).
 *
 * Costs one git process for the base workspace, and one for each ticket of each repository.
 */

import type { CommandContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import type { Sha } from "../../../base/ids.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import {
  type Approval,
  approvalOf,
  type Invocation,
  passedVariables,
  timeLimitOf,
  usualLimit,
} from "../../../workspace/programs/mod.ts";
import { inPoolOf, type Refusal, repoDirectory, unlessRefused } from "../../../workspace/mod.ts";
import type { Repo } from "../../../workspace/manifest/mod.ts";
import { select, type Selecting } from "../../selection/mod.ts";
import { type OpenTicket, openTickets } from "../conflicts/open_tickets.ts";
import { baseOf } from "../../../workspace/tickets/mod.ts";
import { type BasePlace, basePlace, type CONTEXTS } from "../workspace/plan.ts";

/** What is asked for. */
export interface TryInput extends Selecting {
  readonly tickets: readonly string[];
  readonly command?: readonly string[] | undefined;
  readonly shell?: string | undefined;
  readonly all?: boolean | undefined;
  readonly context: typeof CONTEXTS[number];
  readonly keep_going: boolean;
  readonly keep?: boolean | undefined;
  readonly offline: boolean;
  readonly env?: readonly string[] | undefined;
  readonly time_limit?: string | undefined;
}

/** The branch of a ticket that is brought in. */
export interface TrySide {
  readonly ticket: string;
  readonly branch: string;
  readonly commit: Sha;
  /** The clone that has the commit, absolute. */
  readonly clone: string;
}

/** A repository of the joint result; one that is only read has no sides. */
export interface TryRepo {
  readonly name: string;
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly base: string;
  readonly sides: readonly TrySide[];
}

/** What is run, as an approval is for it. */
type TryInvocation = Pick<Invocation, "argv" | "shell" | "env" | "selection">;

/** What a consent is bound to. Of variables only the names. */
export interface TryFacts extends TryInvocation {
  readonly tickets: readonly string[];
  readonly repos: readonly TryRepo[];
  /** What an approval is for. */
  readonly hash: string;
  readonly environment: ReturnType<typeof passedVariables>;
  readonly time_limit_s: number | null;
  readonly keep_going: boolean;
  readonly keep: boolean;
}

/** What would be tried, and what it was computed from. */
interface TryPlan {
  readonly facts: TryFacts;
  readonly invocation: Invocation;
  readonly approval: Approval;
  readonly base: BasePlace;
}

/** The invocation in the words of `amof exec`, whose approvals it shares. */
export function invocationOfTry({ argv, shell, env, selection }: TryInvocation): Invocation {
  return { task: null, more: [], argv, shell, env, selection, engine: null };
}

/** What the caller says to run, which must be one thing. */
function vectorIn({ command, shell }: TryInput): Pick<Invocation, "argv" | "shell"> {
  const isEmpty = command === undefined || command.length === 0 || command[0] === "";
  if (isEmpty !== (shell === undefined)) {
    return { argv: isEmpty ? null : command, shell: shell ?? null };
  }
  throw new AmofError(
    "invalid_arguments",
    isEmpty
      ? "Cannot try tickets with nothing to run: no program was named"
      : "Cannot run several things at once: a program and a shell line exclude each other",
    { hint: "Name a program behind two dashes: amof ticket try ID ID -- PROGRAM" },
  );
}

/** Where a ticket stands in a repository, or why that cannot be told. One git process. */
async function sideOf(
  ctx: CommandContext,
  base: BasePlace,
  repo: Repo,
  { id, ticket, clones }: OpenTicket,
): Promise<TrySide | Refusal> {
  const branch = ticket.repos[repo.name] ?? "";
  const own = clones?.[repo.name];
  const refuse = (problem: string, fix: string): Refusal => ({
    repo: repo.name,
    code: "git_failed",
    problem,
    fix,
  });
  const clone = own ??
    (base.directory === null ? null : await repoDirectory(ctx.system, base.directory, repo));
  if (clone === null || await ctx.git.at(clone, repo.name).activity() === null) {
    return refuse(`is not cloned where ${id} is worked on`, "see what is missing: amof doctor");
  }
  const names = [
    `refs/heads/${branch}`,
    ...(own === undefined ? [`refs/remotes/origin/${branch}`] : []),
  ];
  const refs = await ctx.git.at(clone, repo.name).refs.peek(names);
  const commit = names.flatMap((name) => refs.get(name) ?? [])[0];
  return commit === undefined
    ? refuse(
      `has no branch ${cleanLine(branch, 60)} of ${id}`,
      `see where it stands: amof ticket list`,
    )
    : { ticket: id, branch, commit, clone };
}

/** The repositories that take part: those that a ticket works on, and those that come to be read. */
async function reposOf(
  ctx: CommandContext,
  base: BasePlace,
  candidates: readonly OpenTicket[],
  input: TryInput,
): Promise<TryRepo[]> {
  const { manifest, directory, state } = base;
  const chosen = await select(ctx, { manifest, workspace: directory, state }, input);
  const found = await inPoolOf(ctx, "checking", chosen, async (repo) => {
    const having = candidates.filter(({ ticket }) => Object.hasOwn(ticket.repos, repo.name));
    const [first] = having;
    const read = input.context === "all" || (input.context === "readonly" && repo.readonly);
    if (first === undefined && !read) return [];
    const sides = await Promise.all(having.map((each) => sideOf(ctx, base, repo, each)));
    const refused = sides.find((side): side is Refusal => "problem" in side);
    if (refused !== undefined) return [refused];
    return [{
      name: repo.name,
      path: repo.path,
      base: first === undefined ? repo.branch : baseOf(first.ticket, repo),
      sides: sides.filter((side): side is TrySide => !("problem" in side)),
    }];
  });
  return unlessRefused<TryRepo>(`try ${input.tickets.join(" with ")}`, found.flat());
}

/** Looks up what would be joined and run; throws one error for all that stands in the way. */
export async function planTry(ctx: CommandContext, input: TryInput): Promise<TryPlan> {
  const ids = [...new Set(input.tickets)];
  const vector = vectorIn(input);
  const timeLimit = input.time_limit === undefined
    ? usualLimit(ctx)
    : timeLimitOf(input.time_limit);
  const base = await basePlace(ctx);
  const { candidates } = await openTickets(ctx, base.manifest, base.state, ids);
  // They are brought in as they were named.
  const ordered = ids.flatMap((id) => candidates.filter((each) => each.id === id));
  const repos = await reposOf(ctx, base, ordered, input);
  if (!repos.some(({ sides }) => sides.length > 0)) {
    throw new AmofError(
      "repo_not_found",
      `Cannot try ${ids.join(" with ")}: none of the selected repositories is worked on in them`,
      { hint: "See what they work on: amof ticket list" },
    );
  }
  const { repos: words = [], tags = [], only = [], env = [] } = input;
  const asked: TryInvocation = { ...vector, env, selection: { repos: words, tags, only } };
  const invocation = invocationOfTry(asked);
  const approval = await approvalOf(ctx, invocation);
  return {
    base,
    invocation,
    approval,
    facts: {
      ...asked,
      tickets: ids,
      repos,
      hash: approval.hash,
      environment: passedVariables(env, ctx.door === "cli" && input.env === undefined),
      time_limit_s: timeLimit,
      keep_going: input.keep_going,
      keep: input.keep === true,
    },
  };
}
