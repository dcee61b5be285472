/** What a campaign would run where, looked up without changing anything (CAMP-1). */

import type { CommandContext } from "../../contract/mod.ts";
import { type ExecFacts, type ExecPlace, invocationOfFacts } from "../exec/invocation/facts.ts";
import { planOnEngine, shownPlace } from "../exec/engine/plan.ts";
import type { Wanted } from "../exec/invocation/plan.ts";
import { AmofError } from "../../base/error.ts";
import { blocks, type Details } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues, table } from "../../base/text/table.ts";
import { count, duration } from "../../base/text/words.ts";
import {
  type Approval,
  approvalOf,
  type Invocation,
  lineOf,
  untrustedInvocation,
  variablesText,
} from "../../workspace/programs/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import { Campaigns, type CampaignWish } from "./record.ts";

const MOST_SHOWN = 30;

/** What a run of a campaign is bound to. */
export interface CampaignFacts {
  readonly name: string;
  readonly branch: string;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly exec: ExecFacts;
  /** Repositories that are left out because nobody may push there. */
  readonly readonly: readonly string[];
}

/** What would be run, and whether somebody may. */
export interface PlannedRun {
  readonly invocation: Invocation;
  readonly facts: ExecFacts;
  readonly approval: Approval;
  readonly manifest: Manifest;
  /** Names of those that are left out because nobody may push there. */
  readonly readonly: readonly string[];
  /** Why it may not be run, or null. */
  readonly refusal: AmofError | null;
}

/** The campaigns of the ecosystem of a call. */
export function campaignsOf(
  { system, layout, root, ecosystem }: Pick<
    CommandContext,
    "system" | "layout" | "root" | "ecosystem"
  >,
): Campaigns {
  return new Campaigns({ files: system.files, layout, root, ecosystem });
}

/** What is run, which must be one thing. */
function wantedOf({ command, shell, task }: CampaignWish): Wanted {
  const given = [command, shell, task].filter((value) => value !== null).length;
  if (given !== 1 || command?.length === 0 || command?.[0] === "") {
    throw new AmofError(
      "invalid_arguments",
      given > 1
        ? "Cannot run several things at once: a program, a shell line and a task exclude each other"
        : "Cannot run a program: none was named",
      { hint: "Name a program: amof campaign start NAME -- PROGRAM" },
    );
  }
  if (task !== null) return { kind: "task", task, more: [] };
  return { kind: "line", argv: command, shell };
}

/** Looks up what a run would do; refuses where nobody has approved it for who asks. */
export async function planRun(ctx: CommandContext, wish: CampaignWish): Promise<PlannedRun> {
  const { repos, tags, only, env, time_limit, engine, shards } = wish;
  const planned = await planOnEngine(ctx, wantedOf(wish), {
    repos,
    tags,
    only,
    engine,
    ...(env === null ? {} : { env }),
    ...(time_limit === null ? {} : { time_limit }),
    ...(shards === null ? {} : { shards }),
  });
  const manifest = await scopeManifest(ctx);
  const never = new Set<string>(
    manifest.repos.filter((repo) => repo.readonly).map(({ name }) => name),
  );
  const approval = await approvalOf(ctx, planned.invocation);
  const facts: ExecFacts = {
    ...planned.facts,
    hash: approval.hash,
    repos: planned.facts.repos.filter(({ name }) => !never.has(name)),
  };
  return {
    invocation: planned.invocation,
    facts,
    approval,
    manifest,
    readonly: planned.facts.repos.map(({ name }) => name as string).filter((name) =>
      never.has(name)
    ),
    refusal: ctx.door === "cli" || approval.approved
      ? null
      : untrustedInvocation(ctx.ecosystem, planned.invocation, approval),
  };
}

/** The facts of a run over some of the repositories only, with as many shards as they need. */
export function among(facts: ExecFacts, places: readonly ExecPlace[]): ExecFacts {
  const { far } = facts;
  return {
    ...facts,
    far: far === null ? null : { ...far, shards: Math.min(far.shards, Math.max(1, places.length)) },
    repos: places,
  };
}

/** What a person reads of a run before it begins. */
export function runDetails(
  ctx: CommandContext,
  { name, branch, message, author, exec, readonly }: CampaignFacts,
  approval: Approval | null,
): Details {
  const { far, repos } = exec;
  const left = repos.length - MOST_SHOWN;
  return blocks(
    keyValues([
      ["Campaign", name],
      ["Runs", cleanLine(lineOf(invocationOfFacts(exec)), 300)],
      ["Task", exec.task],
      ["Message", cleanLine(message, 300)],
      ["By", cleanLine(`${author.name} <${author.email}>`, 100)],
      ["Branch", cleanLine(branch, 100)],
      [
        "Engine",
        far === null
          ? null
          : `${far.name} (${far.found}): ${
            count(far.shards, "shard")
          }, ${far.parallel} at once, each ${duration(far.time_limit_s)} at most`,
      ],
      ["Time limit", exec.time_limit_s === null ? "none" : duration(exec.time_limit_s)],
      ["Gets", variablesText(ctx.system, exec.environment)],
      [
        "Hash",
        approval === null
          ? null
          : `${approval.hash}, ${approval.approved ? "approved" : "not approved"}`,
      ],
      ["Left out", readonly.length === 0 ? null : `${count(readonly.length, "read-only repo")}`],
    ]),
    table(
      ["repo", "cloned from"],
      repos.slice(0, MOST_SHOWN).map((place) => [place.name, shownPlace(place)]),
    ),
    left > 0 ? `… and ${left} more` : null,
  );
}
