/** `amof ticket try`: runs a program in the joint result of tickets, before any of them is merged (TRY-1). */

import { foldingInput } from "../../../contract/input.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Preview,
  type Rendered,
  type Result,
} from "../../../contract/mod.ts";
import { blocks, foldedRepos, type Folding } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { keyValues, table } from "../../../base/text/table.ts";
import { count, duration, few } from "../../../base/text/words.ts";
import {
  lineOf,
  requireApproved,
  shownLine,
  startCode,
  untrustedInvocation,
  variablesText,
} from "../../../workspace/programs/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../../selection/mod.ts";
import { invocationOfTry, planTry, type TryFacts, type TryInput } from "./plan.ts";
import { type Joined, type Tried, tryTickets } from "./run.ts";
import { CONTEXTS } from "../workspace/plan.ts";
import { AmofError, type ProgramExit } from "../../../base/error.ts";
import type { ProcessResult } from "../../../base/system/mod.ts";
import { shortSha } from "../../../base/ids.ts";

// What is answered of tickets that were tried together (TRY-3).

/** The answer. */
interface TryData {
  readonly tickets: readonly string[];
  readonly argv: readonly string[] | null;
  readonly shell: string | null;
  /** `conflict`: the tickets do not go together, and nothing was run. */
  readonly outcome: "ok" | "failed" | "timed_out" | "cancelled" | "not_started" | "conflict";
  /** Null where it did not run to its end. */
  readonly exit_code: number | null;
  readonly seconds: number;
  readonly repos: readonly Joined[];
  /** Where the workspace is, absolute; null where it was thrown away. */
  readonly kept: string | null;
  readonly notes: readonly string[];
}

function outcomeOf(result: ProcessResult | null): TryData["outcome"] {
  if (result === null) return "conflict";
  if (result.cancelled) return "cancelled";
  if (result.timedOut) return "timed_out";
  if (result.startError !== null) return "not_started";
  return result.exitCode === 0 ? "ok" : "failed";
}

/** Files that do not go together, by repository and ticket: `api: T-2 conflicts in a.txt`. */
function conflictLines(repos: readonly Joined[]): string[] {
  return repos.flatMap(({ name, conflicts }) =>
    conflicts.flatMap(({ ticket, files }) =>
      files.map((file) => `${name}: ${ticket} conflicts in ${cleanLine(file, 200)}`)
    )
  );
}

/** Why it is a failure, or null. */
function failureOf(data: TryData, result: ProcessResult | null): AmofError | null {
  const { outcome, tickets, seconds, repos } = data;
  const what = `"${cleanLine(data.shell ?? data.argv?.[0] ?? "", 60)}"`;
  const together = tickets.join(" with ");
  switch (outcome) {
    case "ok":
      return null;
    case "conflict":
      return new AmofError(
        "check_failed",
        `Cannot try ${together}: they conflict in ${
          few(repos.filter(({ conflicts }) => conflicts.length > 0).map(({ name }) => name), 4)
        }; nothing was run`,
        {
          hint:
            "See which tickets conflict: amof ticket conflicts\nRun without what conflicts: the same command with --keep-going",
          details: { repos: repos.map(({ name, conflicts }) => ({ name, conflicts })) },
        },
      );
    case "cancelled":
      return new AmofError("cancelled", `${what} was stopped`, { details: { seconds } });
    case "timed_out":
      return new AmofError("timeout", `${what} was ended after ${duration(seconds)}`, {
        hint: "Give it longer: the same command with --time-limit DURATION",
        details: { seconds },
      });
    case "not_started":
      return new AmofError(
        "subprocess_failed",
        `Cannot start ${what}: it is not installed, or may not be run`,
        {
          hint: "Name the program by its whole path",
          exit: (result === null ? 127 : startCode(result)) as ProgramExit,
        },
      );
    case "failed":
      return new AmofError(
        "subprocess_failed",
        `${what} ended with ${
          result?.signal === null ? `exit status ${data.exit_code}` : `${result?.signal}`
        } in ${together}`,
        {
          hint: "Look at what it saw: the same command with --keep",
          details: { exit_code: data.exit_code, seconds },
          ...(data.exit_code === null ? {} : { exit: data.exit_code as ProgramExit }),
        },
      );
  }
}

/** Puts together how it ended. */
function concludeTry(
  { tickets, argv, shell }: Pick<TryFacts, "tickets" | "argv" | "shell">,
  { joined, result, kept, notes }: Tried,
): Result<TryData> {
  const ran = result !== null && result.startError === null && result.signal === null;
  const data: TryData = {
    tickets,
    argv,
    shell,
    outcome: outcomeOf(result),
    exit_code: ran ? result.exitCode : null,
    seconds: Math.round((result?.durationMs ?? 0) / 100) / 10,
    repos: joined,
    kept,
    notes,
  };
  const failure = failureOf(data, result);
  return failure === null ? { data } : { data, failure };
}

/** Says the answer. */
function renderTry(data: TryData, { all }: Folding = {}): Rendered {
  const { tickets, repos, outcome, kept, notes } = data;
  const worked = repos.filter(({ tickets, conflicts }) => tickets.length + conflicts.length > 0);
  const conflicts = conflictLines(repos);
  const together = cleanLine(tickets.join(" with "), 40);
  const shown = table(
    ["repo", "tickets", "base"],
    worked.map(({ name, tickets, base }) => [name, tickets.join(", "), cleanLine(base, 60)]),
  );
  return {
    summary: outcome === "conflict"
      ? `Joined ${together} not: ${count(conflicts.length, "file")} in conflict.`
      : `Ended after ${duration(data.seconds)}: ${together} in ${count(worked.length, "repo")}.`,
    details: blocks(
      all ? shown : shown.folding(
        (at) => worked[at]?.conflicts.length === 0,
        (at) => `with ${cleanLine(worked[at]?.tickets.join(" and ") ?? "", 60)}`,
      ),
      ...conflicts.map((line) => `✗ ${line}`),
      ...notes.map((note) => `⚠ ${cleanLine(note, 400)}`),
      kept === null ? null : `Its files: ${kept}`,
    ),
  };
}

/** What is merged in a repository; `commit` says which commit of a ticket. */
function merge(
  { name, sides, base }: TryFacts["repos"][number],
  commit: (of: string) => string,
): string {
  const tickets = sides.map((side) => `${side.ticket}${commit(side.commit)}`).join(" and ");
  return `Merge ${tickets} over ${cleanLine(base, 60)} of ${name}, in a clone of its own`;
}

function describeMerge(repo: TryFacts["repos"][number]): string {
  return merge(repo, (of) => ` (${shortSha(of)})`);
}

/** The same without what no other repository has. */
function describeMergeBriefly(repo: TryFacts["repos"][number]): string {
  return merge(repo, () => "");
}

function describeRead({ name, base }: TryFacts["repos"][number]): string {
  return `Clone ${name} to be read, on ${cleanLine(base, 60)}`;
}

async function previewTry(
  ctx: CommandContext,
  input: TryInput,
): Promise<Preview<TryFacts, TryData>> {
  const { facts, invocation, approval } = await planTry(ctx, input);
  const { tickets, repos } = facts;
  const refusal = ctx.door === "cli" || approval.approved
    ? null
    : untrustedInvocation(ctx.ecosystem, invocation, approval);
  const together = tickets.join(" with ");
  const worked = repos.filter(({ sides }) => sides.length > 0);
  const read = repos.filter(({ sides }) => sides.length === 0);
  const last = [
    `Run ${cleanLine(lineOf(invocation), 300)} at the top of them`,
    facts.keep ? "Leave all of it to you" : "Delete all of it again",
    ...(refusal === null ? [] : [refusal.message]),
  ];
  const { data: nothing } = concludeTry(facts, { joined: [], result: null, kept: null, notes: [] });
  return {
    facts,
    subject: { name: together, typed: { what: "tickets", value: together } },
    summary: `Would run ${cleanLine(shownLine(invocation), 30)} in ${
      cleanLine(together, 30)
    }, joined.`,
    effects: [...worked.map(describeMerge), ...read.map(describeRead), ...last],
    details: blocks(
      keyValues([
        ["Runs", cleanLine(lineOf(invocation), 300)],
        ["Time limit", facts.time_limit_s === null ? "none" : duration(facts.time_limit_s)],
        ["Gets", variablesText(ctx.system, facts.environment)],
        [
          "Hash",
          ctx.door === "cli"
            ? null
            : `${approval.hash}, ${approval.approved ? "approved" : "not approved"}`,
        ],
      ]),
      [
        ...foldedRepos(worked, describeMerge, { ...input, brief: describeMergeBriefly }),
        ...foldedRepos(read, describeRead, input),
        ...last,
      ],
    ),
    irreversible: "What the program does outside of these clones cannot be undone by amof.",
    current: `${together} ${tickets.length === 1 ? "has" : "have"} work in ${
      count(worked.length, "repo")
    }; what is not committed does not count`,
    alternatives: ["See whether they conflict: amof ticket conflicts"],
    ...(refusal === null ? {} : { settled: { data: nothing, failure: refusal } }),
  };
}

async function executeTry(
  ctx: ExecuteContext,
  input: TryInput,
  facts: TryFacts,
): Promise<Result<TryData>> {
  const { base } = await planTry(ctx, input);
  const invocation = invocationOfTry(facts);
  await requireApproved(ctx, invocation, facts.hash);
  return concludeTry(
    facts,
    await tryTickets(ctx, base, { invocation, facts, offline: input.offline }),
  );
}

/** `amof ticket try`. */
export const tryJoined = mutation({
  name: "amof_ticket_try",
  path: ["ticket", "try"],
  toolset: "exec",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  typed: true,
  asks: { deed: "try", will: "run a program in the joint result of tickets" },
  runs: "ticket_try",
  inline: "attended",
  openWorld: true,
  next: ["ticket_list"],
  title: "Try tickets",
  summary: "Run a program in the joint result of tickets, in clones that are deleted afterwards.",
  description:
    "Every repository that one of them works on is cloned on its base branch, and the branches of the tickets are merged into it, as they are committed here. Where that conflicts the files are named and nothing is run, unless --keep-going leaves out what conflicts. The program is started once, at the top of the clones (repos/NAME), with your environment, AMOF_WORKSPACE and AMOF_TICKETS; its exit code is that of amof. Neither tickets nor base branches change. Typing it is the consent to it; over MCP it runs only what a person has approved (amof exec trust).",
  positionals: ["tickets"],
  behind: "command",
  flags: SELECTION_FLAGS,
  examples: [
    "ticket try PROJ-1 PROJ-2 -- make -C repos/api test",
    "ticket try PROJ-1 PROJ-2 --repo api --shell 'cd repos/api && make test'",
    "ticket try PROJ-1 PROJ-2 --keep -- git -C repos/api log -3",
  ],
  input: (z) => ({
    tickets: z.array(z.string().min(1).max(200)).min(1).describe("Open tickets, in their order"),
    command: z.array(z.string()).optional().describe("The program and its arguments"),
    shell: z.string().min(1).optional().describe("A line for sh -c instead"),
    ...selectionInput(z),
    ...foldingInput(z),
    context: z.enum(CONTEXTS).default("readonly").describe(
      "Repositories to be read besides: readonly ones, all others, or none",
    ),
    keep_going: z.boolean().default(false).describe("Leave out what conflicts, and run"),
    keep: z.boolean().optional().describe("Leave the clones, and say where they are"),
    offline: z.boolean().default(false).describe("Do not ask the remotes"),
    time_limit: z.string().optional().describe("For the program: 90s, 10m, 1h30m"),
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable"))
      .optional().describe("Pass only the usual variables and these"),
  }),
  locks: () => ({ tickets: [] }),
  undo: {
    irreversible: "what the program did outside of its clones",
  },
  preview: (ctx, input) => previewTry(ctx, input),
  execute: (ctx, input, facts) => executeTry(ctx, input, facts),
  render: (data: TryData, input) => renderTry(data, input),
});
