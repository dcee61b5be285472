/** Runs an invocation on an engine, and writes down how it ended in each repository (ENGINE-1, EXEC-6). */

import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import {
  type ArrayEnd,
  followArray,
  installationKey,
  type ItemEnd,
  mixed,
  type PlanAction,
  type PlanContent,
  type Profile,
  profileOf,
  type ProgramAction,
  seal,
  type ShardLine,
  type ShardView,
  type SubmissionRecord,
  Submissions,
  submittedItems,
  waitsText,
} from "../../../engine/mod.ts";
import { type Invocation, shownLine, vectorOf } from "../../../workspace/programs/mod.ts";
import { type ExecFacts, type ExecPlace, invocationOfFacts } from "../invocation/facts.ts";
import { contentOf, itemsFor } from "./plan.ts";
import { Display, type OutputForm } from "../invocation/output.ts";
import { type ExecRow, noteOf, troubleOf } from "../invocation/answer.ts";
import { AmofError } from "../../../base/error.ts";
import type { ExecPlan } from "../invocation/plan.ts";
import { rerunOf } from "../invocation/retry.ts";

/** What is done with what a program changes, where that is not thrown away. */
export interface Keeping {
  /** The action of the plan, of its program. */
  readonly action?: (program: ProgramAction) => PlanAction;
  /** The commits that repositories have to be at, by their names. */
  readonly commits?: ReadonlyMap<string, string>;
  /** Each line that shards tell, once. */
  readonly line?: (line: ShardLine) => Promise<void>;
  /** How all ended, with the repositories in the order of the plan. */
  readonly end?: (end: ArrayEnd, items: readonly string[]) => void;
}

function planOf(
  ctx: ExecuteContext,
  { invocation, facts, profile, shards, run, keeping }: {
    readonly invocation: Invocation;
    readonly facts: ExecFacts;
    readonly profile: Profile;
    readonly shards: number;
    readonly run: string;
    readonly keeping: Keeping;
  },
): PlanContent {
  const { commits, action = (program) => ({ kind: "exec", ...program }) } = keeping;
  const items = mixed(itemsFor(facts.repos)).map((item) => ({
    ...item,
    commit: commits?.get(item.repo) ?? null,
  }));
  const [program, args] = vectorOf(invocation);
  return contentOf(ctx, {
    run,
    profile: { ...profile, parallel: Math.min(profile.parallel, shards) },
    facts,
    items,
    action: action({
      argv: [program, ...args],
      timeLimit: facts.time_limit_s,
      variables: facts.environment.names,
      told: { AMOF_TASK: invocation.task ?? "" },
    }),
  });
}

/** The same, where what a program changes is not thrown away. */
export async function runKeeping(
  ctx: ExecuteContext,
  { invocation, facts, output, keeping }: {
    readonly invocation: Invocation;
    readonly facts: ExecFacts;
    readonly output: OutputForm;
    readonly keeping: Keeping;
  },
): Promise<readonly ExecRow[]> {
  const { record, items } = await submitted(ctx, { invocation, facts, keeping });
  return await resumeOnEngine(ctx, { facts, record, items, output, keeping });
}

/** Writes a submission down. Nothing of its plan is kept in memory while the array runs but the names of its items. */
async function submitted(
  ctx: ExecuteContext,
  { invocation, facts, keeping }: {
    readonly invocation: Invocation;
    readonly facts: ExecFacts;
    readonly keeping: Keeping;
  },
): Promise<Pick<EngineWork, "record" | "items">> {
  const { far: engine } = facts;
  if (engine === null || ctx.runId === null) throw new TypeError("Cannot submit without an engine");
  const profile = { ...profileOf(ctx.settings, engine.name), parallel: engine.parallel };
  const key = await installationKey(ctx.system, ctx.layout);
  const plan = planOf(ctx, {
    invocation,
    facts,
    profile,
    shards: engine.shards,
    run: ctx.runId,
    keeping,
  });
  const submissions = new Submissions(ctx.system.files, ctx.layout);
  // A later `--resume` reads this event, which must be there before anything runs.
  ctx.report.log("info", `Running ${shownLine(invocation)} on engine ${engine.name}`, {
    type: "state",
    payload: { exec: facts },
    lasting: true,
  });
  const record = await submissions.add(seal(plan, key), {
    run: ctx.runId,
    root: ctx.root,
    ecosystem: ctx.ecosystem,
    profile,
    shards: engine.shards,
  });
  return { record, items: plan.items.map(({ repo }) => repo) };
}

/** What there is of an array that runs, or should. */
interface EngineWork {
  readonly facts: ExecFacts;
  readonly record: SubmissionRecord;
  /** The repositories in the order of the plan. */
  readonly items: readonly string[];
  readonly output: OutputForm;
  readonly keeping?: Keeping;
}

/** Tells the log and the screen what shards tell, and how each repository ended once. */
class Telling {
  readonly #ctx: ExecuteContext;
  readonly #display: Display;
  readonly #total: number;
  readonly #told = new Set<string>();

  constructor(ctx: ExecuteContext, output: OutputForm, items: readonly string[]) {
    this.#ctx = ctx;
    const log = `amof runs logs ${ctx.runId?.slice(0, 8) ?? ""}`;
    this.#display = new Display(ctx.report, output, { names: items, log });
    this.#total = items.length;
  }

  /** Takes a line about a repository. */
  line(place: ExecPlace, line: ShardLine): void {
    const { name } = place;
    if (line.type === "begin") this.#progress(name);
    else if (line.type === "log") {
      this.#ctx.report.log(line.stream === "stderr" ? "warn" : "info", line.text, {
        stream: line.stream,
        payload: { repo: name },
      });
      this.#display.line(name, line.stream, line.text);
    } else if (line.type === "item" && line.state === "ok") this.end(shardRow(place, line));
  }

  /** Takes how it ended in a repository. */
  end(row: ExecRow): void {
    if (this.#told.has(row.name)) return;
    this.#told.add(row.name);
    const note = noteOf(row);
    const { tail: _tail, ...payload } = row;
    this.#ctx.report.log(note === null ? "info" : "error", `${row.name}: ${note ?? "ok"}`, {
      type: "repo",
      payload: { ...payload, repo: row.name },
    });
    this.#display.ended(row.name, troubleOf(row));
    this.#progress(row.name, { ended: true });
  }

  /** Everything has ended. */
  finish(): void {
    this.#display.finish();
  }

  #progress(repo: string, more: { readonly ended?: true } = {}): void {
    const { report } = this.#ctx;
    report.progress(this.#told.size, this.#total, repo, { what: "running", repo, ...more });
  }
}

/** Brings an array to its end, from wherever it is. */
export async function resumeOnEngine(
  ctx: ExecuteContext,
  { facts, record, items, output, keeping = {} }: EngineWork,
): Promise<readonly ExecRow[]> {
  const places = new Map(facts.repos.map((place) => [place.name, place]));
  const telling = new Telling(ctx, output, items);
  const line = async (line: ShardLine) => {
    await keeping.line?.(line);
    const place = "repo" in line ? places.get(line.repo) : undefined;
    if (place !== undefined) telling.line(place, line);
  };
  const end = await followArray({
    system: ctx.system,
    submissions: new Submissions(ctx.system.files, ctx.layout),
    record,
    follower: {
      line,
      silent: (why) => ctx.report.log("warn", `${why}; the array goes on, and is asked for again`),
      waits: (why) => ctx.report.log("warn", waitsText(record.profile.name, why)),
    },
    signal: ctx.signal,
  });
  keeping.end?.(end, items);
  if (end.cancelled?.confirmed === false) {
    ctx.report.log(
      "warn",
      `Nodes that do not answer may still run a part of it: ${
        end.cancelled.unreachable.join(", ")
      }`,
    );
  }
  const rows = new Map(
    items.map((name, at) => [name, rowAt(places.get(name), { at, end, record })]),
  );
  const ends = facts.repos.map(({ name }) => {
    const row = rows.get(name);
    if (row === undefined || row === null) throw new TypeError(`Cannot find "${name}" in its plan`);
    telling.end(row);
    return row;
  });
  telling.finish();
  return ends;
}

// Goes on with an array whose amof was ended: nothing is submitted twice (ENGINE-7).

/** What a run has left on an engine; throws where there is nothing any more, or never was. */
async function requireArray(
  ctx: Pick<CommandContext, "system" | "layout">,
  run: string,
): Promise<SubmissionRecord> {
  const record = await new Submissions(ctx.system.files, ctx.layout).get(run);
  const why = record === null
    ? "it ran on no engine"
    : record.phase === "settled"
    ? "its array is over, and everything was collected"
    : null;
  if (record !== null && why === null) return record;
  throw new AmofError("invalid_arguments", `Cannot go on with run ${run.slice(0, 8)}: ${why}`, {
    hint: `See how it ended: amof runs summary ${run.slice(0, 8)}`,
    details: { run_id: run },
  });
}

/** Looks up what an earlier run began. */
export async function planResume(ctx: CommandContext, run: string): Promise<ExecPlan> {
  const { facts, runId } = await rerunOf(ctx, run, { isAll: false, why: "resume" });
  await requireArray(ctx, runId);
  return { invocation: invocationOfFacts(facts), facts: { ...facts, resumes: runId } };
}

/** Brings the array of an earlier run to its end; answers a row for each repository. */
export async function runResume(
  ctx: ExecuteContext,
  facts: ExecFacts,
  output: OutputForm,
): Promise<readonly ExecRow[]> {
  const record = await requireArray(ctx, facts.resumes ?? "");
  const submissions = new Submissions(ctx.system.files, ctx.layout);
  const items = submittedItems(await submissions.plan(record.run)).map(({ repo }) => repo);
  ctx.report.log("info", `Going on with run ${record.run.slice(0, 8)}`, {
    type: "state",
    payload: { exec: facts },
    lasting: true,
  });
  return await resumeOnEngine(ctx, { facts, record, items, output });
}

// How it ended in each repository of an array, from what shards told and what their engine says of them (ENGINE-10).

const EMPTY = {
  exit_code: null,
  signal: null,
  seconds: 0,
  layer: null,
  start_error: null,
  last_line: null,
  tail: [],
  because: null,
} as const;

function notBegun(place: ExecPlace, reason: NonNullable<ExecRow["because"]>["reason"]): ExecRow {
  return { ...EMPTY, name: place.name, outcome: "not_started", because: { reason, repo: null } };
}

/** How an item ended that a shard told of. */
function shardRow({ name }: ExecPlace, end: ItemEnd): ExecRow {
  return {
    ...EMPTY,
    name,
    outcome: end.state,
    exit_code: end.exit_code,
    signal: end.signal,
    seconds: end.seconds,
    last_line: end.why ?? end.tail.at(-1) ?? null,
    tail: end.state === "ok" ? [] : end.tail,
  };
}

/** What a shard's end means for an item of it that was begun, or not, and told no end. */
const LOST: Readonly<Record<NonNullable<ShardView["reason"]>, ExecRow["outcome"]>> = {
  exit: "unknown",
  timeout: "timed_out",
  memory: "out_of_memory",
  evicted: "evicted",
  node: "node_lost",
  vanished: "unknown",
  waits: "unknown",
  unstartable: "not_started",
};

/** Why an engine has asked a shard to end. */
const ENDED: Partial<typeof LOST> = {
  timeout: LOST.timeout,
  memory: LOST.memory,
  evicted: LOST.evicted,
  node: LOST.node,
};

/** The signals by which engines end what runs. */
const ENDING = new Set(["SIGTERM", "SIGKILL"]);

/** What came of an item that a shard told of, with what the engine says of the shard. */
function outcomeOf(
  { state, signal }: ItemEnd,
  { cancelled }: ArrayEnd,
  view: ShardView | undefined,
): ExecRow["outcome"] {
  // A program that was asked to end cannot tell who asked; the engine can.
  const because = ENDED[view?.reason ?? "waits"];
  if (state === "cancelled") return cancelled === null ? because ?? state : state;
  // Some engines end programs together with the shard, which then is told of them before it is told itself.
  if (state !== "failed" || !ENDING.has(signal ?? "")) return state;
  if (cancelled !== null || view?.state === "cancelled") return "cancelled";
  return because ?? state;
}

/** How the item of a place ended, when its array is over; null without a place. */
export function rowAt(
  place: ExecPlace | undefined,
  { at, end, record }: {
    readonly at: number;
    readonly end: ArrayEnd;
    readonly record: Pick<SubmissionRecord, "shards">;
  },
): ExecRow | null {
  if (place === undefined) return null;
  const item = end.items.get(at);
  const shard = at % record.shards;
  const view = end.views[shard];
  if (item !== undefined) return { ...shardRow(place, item), outcome: outcomeOf(item, end, view) };
  const isBegun = end.begun.has(at);
  const refused = end.refused.get(shard);
  if (refused !== undefined && !isBegun) {
    return { ...EMPTY, name: place.name, outcome: "refused", last_line: refused };
  }
  const isTold = end.told.has(shard);
  // A shard that ran and of which no lines were read may have begun its repositories.
  const isPossible = isBegun || !isTold && (end.ran.has(shard) || view?.reason === "vanished");
  if (end.cancelled !== null || view?.state === "cancelled") {
    return isBegun || !isTold && end.ran.has(shard)
      ? { ...EMPTY, name: place.name, outcome: "cancelled" }
      : notBegun(place, "stopped");
  }
  if (view?.reason === "unstartable") {
    return { ...notBegun(place, "engine"), last_line: view.note };
  }
  const outcome = LOST[view?.reason ?? "vanished"];
  if (!isPossible) return notBegun(place, outcome === "timed_out" ? "time" : "shard");
  return { ...EMPTY, name: place.name, outcome };
}
