/** Runs an agent for a ticket on an engine, follows it to its end, and brings home what it made (BOX-10, BOX-11). */

import { join } from "@std/path";
import type { Network } from "../../../machine/box/mod.ts";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import {
  type AgentAction,
  type ArrayEnd,
  Arrivals,
  followArray,
  installationKey,
  type ItemEnd,
  type PlanItem,
  type Profile,
  profileOf,
  seal,
  type ShardLine,
  type SubmissionRecord,
  Submissions,
  waitsText,
} from "../../../engine/mod.ts";
import { AmofError, toAmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { requireTicketWorkspace, scopeManifest } from "../../../workspace/tickets/mod.ts";
import { ticketVariables } from "../../../workspace/tickets/changing.ts";
import { PendingAgent } from "../../ticket/at_work.ts";
import type { EngineKind } from "../../../state/settings/mod.ts";
import type { AgentPlace } from "../answer.ts";
import { type AgentArrival, bringHome } from "./arrive.ts";
import type { EngineAgentRepo, EngineAgentSpec } from "./plan.ts";
import { Display } from "../../exec/invocation/output.ts";
import { rowAt } from "../../exec/engine/run.ts";
import type { ExecRow } from "../../exec/invocation/answer.ts";
import { contentOf } from "../../exec/engine/plan.ts";

/** No pack of one repository has more bytes on an engine of this kind; Kubernetes brings them in logs, which are cut. */
const MOST_BYTES: Readonly<Record<EngineKind, number>> = {
  local: 24 * 1024 * 1024,
  slurm: 24 * 1024 * 1024,
  kubernetes: 4 * 1024 * 1024,
};

/** What is confirmed of an agent on an engine. */
interface EngineAgentFacts extends AgentPlace {
  readonly time_limit_s: number | null;
  readonly network: Network;
  readonly far: EngineAgentSpec;
}

/** How an agent on an engine ended, and what came home. */
export interface EngineAgentEnd {
  readonly row: ExecRow;
  readonly seconds: number;
  readonly arrivals: readonly AgentArrival[];
  /** Whether anything is left to be brought home later. */
  readonly isPending: boolean;
}

function itemOf({ repo, url, branch, clone, commit, place }: EngineAgentRepo): PlanItem {
  return { repo, url, branch, ...(clone === undefined ? {} : { clone }), commit, place };
}

/** Places of this person that no box of an engine shows, also where its nodes see this machine's directories. */
function hiddenPlaces(ctx: CommandContext, { directory }: Profile): readonly string[] {
  const { state, data, cache } = ctx.layout;
  return [
    state,
    data,
    cache,
    ctx.root,
    ...(directory === null ? [] : [directory]),
  ];
}

async function actionOf(ctx: ExecuteContext, facts: EngineAgentFacts): Promise<AgentAction> {
  const { far, ticket_id: ticket } = facts;
  const { system, root, ecosystem } = ctx;
  const manifest = await scopeManifest(ctx);
  const { directory, record } = await requireTicketWorkspace(system, root, manifest, ticket);
  const told = ticketVariables({ root, ecosystem, directory, record });
  const { AMOF_ROOT: _here, AMOF_TICKET_DIR: _there, ...ours } = told;
  const short = ctx.runId?.slice(0, 8) ?? "";
  return {
    kind: "agent",
    argv: facts.command,
    timeLimit: facts.time_limit_s,
    variables: far.environment.names,
    told: ours,
    ticket,
    author: { ...far.author, at: Math.floor(system.clock.now() / 1_000) },
    message: `${ticket}: what ${
      cleanLine(facts.command[0] ?? "", 60)
    } left uncommitted\n\nRun ${short} on engine ${far.name}`,
    most_bytes: MOST_BYTES[far.kind],
    box: facts.box === null ? null : {
      network: facts.network,
      hide: hiddenPlaces(ctx, profileOf(ctx.settings, far.name)),
    },
  };
}

/** Writes down the work, and what is needed to bring it home; its engine has not heard of it. */
async function submit(
  ctx: ExecuteContext,
  facts: EngineAgentFacts,
  pending: PendingAgent<EngineAgentFacts>,
): Promise<SubmissionRecord> {
  const { runId: run, root, ecosystem } = ctx;
  if (run === null) throw new TypeError("Cannot submit without a run");
  const profile = { ...profileOf(ctx.settings, facts.far.name), parallel: 1 };
  const key = await installationKey(ctx.system, ctx.layout);
  const items = facts.far.repos.map(itemOf);
  const action = await actionOf(ctx, facts);
  const plan = seal(contentOf(ctx, { run, profile, facts, items, action }), key);
  const record = await new Submissions(ctx.system.files, ctx.layout).add(plan, {
    run,
    root,
    ecosystem,
    profile,
    shards: 1,
  });
  // Its engine has not heard of it yet: whoever is ended before this line has left nothing.
  await pending.put(run, facts);
  return record;
}

/** What shards tell, by their starts: what one of them made belongs together. */
class Heard {
  readonly #ends = new Map<string, Map<number, ItemEnd>>();

  take(line: ShardLine): void {
    if (line.type !== "item") return;
    const ends = this.#ends.get(line.attempt) ?? new Map<number, ItemEnd>();
    this.#ends.set(line.attempt, ends.set(line.i, line));
  }

  /** The ends that the start told which told most of what the program left. */
  get best(): ReadonlyMap<number, ItemEnd> {
    const worth = (ends: ReadonlyMap<number, ItemEnd>) =>
      [...ends.values()].reduce((sum, { change }) => sum + (change === undefined ? 0 : 1), 0);
    const [first = new Map<number, ItemEnd>(), ...others] = this.#ends.values();
    return others.reduce((best, ends) => worth(ends) > worth(best) ? ends : best, first);
  }
}

async function follow(
  ctx: ExecuteContext,
  record: SubmissionRecord,
  { arrivals, heard }: { readonly arrivals: Arrivals; readonly heard: Heard },
): Promise<ArrayEnd> {
  const display = new Display(ctx.report, "stream", { names: ["agent"], log: "amof runs logs" });
  const line = async (line: ShardLine) => {
    heard.take(line);
    await arrivals.take(line);
    if (line.type !== "log") return;
    ctx.report.log(line.stream === "stderr" ? "warn" : "info", line.text, { stream: line.stream });
    display.line("agent", line.stream, line.text);
  };
  return await followArray({
    system: ctx.system,
    submissions: new Submissions(ctx.system.files, ctx.layout),
    record,
    follower: {
      line,
      silent: (why) => ctx.report.log("warn", `${why}; the agent goes on, and is asked for again`),
      waits: (why) => ctx.report.log("warn", waitsText(record.profile.name, why)),
    },
    signal: ctx.signal,
  });
}

/** What became of a repository of which no commits arrived. */
function withoutCommits(
  { repo, commit: base, place }: EngineAgentRepo,
  end: ItemEnd | undefined,
  row: ExecRow,
): AgentArrival {
  const fresh = {
    repo,
    branch: place.branch,
    base,
    commits: 0,
    commit: null,
    kept: null,
  };
  const change = end?.change;
  if (change === undefined) {
    const why = row.last_line ?? row.outcome.replaceAll("_", " ");
    return { ...fresh, state: "lost", detail: cleanLine(why, 300) };
  }
  switch (change.made) {
    case "nothing":
      return { ...fresh, state: "unchanged", detail: cleanLine(change.note ?? "", 300) };
    case "too_large":
      return { ...fresh, state: "too_large", detail: cleanLine(change.why, 300) };
    case "unreadable":
      return { ...fresh, state: "lost", detail: cleanLine(change.why, 300) };
    default:
      return { ...fresh, state: "lost", detail: "its commits did not arrive whole" };
  }
}

/** Brings home what one repository has. */
async function bring(
  ctx: ExecuteContext,
  repo: EngineAgentRepo,
  { end, arrivals, run, row }: {
    readonly end: ItemEnd | undefined;
    readonly arrivals: Arrivals;
    readonly run: string;
    readonly row: ExecRow;
  },
): Promise<AgentArrival> {
  const none = withoutCommits(repo, end, row);
  const change = end?.change;
  if (change?.made !== "commits" || repo.place.readonly) return none;
  const { pack, why } = await arrivals.get(change.sha256);
  if (pack === null) {
    if (why === undefined) return none;
    const error = toAmofError(why, () => ctx.system.ids.hex(8));
    // The lines are still there, and can be read again.
    return { ...none, state: "waiting", detail: cleanLine(error.message, 300) };
  }
  const { directory, commit: base, place: { branch } } = repo;
  return await bringHome(
    ctx,
    { repo: repo.repo, directory, branch, base, run },
    { pack, commit: change.commit, note: change.note },
  );
}

/** What an error says of work that goes on elsewhere. */
function gone(error: unknown, run: string): unknown {
  if (!(error instanceof AmofError) || error.code !== "engine_unavailable") return error;
  return new AmofError(error.code, error.message, {
    hint: `Bring home what it makes: amof agent run --resume ${run.slice(0, 8)}`,
    details: error.details,
  });
}

/** Runs the agent of these facts, or goes on with it, and brings home what it made. */
export async function runEngineAgent(
  ctx: ExecuteContext,
  facts: EngineAgentFacts,
): Promise<EngineAgentEnd> {
  const { far, ticket_id: ticket } = facts;
  const submissions = new Submissions(ctx.system.files, ctx.layout);
  const pending = new PendingAgent<EngineAgentFacts>(ctx, ticket);
  const lock = await pending.hold();
  const begun = ctx.system.clock.now();
  try {
    const record = far.resumes === null
      ? await submit(ctx, facts, pending)
      : await submissions.get(far.resumes);
    if (record === null) {
      throw new AmofError("confirmation_stale", "Cannot go on with what is no longer known", {
        hint: "Repeat the command that began it",
      });
    }
    const { run } = record;
    const arrivals = new Arrivals(
      ctx.system.files,
      join(pending.directory, run),
      MOST_BYTES[far.kind],
    );
    const heard = new Heard();
    const end = await follow(ctx, record, { arrivals, heard }).catch((error: unknown) => {
      throw gone(error, run);
    });
    const ends = heard.best;
    const [first] = far.repos;
    const row = rowAt(
      first === undefined ? undefined : {
        name: first.repo,
        directory: "",
        workspace: "",
        layer: null,
        cloned: true,
        untrusted: [],
        remote: null,
      },
      { at: 0, end: { ...end, items: ends }, record },
    );
    if (row === null) throw new TypeError("Cannot run an agent without a repository");
    const brought: AgentArrival[] = [];
    for (const [at, repo] of far.repos.entries()) {
      const arrival = await bring(ctx, repo, { end: ends.get(at), arrivals, run, row });
      tell(ctx, arrival);
      brought.push(arrival);
    }
    const settled = (await submissions.get(run))?.phase === "settled";
    const isPending = !settled || brought.some(({ state }) => state === "waiting");
    if (!isPending) {
      await pending.clear();
      // Refused commits are kept for whoever wants to look at them.
      if (brought.every(({ state }) => state !== "refused")) await arrivals.clear();
    }
    const seconds = Math.round((ctx.system.clock.now() - begun) / 100) / 10;
    return {
      row,
      seconds: row.seconds === 0 ? seconds : row.seconds,
      arrivals: brought,
      isPending,
    };
  } finally {
    await lock.release();
  }
}

function tell(ctx: ExecuteContext, arrival: AgentArrival): void {
  const { repo, state, detail } = arrival;
  const isGood = state === "taken" || state === "unchanged";
  ctx.report.log(
    isGood ? "info" : "warn",
    `${repo}: ${state.replaceAll("_", " ")}${detail === "" ? "" : `, ${detail}`}`,
    { type: "repo", payload: arrival },
  );
}
