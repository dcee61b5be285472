/** What would be run where: the invocation, its repositories and their order, looked up without changing anything. */

import { meansAll } from "../../contract/all_tickets.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import {
  type Invocation,
  passedVariables,
  timeLimitOf,
  usualLimit,
} from "../../workspace/programs/mod.ts";
import type { Manifest, Order, Task } from "../../workspace/manifest/mod.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import type { Selecting } from "../../workspace/selection/mod.ts";
import { type ExecFacts, invocationOfFacts } from "./facts.ts";
import { placesOf } from "./places.ts";
import { rerunOf } from "./retry.ts";

/** Words of commands about runs, which are easily taken for those of tasks. */
const RUNS_WORDS: readonly string[] = ["active", "cancel", "list", "logs", "status", "summary"];

/** What a caller asks for besides what is run. */
export interface ExecWish extends Selecting {
  readonly order?: Order | undefined;
  readonly time_limit?: string | undefined;
  readonly keep_going?: boolean | undefined;
  readonly fail_fast?: boolean | undefined;
  readonly env?: readonly string[] | undefined;
  readonly all_tickets?: boolean | undefined;
  readonly engine?: string | undefined;
  readonly shards?: number | undefined;
}

/** What a caller wants to be run. */
export type Wanted =
  | {
    readonly kind: "line";
    readonly argv: readonly string[] | null;
    readonly shell: string | null;
  }
  | { readonly kind: "task"; readonly task: string; readonly more: readonly string[] }
  | { readonly kind: "rerun" | "resume"; readonly run: string };

/** What would be run, and where. */
export interface ExecPlan {
  readonly invocation: Invocation;
  readonly facts: Omit<ExecFacts, "hash">;
}

/** How an invocation runs unless the caller says otherwise, and what it is limited to. */
export interface Ground {
  readonly invocation: Invocation;
  readonly order: Order;
  readonly timeLimit: number | null;
  readonly keepGoing: boolean;
  readonly failFast: boolean;
  /** Whether the invocation says which variables it gets, also where its caller typed it. */
  readonly namesVariables: boolean;
  /** Only these, by their labels, where it repeats a part of a run. */
  readonly among: ReadonlySet<string> | null;
}

/** The task with a name; throws `invalid_arguments` where there is none. */
export function requireTask(manifest: Manifest, name: string): Task {
  const task = manifest.tasks.find((one) => one.name === name);
  if (task !== undefined) return task;
  const names = manifest.tasks.map((one) => one.name);
  const near = didYouMean(name, names);
  throw new AmofError(
    "invalid_arguments",
    `Cannot find task "${cleanLine(name, 60)}" in "${manifest.name}"${
      near === null ? "" : `; did you mean "${near}"?`
    }`,
    {
      hint: RUNS_WORDS.includes(name)
        ? `Runs are looked at with another word: amof runs ${name}`
        : names.length === 0
        ? "The manifest has no tasks yet\nRun a program without one: amof exec -- PROGRAM"
        : "See them: amof tasks",
      details: { task: cleanLine(name, 60), available: names },
    },
  );
}

/** A task as something to run. */
export function invocationOf(
  task: Task,
  { more = [], engine = null }: {
    readonly more?: readonly string[];
    readonly engine?: string | null;
  } = {},
): Invocation {
  const { name, run, shell, env, repos, tags, only } = task;
  const selection = { repos, tags, only };
  return { task: name, argv: run, shell, more, env, selection, engine };
}

/** A program or shell line as something to run, in the repositories that are asked for. */
export function lineInvocation(
  { argv, shell }: { readonly argv: readonly string[] | null; readonly shell: string | null },
  { repos = [], tags = [], only = [], env = [], engine }: ExecWish,
): Invocation {
  return {
    task: null,
    argv,
    shell,
    more: [],
    env,
    selection: { repos, tags, only },
    engine: engine ?? null,
  };
}

/** What is run, and how unless the caller says otherwise. Throws where there is no such task or run. */
export async function groundOf(
  ctx: CommandContext,
  manifest: Manifest,
  wanted: Wanted,
  wish: ExecWish,
): Promise<Ground> {
  const plain = {
    order: "parallel" as const,
    timeLimit: null,
    keepGoing: false,
    failFast: false,
    among: null,
  };
  if (wanted.kind !== "line" && wish.env !== undefined) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot pass other variables to a ${wanted.kind === "task" ? "task" : "repetition"}`,
      { hint: "Write them into the task in the manifest, as env\nSee it: amof tasks" },
    );
  }
  switch (wanted.kind) {
    case "line":
      return {
        ...plain,
        invocation: lineInvocation(wanted, wish),
        namesVariables: wish.env !== undefined,
      };
    case "task": {
      const task = requireTask(manifest, wanted.task);
      return {
        ...plain,
        invocation: invocationOf(task, { more: wanted.more, engine: wish.engine ?? null }),
        order: task.order,
        timeLimit: task.timeLimit,
        namesVariables: false,
      };
    }
    case "resume":
    case "rerun": {
      const { facts, left } = await rerunOf(ctx, wanted.run, { isAll: meansAll(wish) });
      return {
        invocation: { ...invocationOfFacts(facts), engine: wish.engine ?? null },
        order: facts.order,
        timeLimit: facts.time_limit_s,
        keepGoing: facts.keep_going,
        failFast: facts.fail_fast,
        namesVariables: !facts.environment.all,
        among: left,
      };
    }
  }
}

/** How long a program may take in each repository, in seconds; null for as long as it likes. */
export function limitOf(ctx: CommandContext, wish: ExecWish, ground: Ground): number | null {
  return wish.time_limit === undefined
    ? ground.timeLimit ?? usualLimit(ctx)
    : timeLimitOf(wish.time_limit);
}

/** Looks up what would be run where. */
export async function planExec(
  ctx: CommandContext,
  wanted: Wanted,
  wish: ExecWish,
): Promise<ExecPlan> {
  const manifest = await scopeManifest(ctx);
  const ground = await groundOf(ctx, manifest, wanted, wish);
  const { invocation } = ground;
  const timeLimit = limitOf(ctx, wish, ground);
  const order = wish.order ?? ground.order;
  const places = await placesOf(ctx, ground, order, wish);
  const { engine: _none, ...words } = invocation;
  // At the command line a program gets the person's whole environment, as if typed in the shell.
  const all = ctx.door === "cli" && !ground.namesVariables;
  return {
    invocation,
    facts: {
      ...words,
      order,
      time_limit_s: timeLimit,
      keep_going: wish.keep_going ?? ground.keepGoing,
      fail_fast: wish.fail_fast ?? ground.failFast,
      environment: passedVariables(invocation.env, all),
      far: null,
      resumes: null,
      // By layers, the order in which they run; within a layer the sort keeps the order of the manifest.
      repos: places.toSorted((a, b) => (a.layer ?? 0) - (b.layer ?? 0)),
    },
  };
}
