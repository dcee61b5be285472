/**
 * `amof shard run`: the only thing an engine starts. It needs no database, no control repository and nobody to ask
 * (SHARD-1).
 */

import { join } from "@std/path";
import { AmofError, EXIT } from "../../base/error.ts";
import { hostOf } from "../../git/mod.ts";
import process from "node:process";
import { defined } from "../../base/object.ts";
import type { Files, System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { ARRAY_VARIABLE } from "../port.ts";
import { type AgentAction, isOver, open, type Plan, type PlanItem } from "../plan/plan.ts";
import { Budgets } from "./budget.ts";
import {
  type ItemContext,
  type Judge,
  type Numbered,
  Queue,
  type Queued,
  TIME_IS_OVER,
} from "./item.ts";
import { Ends, LineWriter } from "./ends.ts";
import { type ItemEnd, readResults } from "./line.ts";
import { workOn } from "./work.ts";

/** Marks what is started for one item: the value is the run, the shard, its start and the number of the item. */
const VARIABLE = "AMOF_SHARD";

/** No plan is longer, in bytes. */
const MOST_PLAN = 64 * 1024 * 1024;

/** The exit code of a shard that could not ask hosts: another start may do better. */
const TRY_AGAIN = 75;

/** What a shard is told by whoever starts it. */
interface ShardCall {
  /** The id of the run, for what is told when the plan cannot be read. */
  readonly run: string;
  readonly plan: string;
  readonly sha256: string;
  readonly key: string;
  readonly index: number;
  readonly of: number;
  /** Where lines go as well, absolute; null for standard output alone. */
  readonly results: string | null;
  /** The file that the end is written into in few bytes, absolute; null for none. */
  readonly summary: string | null;
  /** Where clones lie, absolute; null for the directory for temporary files. */
  readonly scratch: string | null;
  /** Where this node keeps mirrors, absolute; null for none. */
  readonly mirrors: string | null;
  /** Which start of this shard it is, from 1, as far as the engine tells. */
  readonly start: number;
  readonly attempts: number;
}

/** Runs a shard to its end; answers its exit code (SHARD-4). `judge` says which changes must not leave it. */
export async function runShard(system: System, call: ShardCall, judge: Judge): Promise<number> {
  const attempt = system.ids.hex(8);
  const { out, close } = await outlet(system, call, attempt);
  const writer = new LineWriter({ run: call.run, shard: call.index, attempt }, out);
  const interrupted = new AbortController();
  const stop = system.terminal.onInterrupt(() => interrupted.abort());
  try {
    const plan = await openPlan(system, call);
    const exit = await workThrough(system, {
      call,
      plan,
      attempt,
      writer,
      judge,
      signal: interrupted.signal,
    });
    writer.end(exit);
    await summarize(system, call, writer.summary(exit));
    return exit;
  } catch (error) {
    const why = error instanceof AmofError
      ? error.message
      : "the shard failed by a fault of its own";
    writer.write({ type: "refused", why });
    const exit = error instanceof AmofError ? EXIT.refused : EXIT.failed;
    writer.end(exit);
    await summarize(system, call, writer.summary(exit));
    if (!(error instanceof AmofError)) throw error;
    return exit;
  } finally {
    stop();
    await close();
  }
}

/** Writes the end of a shard where its engine keeps it. */
async function summarize({ files }: System, { summary }: ShardCall, text: string): Promise<void> {
  // The file is there already, and belongs to the engine: it cannot be replaced.
  if (summary !== null) await files.append(summary, text);
}

/** Where lines go: in order, to standard output and to a file of this start alone. */
async function outlet(system: System, { results, index }: ShardCall, attempt: string) {
  const { files, terminal } = system;
  const file = results === null ? null : join(results, `${index}.${attempt}.jsonl`);
  if (results !== null) await files.makeDirectory(results, { mode: 0o700 });
  let written = Promise.resolve();
  const out = (line: string) => {
    try {
      terminal.out(line);
    } catch {
      // It is fine when nobody reads standard output.
    }
    if (file !== null) written = written.then(() => files.append(file, line, { mode: 0o600 }));
  };
  return { out, close: () => written };
}

/** The text of a plan, which may be compressed; null where its file is not there. */
async function planText(files: Files, path: string): Promise<string | null> {
  if (!path.endsWith(".gz")) return await files.readText(path);
  const bytes = await files.readBytes(path);
  if (bytes === null) return null;
  const { gunzipSync } = process.getBuiltinModule("node:zlib");
  try {
    return new TextDecoder().decode(gunzipSync(bytes, { maxOutputLength: MOST_PLAN }));
  } catch {
    return "";
  }
}

async function openPlan(
  { files, clock }: System,
  { plan, sha256, key, start, attempts }: ShardCall,
): Promise<Plan> {
  const text = await planText(files, plan);
  if (text === null) {
    throw new AmofError("plan_refused", "Cannot carry the plan out: its file is not there", {
      details: { why: "its file is not there" },
    });
  }
  if (start > attempts) {
    throw new AmofError(
      "plan_refused",
      `Cannot carry the plan out: this shard was begun ${start} times and may be ${attempts} times`,
      { details: { why: "begun too often" } },
    );
  }
  return open(text, { sha256, key, version: VERSION, now: clock.now() });
}

/** What the start of a shard consists of. */
interface Start {
  readonly call: ShardCall;
  readonly plan: Plan;
  readonly attempt: string;
  readonly writer: LineWriter;
  readonly judge: Judge;
  readonly signal: AbortSignal;
}

async function workThrough(system: System, start: Start): Promise<number> {
  const { call, plan, attempt, writer } = start;
  const { files, env } = system;
  const scratch = join(
    call.scratch ?? env.get("TMPDIR") ?? "/tmp",
    `amof-${plan.run}-${call.index}-${attempt}`,
  );
  await files.makeDirectory(scratch, { mode: 0o700 });
  writer.write({
    type: "start",
    plan: call.sha256,
    version: plan.version,
    node: env.hostname() ?? "",
  });
  try {
    return await inTime(system, start, scratch);
  } finally {
    await files.removeTree(scratch);
  }
}

/** Works as long as the shard has time. */
async function inTime(system: System, start: Start, scratch: string): Promise<number> {
  const { plan, signal } = start;
  const time = new AbortController();
  const done = new AbortController();
  const limit = system.clock.sleep(plan.seconds * 1_000, done.signal).then(() => {
    if (!done.signal.aborted) time.abort(TIME_IS_OVER);
  });
  try {
    return await eachItem(
      system,
      { ...start, signal: AbortSignal.any([signal, time.signal]) },
      scratch,
    );
  } finally {
    done.abort();
    await limit;
  }
}

/** How what is started for an item is found again: by its shard, and by the engine of the array where that has a mark. */
function marksOf({ env }: Pick<System, "env">, place: string): Pick<ItemContext, "mark" | "marks"> {
  const array = { [ARRAY_VARIABLE]: env.get(ARRAY_VARIABLE) };
  return { mark: `${VARIABLE}=${place}`, marks: { ...defined(array), [VARIABLE]: place } };
}

/** The items of one shard with their numbers in the plan. */
function itemsOf(
  { items }: Pick<Plan, "items">,
  index: number,
  count: number,
): readonly { readonly at: number; readonly item: PlanItem }[] {
  return items.flatMap((item, at) => at % count === index ? [{ at, item }] : []);
}

async function eachItem(system: System, start: Start, scratch: string): Promise<number> {
  const { call, plan, writer, attempt, judge, signal } = start;
  const budgets = new Budgets(plan.budgets, {
    clock: system.clock,
    signal,
    chance: () => Number.parseInt(system.ids.hex(4), 16) / 0xffff,
  });
  const workOf = ({ at, item }: Numbered): ItemContext => ({
    system,
    plan,
    budgets,
    scratch,
    mirrors: call.mirrors,
    signal,
    judge,
    send: (piece) => writer.write({ type: "piece", i: at, repo: item.repo, ...piece }),
    ...marksOf(system, `${plan.run}/${call.index}/${attempt}/${at}`),
    log: (stream, text) => writer.write({ type: "log", i: at, repo: item.repo, stream, text }),
  });
  const items = itemsOf(plan, call.index, call.of);
  const ends = new Ends(writer, system.clock, signal);
  const before = call.results === null ? new Map() : await readResults(system, call.results, call);
  const work = { plan, items, before, budgets, ends, writer, signal, workOf };
  try {
    if (plan.action.kind === "agent") await together(plan.action, work);
    else await oneAfterTheOther(system, work);
  } finally {
    // Nothing may be told after the last line.
    await ends.all();
  }
  return exitOf(await ends.all(), signal);
}

/** What the work on all items of a shard needs. */
interface Items {
  readonly plan: Plan;
  readonly items: readonly Numbered[];
  /** How items ended in earlier starts of the shard, by their numbers. */
  readonly before: ReadonlyMap<number, ItemEnd>;
  readonly budgets: Budgets;
  readonly ends: Ends;
  readonly writer: LineWriter;
  readonly signal: AbortSignal;
  readonly workOf: (item: Numbered) => ItemContext;
}

async function together(
  action: AgentAction,
  { items, before, ends, writer, workOf }: Items,
): Promise<void> {
  // Programs that an earlier start has run to their end are not run twice.
  const ended = items.flatMap(({ at }) => before.get(at) ?? []).filter(isOfProgram);
  if (ended.length === items.length) return ended.forEach((end) => ends.known(end));
  for (const { at, item } of items) writer.write({ type: "begin", i: at, repo: item.repo });
  const { workTogether } = await import("./agent.ts");
  const all = await workTogether(action, items.map((one) => ({ ...one, work: workOf(one) })));
  all.forEach((end) => ends.add(end));
}

async function oneAfterTheOther(
  { clock }: System,
  { plan, items, before, budgets, ends, writer, signal, workOf }: Items,
): Promise<void> {
  // An earlier start of this shard has done some.
  const done = items.flatMap(({ at }) => before.get(at) ?? []).filter(({ state }) =>
    state === "ok"
  );
  done.forEach((end) => ends.known(end));
  const queue = new Queue(items.filter(({ at }) => before.get(at)?.state !== "ok"), budgets);
  for (;;) {
    if (signal.aborted || isOver(plan, clock.now())) return;
    const next = queue.next();
    if (next === null) return;
    const { at, item } = next;
    if (next.waitMs === Infinity) {
      ends.add(deferredEnd(next));
      continue;
    }
    if (next.waitMs > 0) {
      const text = `${hostOf(item.url)} takes no more requests; it is asked again in ${
        Math.ceil(next.waitMs / 1_000)
      } s`;
      writer.write({ type: "log", i: at, repo: item.repo, stream: "stderr", text });
      await clock.sleep(next.waitMs, signal);
      continue;
    }
    if (next.why === null) writer.write({ type: "begin", i: at, repo: item.repo });
    const end = await workOn(workOf({ at, item }), { at, item });
    if (end.state === "deferred") queue.again(next, end.why);
    else ends.add(end);
  }
}

/** How an item ends whose host is not asked again. */
function deferredEnd({ at, item, why }: Queued): ItemEnd {
  const nothing = { exit_code: null, signal: null, seconds: 0, commit: null, tail: [] };
  const instead = `${hostOf(item.url)} takes no more requests for now`;
  return { i: at, repo: item.repo, state: "deferred", why: why ?? instead, ...nothing };
}

/** Whether an item ended with a program that was run, and not before. */
function isOfProgram({ change }: ItemEnd): boolean {
  return change !== undefined;
}

/** States of items whose host could not be asked. */
const AWAY: readonly ItemEnd["state"][] = ["unreachable", "deferred"];

/** The exit code of a shard (SHARD-4). */
function exitOf(ends: readonly ItemEnd[], signal: AbortSignal): number {
  if (signal.aborted) return signal.reason === TIME_IS_OVER ? EXIT.timeout : EXIT.interrupted;
  const good = ends.filter(({ state }) => state === "ok").length;
  if (good === ends.length) return EXIT.ok;
  // Another start has only to do what is left.
  const bad = ends.filter(({ state }) => state !== "ok");
  if (bad.every(({ state }) => state === "deferred")) return TRY_AGAIN;
  if (ends.every(({ state }) => AWAY.includes(state))) return TRY_AGAIN;
  if (good > 0) return EXIT.partial;

  return ends.every(({ state }) => state === "refused") ? EXIT.refused : EXIT.failed;
}
