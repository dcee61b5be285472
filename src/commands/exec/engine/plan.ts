/** What would be run on an engine: the invocation, the repositories it clones there, and the shards (ENGINE-1). */

import { meansAll } from "../../../contract/input.ts";
import type { CommandContext, ExecuteContext } from "../../../contract/mod.ts";
import {
  budgetsOf,
  type Limits,
  LOCAL_ENGINE,
  MOST_ITEMS,
  type PlanAction,
  planBytes,
  type PlanContent,
  type PlanItem,
  type Profile,
  profileOf,
  requireEngine,
  shardCount,
} from "../../../engine/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import type { Manifest, Repo } from "../../../workspace/manifest/mod.ts";
import { passedVariables } from "../../../workspace/programs/mod.ts";
import { scopeManifest } from "../../../workspace/tickets/mod.ts";
import { select } from "../../selection/mod.ts";
import { withoutCredentials } from "../../../workspace/clones/mod.ts";
import type { ExecFacts, ExecPlace } from "../invocation/facts.ts";
import {
  type Defaults,
  defaultsOf,
  type ExecPlan,
  type ExecWish,
  limitOf,
  type Wanted,
} from "../invocation/plan.ts";
import { count, duration } from "../../../base/text/words.ts";
import type { ExecRow } from "../invocation/answer.ts";
import { sha256 } from "../../../base/hash.ts";
import { canonicalJson } from "../../../base/policy/fingerprint.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { VERSION } from "../../../base/version.ts";

function refuse(why: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", `Cannot run this on an engine: ${why}`, { hint });
}

/** Refuses what only clones of a workspace have. */
function refuseLocalOnly(
  ctx: CommandContext,
  wanted: Wanted,
  wish: ExecWish,
  defaults: Defaults,
): void {
  if (ctx.ticket !== null) {
    throw refuse(
      `it clones the base branches, and ticket ${ctx.ticket} has clones of its own`,
      "Run it in the ticket, without --engine and --shards",
    );
  }
  if (meansAll(wish)) {
    throw refuse("it clones the base branches, once", "Leave out --all-tickets, or --engine");
  }
  const order = wish.order ?? defaults.order;
  if (order !== "parallel") {
    throw refuse(
      `shards keep no order, and ${order} asks for one`,
      "Leave out --order, or --engine",
    );
  }
  if (wish.fail_fast ?? defaults.failFast) {
    throw refuse("shards do not wait for each other", "Leave out --fail-fast");
  }
  const standing = [...wish.only ?? [], ...defaults.invocation.selection.only]
    .filter((word) => !/^!?failed(=|$)/.test(word));
  if (standing.length > 0 && wanted.kind !== "rerun") {
    throw refuse(
      `${cleanLine(standing[0] ?? "", 40)} asks how clones stand, and an engine makes fresh ones`,
      "Select by name or tag: --repo, --tag",
    );
  }
}

/** The enabled repositories that are asked for, without a workspace. */
async function reposOf(
  ctx: CommandContext,
  manifest: Manifest,
  defaults: Defaults,
  { repos, tags, only }: ExecWish,
): Promise<readonly Repo[]> {
  const from = { manifest, workspace: null, state: null, action: "exec" };
  const asked = await select(ctx, from, { repos, tags, only });
  if (defaults.among !== null) return asked.filter(({ name }) => defaults.among?.has(name));
  if (defaults.invocation.task === null) return asked;
  const own = new Set(
    (await select(ctx, from, defaults.invocation.selection)).map(({ name }) => name),
  );
  return asked.filter(({ name }) => own.has(name));
}

/** Refuses what is more than an engine takes, or than we hand to one. */
function requireRoom(
  { name }: Pick<Profile, "name">,
  limits: Limits,
  { items, shards }: { readonly items: readonly PlanItem[]; readonly shards: number | null },
): void {
  const divide = "Take a part of the repositories at a time: --tag, or --repo 'a*'";
  if (items.length > MOST_ITEMS) {
    throw refuse(
      `one plan has at most ${MOST_ITEMS} repositories, and these are ${items.length}`,
      divide,
    );
  }
  if (shards !== null && shards > limits.shards) {
    throw refuse(
      `engine "${name}" takes at most ${limits.shards} shards, and ${shards} are asked for`,
      `Ask for fewer: --shards ${limits.shards}`,
    );
  }
  const most = limits.planBytes ?? Infinity;
  const bytes = most === Infinity ? 0 : planBytes(items);
  if (bytes > most) {
    throw refuse(
      `the plan of ${items.length} repositories has ${
        mebibytes(bytes)
      }, and engine "${name}" takes ${mebibytes(most)}`,
      divide,
    );
  }
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** What the places are to a plan, in their order. */
export function itemsFor(places: readonly ExecPlace[]): readonly PlanItem[] {
  return places.flatMap(({ name, remote }) =>
    remote === null ? [] : [{ repo: name, ...remote, commit: null }]
  );
}

/** Looks up what would be run where, and whether the engine can. Throws `engine_unavailable` where it cannot. */
export async function planOnEngine(
  ctx: CommandContext,
  wanted: Wanted,
  wish: ExecWish,
): Promise<ExecPlan> {
  const manifest = await scopeManifest(ctx);
  const defaults = await defaultsOf(ctx, manifest, wanted, wish);
  refuseLocalOnly(ctx, wanted, wish, defaults);
  const profile = profileOf(
    ctx.settings,
    wish.engine ?? ctx.settings.engine ?? manifest.engine ?? LOCAL_ENGINE,
  );
  const invocation = { ...defaults.invocation, engine: profile.name };
  const places = (await reposOf(ctx, manifest, defaults, wish)).map((repo): ExecPlace => ({
    name: repo.name,
    directory: "",
    workspace: "",
    layer: null,
    cloned: true,
    untrusted: [],
    remote: {
      url: repo.url,
      branch: repo.branch,
      ...(repo.clone === "full" ? {} : { clone: repo.clone }),
    },
  }));
  const limits = await requireEngine(ctx.system, profile);
  requireRoom(profile, limits, { items: itemsFor(places), shards: wish.shards ?? null });
  const { parallel } = budgetsOf(itemsFor(places), profile, ctx.settings);
  const { engine: _named, ...words } = invocation;
  return {
    invocation,
    facts: {
      ...words,
      order: "parallel",
      time_limit_s: limitOf(ctx, wish, defaults),
      keep_going: false,
      fail_fast: false,
      environment: passedVariables([...invocation.env, ...profile.env, ...wish.env ?? []], false),
      far: {
        name: profile.name,
        kind: profile.kind,
        found: limits.found,
        shards: places.length === 0
          ? 0
          : shardCount(wish.shards ?? null, { items: places.length, parallel, limits }),
        parallel,
        time_limit_s: profile.seconds,
      },
      resumes: null,
      repos: places,
    },
  };
}

/** Where a place is cloned from, as a person may read it. */
export function shownPlace({ directory, cloned, remote }: ExecPlace): string {
  if (remote !== null) return cleanLine(withoutCredentials(remote.url));
  return cloned ? cleanLine(directory) : "not cloned";
}

// Whether an engine is worth it: work that this machine does in two minutes is done sooner here (ENGINE-11).

/** From so many seconds on this machine on an engine may be worth it. */
const WORTH_S = 120;
/** How many runs are looked through. */
const MOST_RUNS = 20;

/** How long a program took in an earlier run, for each repository, in seconds. */
interface Earlier {
  readonly runId: string;
  readonly each: number;
}

/** The newest run of the same program in this ecosystem that began it anywhere; null where there is none. */
async function earlierRun(
  { store, root, ecosystem }: Pick<CommandContext, "store" | "root" | "ecosystem">,
  { task, argv, shell }: Pick<ExecFacts, "task" | "argv" | "shell">,
): Promise<Earlier | null> {
  const words = JSON.stringify([task, argv, shell]);
  const { runs } = await store();
  for (
    const { runId, result } of runs.list({ root, ecosystem, action: "exec", limit: MOST_RUNS })
  ) {
    const ended = (result ?? {}) as Partial<Pick<ExecFacts, "task" | "argv" | "shell">> & {
      readonly repos?: readonly Pick<ExecRow, "outcome" | "seconds">[];
    };
    if (JSON.stringify([ended.task, ended.argv, ended.shell]) !== words) continue;
    const began = (Array.isArray(ended.repos) ? ended.repos : [])
      .filter(({ outcome }) => outcome === "ok" || outcome === "failed");
    if (began.length === 0) continue;
    return { runId, each: began.reduce((sum, { seconds }) => sum + seconds, 0) / began.length };
  }
  return null;
}

/**
 * Why the work had better stay on this machine, with what that is known from; null where it is not known, where an
 * engine is worth it, and where it stays here anyway.
 */
export async function hereInstead(
  ctx: Pick<CommandContext, "store" | "root" | "ecosystem" | "system">,
  facts: Pick<ExecFacts, "task" | "argv" | "shell" | "far" | "repos">,
): Promise<string | null> {
  if (facts.far === null || facts.far.kind === "local") return null;
  const earlier = await earlierRun(ctx, facts);
  if (earlier === null) return null;
  const { cpus } = ctx.system.env;
  const seconds = earlier.each * facts.repos.length / Math.max(1, cpus);
  if (seconds >= WORTH_S) return null;
  const repos = count(facts.repos.length, "repository", "repositories");
  return `this machine takes about ${duration(seconds)} (${repos}, ${
    duration(earlier.each)
  } each in run ${earlier.runId.slice(0, 8)}, ${
    count(cpus, "processor")
  }); an engine is worth it from ${duration(WORTH_S)} on`;
}

// What every plan says besides what is done and where (PLAN-1).

/** How long shards may wait for their turn before they are too late, in seconds. */
const PATIENCE_S = 7 * 24 * 3_600;

/** A plan that is made now. */
export function contentOf(
  ctx: ExecuteContext,
  { run, profile, facts, items, action }: {
    readonly run: string;
    readonly profile: Profile;
    /** What was confirmed. */
    readonly facts: object;
    readonly items: readonly PlanItem[];
    readonly action: PlanAction;
  },
): PlanContent {
  const now = ctx.system.clock.now();
  return {
    v: 1,
    run,
    created: timestamp(now),
    not_after: timestamp(now + (PATIENCE_S + profile.seconds) * 1_000),
    version: VERSION,
    by: ctx.caller.name,
    door: ctx.door,
    fingerprint: sha256(canonicalJson(facts)),
    ecosystem: ctx.ecosystem,
    seconds: profile.seconds,
    budgets: budgetsOf(items, profile, ctx.settings).budgets,
    action,
    items,
  };
}
