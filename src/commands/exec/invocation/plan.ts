/** What would be run where: the invocation, its repositories and their order, looked up without changing anything. */

import { join } from "@std/path";
import { meansAll } from "../../../contract/input.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { didYouMean, meantText, shellWord } from "../../../base/text/words.ts";
import {
  type Invocation,
  passedVariables,
  timeLimitOf,
  usualLimit,
} from "../../../workspace/programs/mod.ts";
import type { Manifest, Order, Task } from "../../../workspace/manifest/mod.ts";
import { scopeManifest } from "../../../workspace/tickets/mod.ts";
import { labelOf, type Unreadable } from "../../selection/areas.ts";
import { chosenAnywhere, type ChosenArea, select, type Selecting } from "../../selection/mod.ts";
import { type ExecFacts, type ExecPlace, invocationOfFacts } from "./facts.ts";
import { rerunOf } from "./retry.ts";
import { inPool } from "../../../base/async/pool.ts";
import { repoDirectory } from "../../../workspace/mod.ts";
import { suspectNames } from "../../../workspace/seals/mod.ts";
import { layersOf, needsWithin } from "../../look/layers.ts";

// Where an invocation would run: in which repositories of which workspaces, in which order (EXEC-10).

/** What decides besides the caller's words. */
interface Allowed {
  readonly invocation: Invocation;
  /** Only these, by their labels, where it repeats a part of a run. */
  readonly among: ReadonlySet<string> | null;
}

interface Wish extends Selecting {
  readonly all_tickets?: boolean | undefined;
}

/** The labels of the repositories that a task is for, of those of these workspaces. */
async function ownOf(
  ctx: CommandContext,
  { selection }: Invocation,
  areas: readonly ChosenArea[],
): Promise<ReadonlySet<string>> {
  const own = new Set<string>();
  for (const { ticket, of, manifest, workspace } of areas) {
    const from = { manifest, workspace: workspace.directory, state: workspace.state };
    const part = areas.length > 1;
    const found = await select({ ...ctx, ticket }, { ...from, action: "exec", part }, selection);
    for (const { name } of found) own.add(labelOf(of, name));
  }
  return own;
}

/** The workspaces, each with the repositories that the invocation is for and the caller asks for. */
async function areasOf(
  ctx: CommandContext,
  defaults: Allowed,
  { repos, tags, only, all_tickets }: Wish,
): Promise<readonly ChosenArea[]> {
  const words = { repos, tags, only, all_tickets };
  const { areas, lacking: { unreadable } } = await chosenAnywhere(ctx, words, "exec");
  if (unreadable !== undefined) throw unusable(unreadable);
  const keeping = (labels: ReadonlySet<string>) =>
    areas.map((area) => ({
      ...area,
      repos: area.repos.filter(({ name }) => labels.has(labelOf(area.of, name))),
    }));
  if (defaults.among !== null) return keeping(defaults.among);
  const { task } = defaults.invocation;
  if (task === null) return areas;
  const own = await ownOf(ctx, defaults.invocation, areas);
  const both = keeping(own);
  const none = both.every((area) => area.repos.length === 0);
  if (none && own.size > 0 && areas.some((area) => area.repos.length > 0)) {
    throw new AmofError(
      "repo_not_found",
      `Cannot run task "${task}" there: it is for ${[...own].slice(0, 8).join(", ")}${
        own.size > 8 ? ` and ${own.size - 8} more` : ""
      }`,
      { hint: "See what it is for: amof tasks", details: { task } },
    );
  }
  return both;
}

/** The error of tickets in which nothing can be run: where all are meant, none may be left out unsaid. */
function unusable(unreadable: readonly Unreadable[]): AmofError {
  const [first] = unreadable;
  return new AmofError(
    "state_corrupt",
    `Cannot run in all tickets: the record of ${first?.ticket_id} cannot be used, ${first?.reason}`,
    { hint: "See what is wrong: amof doctor", details: { tickets: unreadable } },
  );
}

/** Where an invocation would run in one workspace. */
async function placesIn(
  ctx: CommandContext,
  { manifest, workspace: { directory: workspace }, of, repos }: ChosenArea,
  order: Order,
): Promise<readonly ExecPlace[]> {
  const names = repos.map(({ name }) => name as string);
  const layers = order === "parallel" ? null : layersOf(needsWithin(manifest.repos, names));
  return await inPool(ctx.jobs, repos, async (repo): Promise<ExecPlace> => {
    const directory = await repoDirectory(ctx.system, workspace, repo);
    const cloned = await ctx.system.files.lstat(join(directory, ".git")) !== null;
    const label = labelOf(of, repo.name);
    const suspects = cloned ? await ctx.git.at(directory, label).suspects() : null;
    return {
      ...of,
      name: repo.name,
      directory,
      workspace,
      layer: layers?.get(repo.name) ?? null,
      cloned,
      remote: null,
      untrusted: suspects === null ? [] : suspectNames(suspects),
    };
  });
}

/**
 * Every place where an invocation would run, those of the base workspace first, in the order of the manifest. Costs what the
 * selection costs, and starts no other process. Throws as `select` does, and `state_corrupt` for a ticket that is meant
 * and cannot be used.
 */
async function placesOf(
  ctx: CommandContext,
  allowed: Allowed,
  order: Order,
  wish: Wish,
): Promise<readonly ExecPlace[]> {
  const places: ExecPlace[] = [];
  for (const area of await areasOf(ctx, allowed, wish)) {
    places.push(...await placesIn(ctx, area, order));
  }
  return places;
}

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
export interface Defaults {
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

/** What a call selects, as flags in front of what follows; empty where that is all. */
function selectingFlags({ repos = [], tags = [], only = [] }: Selecting): string {
  const named = { "--repo": repos, "--tag": tags, "--only": only };
  return Object.entries(named).map(([flag, words]) =>
    words.length === 0 ? "" : `${flag} ${shellWord(words.join(","))} `
  ).join("");
}

/** The task with a name; throws `invalid_arguments` where there is none. */
export function requireTask(manifest: Manifest, name: string, where: Selecting = {}): Task {
  const task = manifest.tasks.find((one) => one.name === name);
  if (task !== undefined) return task;
  const names = manifest.tasks.map((one) => one.name);
  throw new AmofError(
    "invalid_arguments",
    `Cannot find task "${cleanLine(name, 60)}" in "${manifest.name}"${
      meantText(didYouMean(name, names))
    }`,
    {
      hint: RUNS_WORDS.includes(name)
        ? `Runs are looked at with another word: amof runs ${name}`
        : names.length === 0
        ? `The manifest has no tasks yet\nRun a program without one: amof exec ${
          selectingFlags(where)
        }-- PROGRAM`
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
export async function defaultsOf(
  ctx: CommandContext,
  manifest: Manifest,
  wanted: Wanted,
  wish: ExecWish,
): Promise<Defaults> {
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
      const task = requireTask(manifest, wanted.task, wish);
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
export function limitOf(ctx: CommandContext, wish: ExecWish, defaults: Defaults): number | null {
  return wish.time_limit === undefined
    ? defaults.timeLimit ?? usualLimit(ctx)
    : timeLimitOf(wish.time_limit);
}

/** Looks up what would be run where. */
export async function planExec(
  ctx: CommandContext,
  wanted: Wanted,
  wish: ExecWish,
): Promise<ExecPlan> {
  const manifest = await scopeManifest(ctx);
  const defaults = await defaultsOf(ctx, manifest, wanted, wish);
  const { invocation } = defaults;
  const timeLimit = limitOf(ctx, wish, defaults);
  const order = wish.order ?? defaults.order;
  const places = await placesOf(ctx, defaults, order, wish);
  const { engine: _none, ...words } = invocation;
  // At the command line a program gets the person's whole environment, as if typed in the shell.
  const all = ctx.door === "cli" && !defaults.namesVariables;
  return {
    invocation,
    facts: {
      ...words,
      order,
      time_limit_s: timeLimit,
      keep_going: wish.keep_going ?? defaults.keepGoing,
      fail_fast: wish.fail_fast ?? defaults.failFast,
      environment: passedVariables(invocation.env, all),
      far: null,
      resumes: null,
      // By layers, the order in which they run; within a layer the sort keeps the order of the manifest.
      repos: places.toSorted((a, b) => (a.layer ?? 0) - (b.layer ?? 0)),
    },
  };
}
