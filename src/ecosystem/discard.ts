/**
 * `amof discard`: takes a workspace away with everything that is only in it (amof.md §2.7).
 *
 * The preview lists what would be lost, and a person types the name of the ecosystem.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { type CommandContext, mutation } from "../spec/mod.ts";
import { count } from "../text/words.ts";
import { loadManifest } from "./manifest.ts";
import { refuseInside } from "./occupied.ts";
import { type Refusal, refuseAll } from "./refusal.ts";
import { removalSteps } from "./removal.ts";
import { isMinor, type Loss, lossesOf, lossText } from "./losses.ts";
import type { Obstacle } from "./obstacles.ts";
import { type Stock, takeStock } from "./stock.ts";
import { findWorkspace, refuseUsedElsewhere, type WorkspacePlace } from "./workspace.ts";

interface DiscardFacts {
  readonly [field: string]: unknown;
  readonly workspace: string;
  /** Branches that go, as `repository: branch`. Those of remotes stay. */
  readonly branches: readonly string[];
  /** Directories that go, relative to the control repository. */
  readonly directories: readonly string[];
  readonly losses: readonly Loss[];
  /** The workspace branch with the commit it is deleted at, or null when there is none. */
  readonly branch: { readonly name: string; readonly commit: string } | null;
  /** Repository to digest. */
  readonly digests: Readonly<Record<string, string>>;
}

interface DiscardData {
  readonly [field: string]: unknown;
  readonly workspace: string;
  readonly branches: readonly string[];
  readonly directories: readonly string[];
  /** What was lost. */
  readonly losses: readonly Loss[];
  /** What could not be deleted, or null. */
  readonly left: string | null;
}

/**
 * The place of a workspace that can be removed; throws `workspace_not_installed`, and `workspace_in_use` where the
 * caller stands in it. One git process.
 */
export async function removablePlace(
  ctx: CommandContext,
  what: string,
): Promise<{ place: WorkspacePlace; manifest: Awaited<ReturnType<typeof loadManifest>> }> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const place = await findWorkspace(ctx, ctx.root, manifest);
  if (place.worktree !== null) {
    await refuseInside(ctx, what, place.directory);
    return { place, manifest };
  }
  throw new AmofError(
    "workspace_not_installed",
    `Cannot ${what} "${manifest.name}": it has no workspace`,
    { hint: "See what there is: amof ecosystem list", details: { ecosystem: manifest.name } },
  );
}

/** Throws for everything that stands in the way of any removal. */
export function refuseObstacles(what: string, obstacles: readonly Obstacle[]): void {
  refuseAll(
    what,
    obstacles.map(({ repo, problem, fix }): Refusal => ({
      repo,
      code: "would_lose_work",
      problem,
      fix,
    })),
  );
}

/** The repositories of a stock with their digests: what a confirmation is bound to. */
export function digestsOf(stock: Stock): Record<string, string> {
  const all = [...(stock.control === null ? [] : [stock.control]), ...stock.repos];
  return Object.fromEntries(all.map((repo) => [repo.name, repo.digest]));
}

async function plan(ctx: CommandContext): Promise<{
  facts: DiscardFacts;
  stock: Stock;
  place: WorkspacePlace;
}> {
  const { place, manifest } = await removablePlace(ctx, "discard");
  const stock = await takeStock(ctx, place, manifest);
  refuseObstacles(`discard ${ctx.ecosystem}`, stock.obstacles);
  const name = place.worktree?.branch ?? null;
  const commit = name === null ? null : await ctx.git.refs.resolve(ctx.root, `refs/heads/${name}`);
  const branch = name === null || commit === null ? null : { name, commit };
  if (branch !== null) {
    await refuseUsedElsewhere(ctx, ctx.root, place, branch.name, `delete ${branch.name}`);
  }
  const own = branch === null ? 0 : await ctx.git.history.ownCount(ctx.root, branch.name, false);
  return {
    place,
    stock,
    facts: {
      workspace: manifest.workspaceDir,
      branches: [
        ...(branch === null ? [] : [`control repository: ${branch.name}`]),
        ...stock.repos.flatMap((repo) =>
          repo.branches.map((entry) => `${repo.name}: ${entry.name}`)
        ),
      ],
      directories: [
        manifest.workspaceDir,
        ...stock.repos.map((repo) => `${manifest.workspaceDir}/${repo.path}`),
      ],
      losses: [
        ...(own === 0 || branch === null ? [] : [{
          repo: "(control repository)",
          kind: "commits" as const,
          count: own,
          items: [`on ${branch.name}`],
        }]),
        ...lossesOf(stock),
      ],
      branch,
      digests: digestsOf(stock),
    },
  };
}

/** A line about an environment that outlives the workspace; none where no environment stands. */
export async function environmentLines(ctx: CommandContext): Promise<string[]> {
  const record = (await ctx.store()).environments.get(ctx.root, ctx.ecosystem);
  const stands = record !== null && (record.deployed !== null || record.outcome !== "done");
  return stands ? ["Leave the environment as it stands; to end it: amof spin destroy"] : [];
}

/** "api: 2 unpushed commits: …" for each loss. */
export function lossLines(losses: readonly Loss[]): string[] {
  return losses.map((loss) => `${loss.repo}: ${lossText(loss)}`);
}

/** `amof discard`. */
export const discard = mutation({
  name: "amof_discard_ecosystem",
  path: ["discard"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "type",
  asks: { deed: "discard", will: "delete the workspace with everything that is only in it" },
  runs: "discard",
  exclusive: true,
  title: "Discard ecosystem",
  summary: "Delete the workspace with everything that is only in it; remotes stay as they are.",
  description:
    "Clones, uncommitted files, unpushed commits, stashes and the workspace branch go. Nothing is pushed. The preview lists what would be lost; to keep the work, use archive.",
  instead: { force: "Consent without being asked: amof discard --confirm-name NAME" },
  examples: ["discard --dry-run", "discard --confirm-name demo"],
  input: (z) => z.strictObject({}),
  async preview(ctx) {
    const { facts } = await plan(ctx);
    const lost = lossLines(facts.losses.filter((loss) => !isMinor(loss)));
    return {
      facts,
      summary: `Would discard ${ctx.ecosystem} with ${
        count(facts.directories.length - 1, "clone")
      }.`,
      effects: [
        ...lossLines(facts.losses).map((line) => `Lose ${line}`),
        ...facts.directories.map((directory) => `Delete ${directory}`),
        ...facts.branches.map((branch) => `Delete branch ${branch}`),
        ...await environmentLines(ctx),
      ],
      irreversible: lost.length === 0
        ? "Deleted files cannot be brought back; every commit is on a remote."
        : `Lost work cannot be brought back: ${lost[0]}${
          lost.length > 1 ? `, and ${lost.length - 1} more` : ""
        }`,
      current: lost.length === 0
        ? "Everything is on the remotes"
        : `${count(lost.length, "loss", "losses")} in ${
          count(new Set(facts.losses.map((loss) => loss.repo)).size, "place")
        }`,
      alternatives: [
        "Push everything and keep a record instead: amof archive",
        "Look at the state: amof status",
      ],
    };
  },
  async execute(ctx, _input, facts) {
    const { stock, place } = await plan(ctx);
    const { undoable, final, aside } = removalSteps(ctx, {
      root: ctx.root,
      directory: place.directory,
      stock,
      digests: facts.digests,
      branch: facts.branch,
    });
    await ctx.perform([...undoable, ...final], undoable.length);
    const left = await ctx.system.files.lstat(aside) === null ? null : aside;
    const { workspace, branches, directories, losses } = facts;
    const data: DiscardData = { workspace, branches, directories, losses, left };
    return left === null ? { data } : { data, failure: undeletable(left) };
  },
  render: (data: DiscardData) => ({
    summary: data.left === null
      ? `Discarded ${data.workspace}.`
      : `Discarded ${data.workspace}; some files could not be deleted.`,
    details: [
      ...lossLines(data.losses).map((line) => `Lost ${line}`),
      ...data.branches.map((branch) => `Deleted branch ${branch}`),
      ...(data.left === null ? [] : [`⚠ Delete by hand: ${data.left}`]),
    ].join("\n"),
  }),
});

/** The failure of a removal that left files behind. */
export function undeletable(place: string): AmofError {
  return new AmofError(
    "partial_failure",
    `Removed the workspace, but could not delete all of its files: ${place}`,
    { hint: `Delete them by hand: ${place}`, details: { left: place } },
  );
}
