/** What `amof exec` and `amof run` have in common: the same members, preview, work and answer. */

import { allTicketsInput, meansAll } from "../../contract/input.ts";
import {
  type CommandContext,
  type ExecuteContext,
  type Locks,
  onlyTyped,
  type Preview,
  type Rendered,
  type Result,
  type Wording,
  type ZodNamespace,
} from "../../contract/mod.ts";
import { blocks, type Details } from "../../base/text/parts.ts";
import { keyValues, MANY, table } from "../../base/text/table.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, duration, few } from "../../base/text/words.ts";
import { locksAt } from "../../runs/changing.ts";
import {
  type Approval,
  approvalOf,
  type Invocation,
  lineOf,
  requireApproved,
  shownLine,
  untrustedInvocation,
  variablesText,
} from "../../workspace/programs/mod.ts";
import { ORDERS } from "../../workspace/manifest/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../selection/mod.ts";
import { usableTickets } from "../selection/areas.ts";
import {
  type Elsewhere,
  type ExecFacts,
  type ExecPlace,
  invocationOfFacts,
  placeLabel,
  untrustedClones,
} from "./invocation/facts.ts";
import { concludeExec, type ExecData, type ExecRow, renderExec } from "./invocation/answer.ts";
import { type OutputForm, OUTPUTS } from "./invocation/output.ts";
import { type ExecPlan, type ExecWish, planExec, type Wanted } from "./invocation/plan.ts";
import { hereInstead, planOnEngine, shownPlace } from "./engine/plan.ts";
import { planResume, runKeeping, runResume } from "./engine/run.ts";
import { runInvocation } from "./invocation/runner.ts";
import { rerunOf } from "./invocation/retry.ts";

const MOST_SHOWN = 30;

/** Flags that other programs have for the same. */
const INSTEAD: Readonly<Record<string, string>> = {
  timeout: "Give each repository so long: the same command with --time-limit 10m",
  parallel: "So many at once: the same command with --jobs 8",
};

/** How what programs print is shown; the usual way where nothing is said. */
interface Shown {
  readonly output?: OutputForm | undefined;
}

/** The members of both commands. */
// deno-lint-ignore explicit-module-boundary-types -- only its own construction can spell a schema's type
export function execInput(z: ZodNamespace) {
  return {
    ...selectionInput(z),
    ...allTicketsInput(z),
    order: z.enum(ORDERS).optional().describe(
      "All at once, by depends_on, or one by one; parallel",
    ),
    time_limit: z.string().optional().describe("For each repository: 90s, 10m, 1h30m"),
    keep_going: z.boolean().optional().describe(
      "With layers or serial: go on with what depends on a failed one",
    ),
    fail_fast: z.boolean().optional().describe("Begin nothing more after the first failure"),
    engine: z.string().min(1).optional().describe(
      "Run it on this engine, in fresh clones of the base branches",
    ),
    shards: z.int().min(1).max(1_000).optional().describe(
      "Divide it into so many parts on an engine",
    ),
    output: onlyTyped(
      z.enum(OUTPUTS).optional().describe("By repository, as it comes, or not at all; group"),
    ),
  };
}

/** Whether a caller wants an engine: nothing else sends work away, whatever the settings name (ENGINE-1). */
function wantsEngine({ engine, shards }: Pick<ExecWish, "engine" | "shards">): boolean {
  return engine !== undefined || shards !== undefined;
}

/** What either command takes: its workspace, unless an engine makes clones of its own. */
function execLocks(input: Pick<ExecWish, "engine" | "shards">): Locks {
  return wantsEngine(input) ? {} : "scope";
}

function detailsOf(
  ctx: CommandContext,
  invocation: Invocation,
  facts: ExecFacts,
  { approval, here }: { readonly approval: Approval | null; readonly here: string | null },
): Details {
  const layered = facts.order !== "parallel";
  const labels = facts.repos.map(placeLabel);
  // Paths of many differ by the name alone.
  const isBrief = !layered && facts.far === null && labels.length > MANY;
  return blocks(
    keyValues([
      ["Runs", cleanLine(lineOf(invocation), 300)],
      ["Task", facts.task],
      ["Engine", engineText(facts)],
      ["Better here", here],
      [
        "Order",
        facts.far !== null
          ? null
          : facts.order === "serial"
          ? "one by one"
          : `${facts.order}, ${ctx.jobs} at once at most`,
      ],
      ["Time limit", facts.time_limit_s === null ? "none" : duration(facts.time_limit_s)],
      ["Gets", variablesText(ctx.system, facts.environment)],
      [
        "Hash",
        approval === null
          ? null
          : `${approval.hash}, ${approval.approved ? "approved" : "not approved"}`,
      ],
    ]),
    isBrief ? `In ${count(labels.length, "repo")}: ${few(labels, Infinity)}` : table(
      layered ? ["repo", "layer", "path"] : ["repo", facts.far === null ? "path" : "cloned from"],
      facts.repos.slice(0, MOST_SHOWN).map((place) => [
        placeLabel(place),
        ...(layered ? [place.layer] : []),
        shownPlace(place),
      ]),
    ),
    isBrief || labels.length <= MOST_SHOWN
      ? null
      : facts.far === null
      ? `… and ${few(labels.slice(MOST_SHOWN), Infinity)}`
      : `… and ${labels.length - MOST_SHOWN} more`,
  );
}

/** Where it runs, where that is not the workspace. */
function engineText({ far: engine }: ExecFacts): string | null {
  if (engine === null) return null;
  const { name, found, shards, parallel, time_limit_s: seconds } = engine;
  return `${name} (${found}): ${count(shards, "shard")}, ${parallel} at once, each ${
    duration(seconds)
  } at most`;
}

/** The engine that an earlier run was on; undefined for the workspace. */
async function engineOfRun(
  ctx: CommandContext,
  run: string,
  wish: Pick<ExecWish, "all_tickets">,
): Promise<string | undefined> {
  const { facts } = await rerunOf(ctx, run, { isAll: meansAll(wish) });
  return facts.far?.name;
}

/** What would be run: on an engine where one is asked for, or had a run that is repeated. */
async function planFor(ctx: CommandContext, wanted: Wanted, wish: ExecWish): Promise<ExecPlan> {
  if (wanted.kind === "resume") return await planResume(ctx, wanted.run);
  const engine = wish.engine ??
    (wanted.kind === "rerun" ? await engineOfRun(ctx, wanted.run, wish) : undefined);
  return wantsEngine({ ...wish, engine })
    ? await planOnEngine(ctx, wanted, { ...wish, engine })
    : await planExec(ctx, wanted, wish);
}

/** Makes the preview of either command. */
export async function previewExec(
  ctx: CommandContext,
  wanted: Wanted,
  wish: ExecWish,
): Promise<Preview<ExecFacts, ExecData>> {
  const { invocation, facts: planned } = await planFor(ctx, wanted, wish);
  const approval = await approvalOf(ctx, invocation);
  const facts: ExecFacts = { ...planned, hash: approval.hash };
  const refusal = ctx.door === "cli" || approval.approved
    ? untrustedClones(shownLine(invocation), facts.repos, { selects: true })
    : untrustedInvocation(ctx.ecosystem, invocation, approval);
  const here = facts.resumes === null ? await hereInstead(ctx, facts) : null;
  const present = facts.repos.filter(({ cloned }) => cloned);
  const absent = facts.repos.length - present.length;
  const nothing = concludeExec(
    { runId: null, signal: ctx.signal, ticket: ctx.ticket },
    invocation,
    [],
  );
  return {
    facts,
    summary: `Would run ${cleanLine(shownLine(invocation), 40)} in ${
      count(present.length, "repo")
    }.`,
    effects: [
      `Run ${cleanLine(lineOf(invocation), 300)} in ${
        count(present.length, "repository", "repositories")
      }`,
      ...(refusal === null ? [] : [refusal.message]),
    ],
    details: detailsOf(ctx, invocation, facts, {
      approval: ctx.door === "cli" ? null : approval,
      here,
    }),
    irreversible: irreversibleIn(facts),
    current: `${count(present.length, "repo")} cloned${
      absent === 0 ? "" : `, ${absent} missing`
    }; what it changes is for the program to say`,
    alternatives: [
      ...(here === null ? [] : [`Stay here, with --engine local: ${here}`]),
      ...(facts.far === null ? ["Look at the repositories first: amof status"] : []),
      "See the named ones: amof tasks",
    ],
    ...(refusal !== null
      ? { settled: { data: nothing.data, failure: refusal } }
      : facts.repos.length === 0
      ? { settled: nothing }
      : {}),
  };
}

/** What no undo takes back. */
function irreversibleIn({ far, repos }: ExecFacts): string {
  if (far !== null) {
    return "What the program does outside of its clones, which are thrown away, cannot be undone by amof.";
  }
  return repos.some(isOneOfMany)
    ? "What the program does cannot be undone by amof: it runs in several workspaces."
    : "What the program does outside of these repositories, or to ignored files, cannot be undone by amof.";
}

/** Whether a place is one of a run that goes across workspaces. */
function isOneOfMany({ ticket }: ExecPlace): boolean {
  return ticket !== undefined;
}

/** The repositories of a run that are looked at so that it can be undone: those of one workspace. */
function undoable(
  facts: ExecFacts,
): { readonly repos: readonly string[]; readonly what: "everything" } {
  const places = facts.far === null ? facts.repos.filter((place) => !isOneOfMany(place)) : [];
  return { repos: places.map(({ name }) => name), what: "everything" };
}

/** What of it undo cannot take back (UNDO-7). */
function lasting(facts: ExecFacts): string {
  return facts.repos.some(isOneOfMany)
    ? "what programs do in several workspaces at once"
    : "ignored files, and what programs do outside of the repositories";
}

/** What a call for all tickets takes: of the base workspace and that of every ticket there is those that are free (RUN-6). */
async function takesAll(
  at: Pick<CommandContext, "system" | "root" | "ecosystem">,
  input: { readonly all_tickets?: boolean | undefined },
): Promise<{ readonly locks: Locks } | null> {
  if (!meansAll(input)) return null;
  return { locks: { base: true, tickets: (await usableTickets(at)).ids, each: true } };
}

/**
 * The places of a run in all workspaces, each with why nothing is begun there where the run has not taken the workspace:
 * another run works in it, or its ticket was started meanwhile.
 */
async function withTaken(ctx: ExecuteContext, facts: ExecFacts): Promise<ExecFacts> {
  const { runId } = ctx;
  if (runId === null || !facts.repos.some(isOneOfMany)) return facts;
  const { runs } = await ctx.store();
  const elsewhere = new Map<string | null, Elsewhere | null>();
  for (const ticket of new Set(facts.repos.map(({ ticket }) => ticket ?? null))) {
    const locks = locksAt("scope", { ...ctx, ticket }).filter(({ shared }) => !shared);
    const [holder] = runs.holders(locks);
    elsewhere.set(
      ticket,
      holder === undefined
        ? { reason: "begun", repo: null }
        : holder.runId === runId
        ? null
        : { reason: "busy", repo: null, run: holder.runId },
    );
  }
  const repos = facts.repos.map((place) => {
    const why = elsewhere.get(place.ticket ?? null) ?? null;
    return why === null ? place : { ...place, elsewhere: why };
  });
  return { ...facts, repos };
}

/** Runs what was previewed. */
async function executeExec(
  ctx: ExecuteContext,
  facts: ExecFacts,
  output: OutputForm | undefined,
): Promise<Result<ExecData>> {
  const invocation = invocationOfFacts(facts);
  await requireApproved(ctx, invocation, facts.hash);
  const now = await withTaken(ctx, facts);
  return concludeExec(ctx, invocation, await rowsOf(ctx, invocation, now, output ?? "group"));
}

/** Runs an invocation on the engine of its facts; answers a row for each repository, in their order. */
function runOnEngine(
  ctx: ExecuteContext,
  invocation: Invocation,
  facts: ExecFacts,
  output: OutputForm,
): Promise<readonly ExecRow[]> {
  return runKeeping(ctx, { invocation, facts, output, keeping: {} });
}

function rowsOf(
  ctx: ExecuteContext,
  invocation: Invocation,
  facts: ExecFacts,
  output: OutputForm,
): Promise<readonly ExecRow[]> {
  if (facts.resumes !== null) return runResume(ctx, facts, output);
  return (facts.far === null ? runInvocation : runOnEngine)(ctx, invocation, facts, output);
}

/** Renders the answer of either command. */
function renderAnswer(
  data: ExecData,
  output: OutputForm | undefined,
  { watched }: Wording,
): Rendered {
  const { task, argv, shell } = data;
  const invocation: Invocation = {
    task,
    argv,
    shell,
    more: [],
    env: [],
    selection: { repos: [], tags: [], only: [] },
    engine: null,
  };
  return renderExec(data, invocation, output === "none" ? "all" : watched ? "nothing" : "problems");
}

/** Declares both commands, but for what each calls what is to run. */
export const EXEC = {
  toolset: "exec",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  typed: true,
  runs: "exec",
  inline: "attended",
  locks: execLocks,
  openWorld: true,
  needs: "a workspace",
  inTicket: "its workspace",
  next: ["get_ecosystem_status"],
  flags: SELECTION_FLAGS,
  instead: INSTEAD,
  meets: takesAll,
  undo: { changes: undoable, irreversible: lasting },
  execute: (ctx: ExecuteContext, input: Shown, facts: ExecFacts) =>
    executeExec(ctx, facts, input.output),
  render: (data: ExecData, input: Shown, say: Wording) => renderAnswer(data, input.output, say),
} as const;
