/** `amof ticket try`: runs a program in the joint result of tickets, before any of them is merged (TRY-1). */

import { foldingInput } from "../../../contract/input.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Preview,
  type Result,
} from "../../../contract/mod.ts";
import { blocks, foldedRepos } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { keyValues } from "../../../base/text/table.ts";
import { count, duration } from "../../../base/text/words.ts";
import {
  lineOf,
  requireApproved,
  shownLine,
  untrustedInvocation,
  variablesText,
} from "../../../workspace/programs/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../../../workspace/selection/mod.ts";
import { concludeTry, renderTry, type TryData } from "./answer.ts";
import { invocationOfTry, planTry, type TryFacts, type TryInput } from "./plan.ts";
import { tryTickets } from "./run.ts";
import { CONTEXTS } from "../workspace/plan.ts";

/** What is merged in a repository; `commit` says which commit of a ticket. */
function merge(
  { name, sides, base }: TryFacts["repos"][number],
  commit: (of: string) => string,
): string {
  const tickets = sides.map((side) => `${side.ticket}${commit(side.commit)}`).join(" and ");
  return `Merge ${tickets} over ${cleanLine(base, 60)} of ${name}, in a clone of its own`;
}

function describeMerge(repo: TryFacts["repos"][number]): string {
  return merge(repo, (of) => ` (${of.slice(0, 7)})`);
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
  extra: true,
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  typed: true,
  asks: { deed: "try", will: "run a program in the joint result of tickets" },
  runs: "ticket_try",
  inline: "attended",
  exclusive: true,
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
  input: (z) =>
    z.strictObject({
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
  irreversible: "what the program did outside of its clones",
  preview: (ctx, input) => previewTry(ctx, input),
  execute: (ctx, input, facts) => executeTry(ctx, input, facts),
  render: (data: TryData, input) => renderTry(data, input),
});
