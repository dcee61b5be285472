/**
 * `amof discard`: takes a workspace away with everything that is only in it (WORKSPACE-18).
 *
 * The preview lists what would be lost, and a person types the name of the ecosystem.
 *
 * @module
 */

import { type CommandContext, mutation } from "../contract/mod.ts";
import { count } from "../text/words.ts";
import {
  digestsOf,
  environmentLines,
  isMinor,
  type Loss,
  lossesOf,
  lossLines,
  refuseObstacles,
  refuseUsedElsewhere,
  removablePlace,
  removalSteps,
  type Stock,
  takeStock,
  ticketWorkspaces,
  undeletable,
  type WorkspacePlace,
} from "../workspace/mod.ts";

interface DiscardFacts {
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
  /** Workspaces of tickets that stay, relative to the control repository. */
  readonly tickets: readonly string[];
  /** Clones that stay, because the workspace only has links to them: names with places. */
  readonly adopted: Stock["adopted"];
}

interface DiscardData {
  readonly workspace: string;
  readonly branches: readonly string[];
  readonly directories: readonly string[];
  /** What was lost. */
  readonly losses: readonly Loss[];
  /** What could not be deleted, or null. */
  readonly left: string | null;
}

/** "api: main" as a part of a sentence: "main of api". */
function branchOf(entry: string): string {
  const [repo = "", name] = entry.split(": ");
  const place = repo === "control repository" ? "the control repository" : repo;
  return name === undefined ? entry : `${name} of ${place}`;
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
  const repository = ctx.git.at(ctx.root);
  const commit = name === null ? null : await repository.refs.resolve(`refs/heads/${name}`);
  const branch = name === null || commit === null ? null : { name, commit };
  if (branch !== null) {
    await refuseUsedElsewhere(ctx, ctx.root, place, {
      branch: branch.name,
      what: `delete ${branch.name}`,
    });
  }
  const own = branch === null ? 0 : await repository.history.ownCount(branch.name, false);
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
      adopted: stock.adopted,
      tickets: (await ticketWorkspaces(ctx.system, ctx.root, manifest))
        .map(({ id }) => `${manifest.workspaceDir}@${id}`),
      digests: digestsOf(stock),
    },
  };
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
  removes: "for good",
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
        ...facts.branches.map((branch) => `Delete branch ${branchOf(branch)}`),
        ...Object.entries(facts.adopted).map(([repo, place]) =>
          `Leave ${repo} as it is in ${place}: only the link to it goes`
        ),
        ...facts.tickets.map((workspace) => `Leave ${workspace} as it is: it is a ticket's own`),
        ...await environmentLines(ctx),
      ],
      irreversible: lost.length === 0
        ? "Deleted files cannot be brought back; every commit is on a remote."
        : `Lost work cannot be brought back: ${lost[0]}${
          lost.length > 1 ? `, and ${lost.length - 1} more` : ""
        }`,
      current: lost.length === 0
        ? "Everything is on the remotes"
        : `${
          count(new Set(facts.losses.map((loss) => loss.repo)).size, "place has", "places have")
        } work that is only there`,
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
      ...data.branches.map((branch) => `Deleted branch ${branchOf(branch)}`),
      ...(data.left === null ? [] : [`⚠ Delete by hand: ${data.left}`]),
    ],
  }),
});
