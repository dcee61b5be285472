/** What would be run on an engine: the invocation, the repositories it clones there, and the shards (ENGINE-1). */

import { meansAll } from "../../../contract/input.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import {
  budgetsOf,
  type Limits,
  LOCAL_ENGINE,
  MOST_ITEMS,
  planBytes,
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
import { select } from "../../../workspace/selection/mod.ts";
import { withoutCredentials } from "../../../workspace/clones/mod.ts";
import type { ExecPlace } from "../facts.ts";
import {
  type ExecPlan,
  type ExecWish,
  type Ground,
  groundOf,
  limitOf,
  type Wanted,
} from "../plan.ts";

function refuse(why: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", `Cannot run this on an engine: ${why}`, { hint });
}

/** Refuses what only clones of a workspace have. */
function requireFar(ctx: CommandContext, wanted: Wanted, wish: ExecWish, ground: Ground): void {
  if (ctx.ticket !== null) {
    throw refuse(
      `it clones the base branches, and ticket ${ctx.ticket} has clones of its own`,
      "Run it in the ticket, without --engine and --shards",
    );
  }
  if (meansAll(wish)) {
    throw refuse("it clones the base branches, once", "Leave out --all-tickets, or --engine");
  }
  const order = wish.order ?? ground.order;
  if (order !== "parallel") {
    throw refuse(
      `shards keep no order, and ${order} asks for one`,
      "Leave out --order, or --engine",
    );
  }
  if (wish.fail_fast ?? ground.failFast) {
    throw refuse("shards do not wait for each other", "Leave out --fail-fast");
  }
  const standing = [...wish.only ?? [], ...ground.invocation.selection.only]
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
  ground: Ground,
  { repos, tags, only }: ExecWish,
): Promise<readonly Repo[]> {
  const from = { manifest, workspace: null, state: null, action: "exec" };
  const asked = await select(ctx, from, { repos, tags, only });
  if (ground.among !== null) return asked.filter(({ name }) => ground.among?.has(name));
  if (ground.invocation.task === null) return asked;
  const own = new Set(
    (await select(ctx, from, ground.invocation.selection)).map(({ name }) => name),
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

function profileFor(ctx: CommandContext, manifest: Manifest, wish: ExecWish): Profile {
  return profileOf(
    ctx.settings,
    wish.engine ?? ctx.settings.engine ?? manifest.engine ?? LOCAL_ENGINE,
  );
}

/** What the places are to a plan, in their order. */
export function itemsFor(places: readonly ExecPlace[]): readonly PlanItem[] {
  return places.flatMap(({ name, remote }) =>
    remote === null ? [] : [{ repo: name, ...remote, commit: null }]
  );
}

/** Looks up what would be run where, and whether the engine can. Throws `engine_unavailable` where it cannot. */
export async function planFar(
  ctx: CommandContext,
  wanted: Wanted,
  wish: ExecWish,
): Promise<ExecPlan> {
  const manifest = await scopeManifest(ctx);
  const ground = await groundOf(ctx, manifest, wanted, wish);
  requireFar(ctx, wanted, wish, ground);
  const profile = profileFor(ctx, manifest, wish);
  const invocation = { ...ground.invocation, engine: profile.name };
  const places = (await reposOf(ctx, manifest, ground, wish)).map((repo): ExecPlace => ({
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
      time_limit_s: limitOf(ctx, wish, ground),
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
