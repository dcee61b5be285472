/**
 * What an agent would find of a ticket on an engine: which commits of which remotes, looked up without changing anything
 * (BOX-10).
 */

import { inPool } from "../../../base/async/pool.ts";
import type { Network } from "../../../machine/box/mod.ts";
import type { CommandContext, Preview } from "../../../contract/mod.ts";
import { type PlanItem, type Profile, profileOf, requireEngine } from "../../../engine/mod.ts";
import { AmofError } from "../../../base/error.ts";
import type { Authorship } from "../../../git/write/mod.ts";
import type { Sha } from "../../../base/ids.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, duration, few } from "../../../base/text/words.ts";
import type { Manifest, Repo } from "../../../workspace/manifest/mod.ts";
import {
  type PassedVariables,
  passedVariables,
  variablesText,
} from "../../../workspace/programs/mod.ts";
import { scopeManifest } from "../../../workspace/tickets/mod.ts";
import { PendingAgent } from "../../ticket/at_work.ts";
import { type Refusal, refuseAll, repoDirectory } from "../../../workspace/mod.ts";
import { requireAuthor } from "../../exec/invocation/facts.ts";
import { blocks } from "../../../base/text/parts.ts";
import { keyValues, table } from "../../../base/text/table.ts";
import { type AgentData, type AgentPlace, lineOfAgent } from "../answer.ts";

/** A repository of a ticket as it goes to an engine. */
export interface EngineAgentRepo extends PlanItem {
  /** The clone at home, absolute. */
  readonly directory: string;
  readonly commit: string;
  readonly place: NonNullable<PlanItem["place"]>;
}

/** Where an agent works that does not work here. */
export interface EngineAgentSpec {
  readonly name: string;
  readonly kind: Profile["kind"];
  /** What the engine is, for people. */
  readonly found: string;
  /** How long its shard may take, in seconds. */
  readonly seconds: number;
  readonly environment: PassedVariables;
  readonly author: Pick<Authorship, "name" | "email">;
  readonly repos: readonly EngineAgentRepo[];
  /** Repositories with work that nobody has committed: it stays here. */
  readonly uncommitted: readonly string[];
  /** The run that is gone on with; null where another one begins. */
  readonly resumes: string | null;
}

/** How many remotes are asked at once. */
const AT_ONCE = 4;

type Found =
  | { readonly repo: EngineAgentRepo; readonly isDirty: boolean }
  | Refusal;

/** The remote branch that has the commit last; else the one it is fetched beside. */
function branchWith(
  heads: ReadonlyMap<string, Sha>,
  commit: Sha,
  [own, base]: readonly [string, string],
): string | null {
  const there = [own, base].find((name) => heads.get(name) === commit) ??
    [...heads].find(([, tip]) => tip === commit)?.[0];
  return there ?? [own, base].find((name) => heads.has(name)) ?? null;
}

/** Looks at one repository, here and on its remote. */
async function lookAt(
  ctx: CommandContext,
  repo: Repo,
  directory: string,
): Promise<Found> {
  const no = (problem: string, fix: string, code: Refusal["code"] = "repo_changed"): Refusal => ({
    repo: repo.name,
    code,
    problem,
    fix,
  });
  const repository = ctx.git.at(directory, repo.name);
  const { branch, head, changes } = await repository.status("all");
  if (branch === null || head === null) {
    return no(
      branch === null ? "is on no branch" : "has no commit",
      "see which branch it should be on, and go there: amof status",
    );
  }
  const unpushed = await repository.history.unpushedCount();
  if (unpushed > 0) {
    return no(
      `has ${count(unpushed, "commit")} that no remote has, and engines clone from there`,
      `push them: amof push`,
    );
  }
  const heads = await ctx.git.at(ctx.root).remoteRefs.branches(repo.url);
  const from = branchWith(heads, head, [branch, repo.branch]);
  if (from === null) return no(`has a remote without ${repo.branch}`, "push it");
  return {
    repo: {
      repo: repo.name,
      url: repo.url,
      branch: from,
      ...(repo.clone === "full" ? {} : { clone: repo.clone }),
      commit: head,
      place: { path: repo.path, branch, readonly: repo.readonly },
      directory,
    },
    isDirty: changes.length > 0,
  };
}

/** The repositories of the ticket as they go to an engine. */
async function reposOf(
  ctx: CommandContext,
  manifest: Manifest,
  workspace: string,
): Promise<
  { readonly repos: readonly EngineAgentRepo[]; readonly uncommitted: readonly string[] }
> {
  const found = await inPool(
    AT_ONCE,
    manifest.repos.filter(({ enabled }) => enabled),
    async (repo): Promise<Found> => {
      const directory = await repoDirectory(ctx.system, workspace, repo);
      if (await ctx.git.at(directory, repo.name).gitDirectory() === null) {
        const fix = `clone it: amof sync`;
        return { repo: repo.name, code: "repo_changed", problem: "is not cloned", fix };
      }
      return await lookAt(ctx, repo, directory);
    },
  );
  refuseAll(
    "run an agent on an engine",
    found.flatMap((one) => "problem" in one ? [one] : []),
    "nothing was submitted",
  );
  const there = found.flatMap((one) => "problem" in one ? [] : [one]);
  if (there.length === 0) {
    throw new AmofError("invalid_arguments", "Cannot run an agent: the ticket has no repository", {
      hint: "See what it has: amof status",
    });
  }
  return {
    repos: there.map(({ repo }) => repo),
    uncommitted: there.filter(({ isDirty }) => isDirty).map(({ repo }) => repo.repo),
  };
}

/** Throws where an earlier agent of the ticket has not come home. */
async function refuseRunningAgent(ctx: CommandContext, ticket: string): Promise<void> {
  const pending = await new PendingAgent<unknown>(ctx, ticket).get();
  if (pending === null) return;
  const short = pending.run.slice(0, 8);
  throw new AmofError(
    "ecosystem_busy",
    `Cannot run an agent for ${ticket} on an engine: what run ${short} made has not come home yet`,
    {
      hint: `Bring it home: amof agent run --resume ${short}`,
      details: { run_id: pending.run, ticket },
    },
  );
}

/** Looks up what would be done where. Throws where it cannot, or would leave work behind that nobody said may stay. */
export async function planEngineAgent(
  ctx: CommandContext,
  { ticket, directory }: { readonly ticket: string; readonly directory: string },
  wish: {
    readonly engine: string;
    readonly env: readonly string[];
    readonly onlyCommitted: boolean;
  },
): Promise<EngineAgentSpec> {
  const profile = profileOf(ctx.settings, wish.engine);
  await refuseRunningAgent(ctx, ticket);
  const limits = await requireEngine(ctx.system, profile);
  const { repos, uncommitted } = await reposOf(ctx, await scopeManifest(ctx), directory);
  if (uncommitted.length > 0 && !wish.onlyCommitted) {
    throw new AmofError(
      "repo_dirty",
      `Cannot run it on engine "${profile.name}": what is not committed in ${
        few(uncommitted, 5)
      } does not travel`,
      {
        hint: `Commit it: amof commit\nLeave it here: the same command with --only-committed`,
        details: { repos: uncommitted.map((name) => ({ name })) },
      },
    );
  }
  return {
    name: profile.name,
    kind: profile.kind,
    found: limits.found,
    seconds: profile.seconds,
    environment: passedVariables([...profile.env, ...wish.env], false),
    author: await requireAuthor(ctx),
    repos,
    uncommitted,
    resumes: null,
  };
}

/** What a person reads of the repositories, a row each. */
function engineRows({ repos }: EngineAgentSpec): readonly (readonly string[])[] {
  return repos.map(({ repo, branch, commit, place }) => [
    repo,
    `${cleanLine(place.branch, 60)} at ${commit.slice(0, 8)}`,
    place.readonly ? "to be read alone" : `cloned from ${cleanLine(branch, 60)}`,
  ]);
}

// What a person sees of an agent before it goes to an engine (BOX-10).

interface Facts extends AgentPlace {
  readonly time_limit_s: number | null;
  readonly network: Network;
}

/** The preview of facts about an agent on an engine. */
export function enginePreview<F extends Facts>(
  ctx: CommandContext,
  facts: F,
  far: EngineAgentSpec,
): Preview<F, AgentData> {
  const { ticket_id: ticket, command, box, network, time_limit_s: limit } = facts;
  const line = lineOfAgent(command);
  const boxed = box === null
    ? "in no box: it can do whatever you can do on the node"
    : `in a box of the node, ${network === "none" ? "without" : "with all of"} the network`;
  const repos = count(far.repos.length, "repository", "repositories");
  const resumes = far.resumes?.slice(0, 8) ?? null;
  return {
    facts,
    summary: resumes === null
      ? `Would run ${cleanLine(command[0] ?? "", 40)} for ${ticket} on engine ${far.name}.`
      : `Would bring home what run ${resumes} made for ${ticket}.`,
    effects: [
      resumes === null
        ? `Run ${line} in clones of ${repos} on engine ${far.name}, ${boxed}`
        : `Follow ${line} of run ${resumes} on engine ${far.name} to its end`,
      "Put its commits on the branches of the ticket that are as they were; keep others beside them",
      ...(far.uncommitted.length === 0 ? [] : [
        `Leave here what is not committed in ${
          few(far.uncommitted, 5)
        }; commits of these are kept beside their branches`,
      ]),
    ],
    details: blocks(
      keyValues([
        ["Runs", line],
        ["For", ticket],
        ["Engine", `${far.name} (${far.found}), ${duration(far.seconds)} at most`],
        [
          "Box",
          box === null
            ? "none: it can read, change and send whatever you can there"
            : "that of the node; where it has none, nothing is run",
        ],
        ["Network", box === null || network === "full" ? "all of it" : "none"],
        ["Time limit", limit === null ? "none" : duration(limit)],
        [
          "Stays here",
          far.uncommitted.length === 0 ? null : `${few(far.uncommitted, 5)} (not committed)`,
        ],
        ["Gets", variablesText(ctx.system, far.environment)],
      ]),
      table(["repo", "begins at", "how"], engineRows(far)),
    ),
    irreversible: "What the program does on its node cannot be undone by amof.",
    current: `${repos} of the ticket, as their remotes have them`,
    alternatives: ["Run it here: leave out --engine"],
  };
}
