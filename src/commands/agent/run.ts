/** `amof agent run`: a program, such as an agent, works on a ticket in a box (BOX-6). */

import { join, relative } from "@std/path";
import {
  type BoxPlan,
  findMaker,
  type Maker,
  type Network,
  NETWORKS,
} from "../../machine/box/mod.ts";
import {
  type CommandContext,
  type InputOf,
  mutation,
  type Preview,
  type ZodNamespace,
} from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { blocks } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues } from "../../base/text/table.ts";
import { duration } from "../../base/text/words.ts";
import { requireTicketWorkspace, scopeManifest } from "../../workspace/tickets/mod.ts";
import { planTicketBox, ticketVariables, unboxable } from "../../workspace/tickets/changing.ts";
import { PendingAgent } from "../ticket/at_work.ts";
import { repoDirectory, requireWorkspace } from "../../workspace/mod.ts";
import { timeLimitOf } from "../../workspace/programs/mod.ts";
import {
  type AgentData,
  type AgentPlace,
  type AgentWork,
  concludeAgent,
  lineOfAgent,
  renderAgent,
  runBoxed,
  runUnboxed,
} from "./answer.ts";
import { networkOf, refuseUntrusted, whyUnboxed } from "./box.ts";
import { type EngineAgentSpec, enginePreview, planEngineAgent } from "./engine/plan.ts";
import { concludeEngineAgent } from "./engine/answer.ts";
import { runEngineAgent } from "./engine/run.ts";
import type { AgentRepo } from "./look.ts";

const agentInput = (z: ZodNamespace) =>
  z.strictObject({
    command: z.array(z.string()).optional().describe("The program and its arguments"),
    shell: z.string().min(1).optional().describe("A line for sh -c instead"),
    net: z.enum(NETWORKS).optional().describe("How much of the network it has; none"),
    no_box: z.boolean().default(false).describe("Run it with all your rights"),
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable"))
      .optional().describe("Pass these variables, too"),
    time_limit: z.string().optional().describe("End it after 90s, 10m, 1h30m"),
    engine: z.string().min(1).optional().describe("The engine it runs on; this machine itself"),
    only_committed: z.boolean().default(false).describe(
      "With --engine: leave here what is not committed",
    ),
    resume: z.string().min(4).optional().describe(
      "Bring home what a run has on an engine; runs nothing",
    ),
  });

type AgentWish = InputOf<ReturnType<typeof agentInput>>;

/** What is known before it runs; of variables only the names. */
interface AgentFacts extends AgentPlace {
  readonly env: readonly string[];
  readonly time_limit_s: number | null;
  readonly network: Network;
  readonly repos: readonly AgentRepo[];
  /** What a person opened that no box opens. */
  readonly unopened: BoxPlan["unopened"];
  /** Null where it works here. */
  readonly far: EngineAgentSpec | null;
}

/** The ticket whose workspace the program works in. */
function requireTicket({ ticket }: CommandContext): string {
  if (ticket !== null) return ticket;
  throw new AmofError(
    "scope_required",
    "Cannot run an agent in the base workspace: it works in the workspace of a ticket",
    {
      hint:
        "See them: amof ticket list\nName one that has a workspace with --ticket ID\nGive one a workspace: amof ticket move ID --workspace",
    },
  );
}

/** What is run: a program as it was written, or a line for a shell. */
function commandOf({ command, shell }: AgentWish): readonly string[] {
  if (command !== undefined && shell !== undefined) {
    throw new AmofError(
      "invalid_arguments",
      "Cannot run several things at once: a program and a shell line exclude each other",
      { hint: "Leave one of them out: amof agent run -- PROGRAM" },
    );
  }
  if (shell !== undefined) return ["sh", "-c", shell];
  if (command !== undefined && command.length > 0 && command[0] !== "") return command;
  throw new AmofError("invalid_arguments", "Cannot run a program: none was named", {
    hint: "Name it behind two dashes: amof agent run -- PROGRAM",
  });
}

/** Where the ticket is, and what is in it. */
async function placeOf(
  ctx: CommandContext,
): Promise<{ readonly directory: string; readonly repos: readonly AgentRepo[] }> {
  const { system, root, git } = ctx;
  const manifest = await scopeManifest(ctx);
  const { directory } = await requireWorkspace(ctx, root, manifest);
  const repos: AgentRepo[] = [];
  for (const repo of manifest.repos.filter(({ enabled }) => enabled)) {
    const clone = await repoDirectory(system, directory, repo);
    if (await git.at(clone, repo.name).gitDirectory() === null) continue;
    repos.push({ name: repo.name, directory: clone });
  }
  return { directory, repos };
}

/** What boxes it, or why nothing does. */
async function boxOf(
  ctx: CommandContext,
  wish: AgentWish,
  { directory, network }: { readonly directory: string; readonly network: Network },
): Promise<{ readonly maker: Maker; readonly plan: BoxPlan | null }> {
  if (wish.no_box) return { maker: { kind: "none", reason: "a person wanted none" }, plan: null };
  const maker = await findMaker(ctx.system, network);
  if (maker.kind === "none") return { maker, plan: null };
  const reason = await unboxable(ctx, directory);
  return reason === null
    ? { maker, plan: await planTicketBox(ctx, directory, network) }
    : { maker: { kind: "none", reason }, plan: null };
}

function noBox({ settings }: CommandContext, reason: string): AmofError {
  return new AmofError(
    "box_unavailable",
    `Cannot run it in a box: ${reason}`,
    {
      ...(settings.boxAlways
        ? {
          hint: "Without one it is not run, as the setting says\nSee it: amof config get box",
        }
        : {}),
      details: { reason },
    },
  );
}

/** `--no-box` where the person has said that there always is one. */
function refuseUnboxed(ctx: CommandContext): void {
  if (!ctx.settings.boxAlways) return;
  throw new AmofError(
    "box_unavailable",
    "Cannot run it without a box: the setting box says that there always is one",
    { hint: "A person may change that: amof config set box ask" },
  );
}

/** The answer where nothing was run. */
function notRun(place: AgentPlace): AgentData {
  return { ...place, outcome: "not_started", exit_code: null, seconds: 0, repos: [], arrivals: [] };
}

async function previewAgent(
  ctx: CommandContext,
  wish: AgentWish,
): Promise<Preview<AgentFacts, AgentData>> {
  const ticket = requireTicket(ctx);
  if (wish.resume !== undefined) return await previewResume(ctx, ticket, wish.resume);
  if (wish.engine !== undefined) return await previewOnEngine(ctx, ticket, wish, wish.engine);
  if (wish.only_committed) {
    throw new AmofError(
      "invalid_arguments",
      "Cannot leave out what is not committed: the program works where it is",
      { hint: "Leave out --only-committed, or name an engine: --engine NAME" },
    );
  }
  const command = commandOf(wish);
  if (wish.no_box) refuseUnboxed(ctx);
  const network = networkOf(ctx, wish.net ?? null);
  const timeLimit = wish.time_limit === undefined ? null : timeLimitOf(wish.time_limit);
  const { directory, repos } = await placeOf(ctx);
  if (wish.no_box) await refuseUntrusted(ctx, { line: lineOfAgent(command), repos });
  const { maker, plan } = await boxOf(ctx, wish, { directory, network });
  const place: AgentPlace = {
    ticket_id: ticket,
    directory: relative(ctx.root, directory),
    command,
    box: maker.kind === "none" ? null : { kind: maker.kind, network },
    unboxed: maker.kind === "none" ? maker.reason : null,
    engine: null,
  };
  const refused = maker.kind === "none" && !wish.no_box ? noBox(ctx, maker.reason) : null;
  const facts: AgentFacts = {
    ...place,
    env: wish.env ?? [],
    time_limit_s: timeLimit,
    network,
    repos,
    unopened: plan?.unopened ?? [],
    far: null,
  };
  return {
    ...localPreviewText(facts),
    ...(refused === null ? {} : { settled: { data: notRun(place), failure: refused } }),
  };
}

/** What a person is shown of work that is done here. */
function localPreviewText(facts: AgentFacts): Preview<AgentFacts, AgentData> {
  const { ticket_id: ticket, directory, command, box, network, time_limit_s: limit } = facts;
  return {
    facts,
    summary: `Would run ${cleanLine(command[0] ?? "", 40)} in ${ticket}.`,
    effects: [
      `Run ${lineOfAgent(command)} in ${directory}, ${
        box === null
          ? "in no box: it can do whatever you can do"
          : `in a box, ${network === "none" ? "without" : "with all of"} the network`
      }`,
    ],
    details: blocks(
      keyValues([
        ["Runs", lineOfAgent(command)],
        ["In", directory],
        [
          "Box",
          box === null
            ? "none: it can read, change and send whatever you can"
            : `${box.kind}: it writes only there, and sees no credentials and no other tickets`,
        ],
        ["Network", box === null || network === "full" ? "all of it" : "none"],
        ["Time limit", limit === null ? "none" : duration(limit)],
      ]),
      ...facts.unopened.map(({ path, why }) => `Not opened: ${cleanLine(path, 200)}, ${why}`),
    ),
    irreversible: box === null
      ? "What the program does cannot be undone by amof."
      : "What the program does in the ticket cannot be undone by amof.",
    current: `${facts.repos.length} of the ticket's repositories are there`,
    alternatives: ["See how the ticket stands: amof status"],
  };
}

/** The same for work that an engine does. */
async function previewOnEngine(
  ctx: CommandContext,
  ticket: string,
  wish: AgentWish,
  engine: string,
): Promise<Preview<AgentFacts, AgentData>> {
  const command = commandOf(wish);
  if (wish.no_box) refuseUnboxed(ctx);
  const network = networkOf(ctx, wish.net ?? null);
  const timeLimit = wish.time_limit === undefined ? null : timeLimitOf(wish.time_limit);
  const manifest = await scopeManifest(ctx);
  const { directory } = await requireWorkspace(ctx, ctx.root, manifest);
  const far = await planEngineAgent(ctx, { ticket, directory }, {
    engine,
    env: wish.env ?? [],
    onlyCommitted: wish.only_committed,
  });
  const reason = wish.no_box ? null : await whyUnboxed(ctx, far, network);
  const facts: AgentFacts = {
    ticket_id: ticket,
    directory: relative(ctx.root, directory),
    command,
    box: wish.no_box || reason !== null ? null : { kind: "node", network },
    unboxed: wish.no_box ? "a person wanted none" : reason,
    engine: far.name,
    env: wish.env ?? [],
    time_limit_s: timeLimit,
    network,
    repos: [],
    unopened: [],
    far,
  };
  const seen = enginePreview(ctx, facts, far);
  return reason === null
    ? seen
    : { ...seen, settled: { data: notRun(facts), failure: noBox(ctx, reason) } };
}

/** The same for work that an engine has, or has done, and that has not come home. */
async function previewResume(
  ctx: CommandContext,
  ticket: string,
  run: string,
): Promise<Preview<AgentFacts, AgentData>> {
  const pending = await new PendingAgent<AgentFacts>(ctx, ticket).get();
  const far = pending?.facts.far ?? null;
  if (pending === null || far === null || !pending.run.startsWith(run)) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot go on with run ${cleanLine(run, 36)}: nothing of it is under way for ${ticket}`,
      {
        hint: pending === null
          ? "See how it ended: amof runs summary"
          : `Go on with run ${pending.run.slice(0, 8)}, which is`,
        details: { ticket },
      },
    );
  }
  const resumed = { ...far, resumes: pending.run };
  return enginePreview(ctx, { ...pending.facts, far: resumed }, resumed);
}

/** `amof agent run`. */
export const agentRun = mutation({
  name: "amof_agent_run",
  path: ["agent", "run"],
  toolset: "exec",
  scope: "ecosystem",
  mcp: "never",
  inTicket: "its workspace",
  safety: "dangerous-write",
  confirm: "none",
  asks: { deed: "run", will: "start a program with all your rights" },
  runs: "agent",
  inline: true,
  openWorld: true,
  needs: "a workspace",
  next: ["get_ecosystem_status"],
  title: "Run agent",
  summary: "Run an agent, or any program, in a ticket's workspace and in a box around it.",
  description:
    "The program gets the terminal, starts in the ticket's directory and can write only there. It sees no other tickets, no credentials and nothing that amof keeps, and has no network unless --net full is given. What it gets of your environment are the usual variables and those of --env. Its exit code is that of the command. Without a box, which --no-box takes away or this machine may not have, a person has to agree. With --engine it works on a node, in clones of what the ticket has pushed, without a terminal; its commits, and what it left uncommitted as one more, come home and onto the ticket's branches where those are as they were, else beside them on branches amof-agent/RUN. What was cut off comes home with --resume RUN.",
  behind: "command",
  examples: [
    "agent run --ticket PROJ-123 -- claude",
    "agent run --ticket PROJ-123 --net full --env ANTHROPIC_API_KEY -- claude",
    "agent run -t PROJ-123 --time-limit 1h -- make test",
    "agent run -t PROJ-123 --engine cluster --net full -- claude -p 'Fix the tests'",
  ],
  input: agentInput,
  raised: (input) => input.no_box ? { confirm: "simple" } : null,
  preview: (ctx, input) => previewAgent(ctx, input),
  undo: {
    irreversible: "what the program does",
  },
  async execute(ctx, input, facts) {
    const { far } = facts;
    if (far !== null) {
      ctx.report.log(
        "info",
        `${far.resumes === null ? "Running" : "Going on with"} ${
          lineOfAgent(facts.command)
        } for ${facts.ticket_id} on engine ${far.name}`,
        {
          type: "state",
          payload: { box: facts.box, engine: far.name, requested_by: ctx.caller.name },
        },
      );
      const end = await runEngineAgent(ctx, { ...facts, far });
      return concludeEngineAgent(facts, end, far.resumes ?? ctx.runId ?? "");
    }
    const { system, root, ecosystem } = ctx;
    const directory = join(root, facts.directory);
    const manifest = await scopeManifest(ctx);
    const { record } = await requireTicketWorkspace(system, root, manifest, facts.ticket_id);
    const work: AgentWork = {
      argv: facts.command,
      directory,
      repos: facts.repos,
      env: facts.env,
      told: ticketVariables({ root, ecosystem, directory, record }),
      timeLimitS: facts.time_limit_s,
    };
    const { maker, plan } = await boxOf(ctx, input, { directory, network: facts.network });
    ctx.report.log(
      "info",
      `Running ${lineOfAgent(facts.command)} in ${facts.directory}, ${
        facts.box === null ? "in no box" : `in a box, network ${facts.network}`
      }`,
      { type: "state", payload: { box: facts.box, requested_by: ctx.caller.name } },
    );
    if (maker.kind === "none" && !input.no_box) throw noBox(ctx, maker.reason);
    const end = maker.kind === "none" || plan === null
      ? await runUnboxed(ctx, work)
      : await runBoxed(ctx, work, { maker, plan });
    for (const row of end.repos.filter(({ touched }) => touched)) {
      ctx.report.log("info", `${row.name}: changed`, {
        type: "repo",
        payload: { ...row, repo: row.name },
      });
    }
    return concludeAgent(facts, end, ctx.signal.aborted);
  },
  render: renderAgent,
});
