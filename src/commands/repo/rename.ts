/**
 * `amof repo rename`: another name for a repository, wherever it is named, or for its base branch; its clone stays where
 * and as it is (WORKSPACE-22).
 */

import { isBranchName, SLUG } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { type CommandContext, mutation } from "../../contract/mod.ts";
import { blocks, patch } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { list, shellWord } from "../../base/text/words.ts";
import {
  type EditFacts,
  editFacts,
  editManifest,
  editStep,
  type ManifestEdit,
} from "../../workspace/manifest/changing.ts";
import {
  refreshEditorFile,
  stateFile,
  stateText,
  type WorkspaceState,
} from "../../workspace/mod.ts";
import { writeState } from "../../workspace/changing.ts";
import { committing, type RepoContext, requireRepo } from "./context.ts";

interface RenameFacts extends EditFacts {
  readonly from: string;
  readonly to: string;
  /** The base branch as it was and as it is to be; null where that stays. */
  readonly branch: { readonly from: string; readonly to: string } | null;
  /** Tickets that follow the name. */
  readonly tickets: readonly string[];
}

interface RenameInput {
  readonly name: string;
  readonly to?: string | undefined;
  readonly branch?: string | undefined;
}

function refuseInput({ manifest, repo }: RepoContext, { name, to, branch }: RenameInput): void {
  const refuse = (problem: string, hint: string, field = "to"): never => {
    throw new AmofError("invalid_arguments", `Cannot rename "${repo.name}": ${problem}`, {
      hint,
      details: { field },
    });
  };
  if (branch !== undefined && !isBranchName(branch)) {
    refuse("that is no name of a branch", "Use a name that git accepts, such as main", "branch");
  }
  if (branch === repo.branch) {
    refuse(
      `${branch} is its base branch already`,
      `See where it stands: amof status --repo ${shellWord(name)}`,
      "branch",
    );
  }
  if (to === undefined) {
    if (branch !== undefined) return;
    return refuse(
      "neither another name nor another base branch is given",
      `Say which: amof repo rename ${shellWord(name)} NAME\nOr: amof repo rename ${
        shellWord(name)
      } --branch BRANCH`,
    );
  }
  if (!SLUG.test(to)) refuse("the new name is none", "Use letters, digits, . _ - only");
  if (to === repo.name) refuse("it has that name", "Choose another name");
  const twin = manifest.repos.find((other) =>
    other !== repo && other.name.toLowerCase() === to.toLowerCase()
  );
  if (twin !== undefined) refuse(`"${twin.name}" has that name`, "Choose another name");
}

/** A map without one key and with another for it, in the same place. */
function withKey(map: Readonly<Record<string, string>>, from: string, to: string) {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name === from ? to : name, value]),
  );
}

/** The state with the new name wherever it holds the old one. */
function renamedState(state: WorkspaceState, from: string, to: string): WorkspaceState {
  return {
    ...state,
    tickets: Object.fromEntries(
      Object.entries(state.tickets).map(([id, ticket]) => [
        id,
        { ...ticket, repos: withKey(ticket.repos, from, to) },
      ]),
    ),
    repos: state.repos.map((repo) => repo.name === from ? { ...repo, name: to } : repo),
  };
}

async function plan(
  ctx: CommandContext,
  input: RenameInput,
): Promise<{ edit: ManifestEdit; facts: RenameFacts; standing: RepoContext }> {
  const { name: from, to = from, branch } = input;
  const standing = await requireRepo(ctx, from);
  refuseInput(standing, input);
  const edit = await editManifest(
    ctx,
    `rename "${from}"`,
    (text, { withRenamed, withBranch }) => {
      const based = branch === undefined ? text : withBranch(text, from, branch);
      return to === from ? based : withRenamed(based, from, to);
    },
  );
  const tickets = to === from ? [] : Object.entries(standing.state?.tickets ?? {})
    .filter(([, ticket]) => Object.hasOwn(ticket.repos, from)).map(([id]) => id);
  const based = branch === undefined ? null : { from: standing.repo.branch, to: branch };
  return { edit, standing, facts: { from, to, branch: based, tickets, ...editFacts(edit) } };
}

/** What is renamed, and to what. */
function renaming(
  { from, to, branch }: Pick<RenameFacts, "from" | "to" | "branch">,
): string {
  return list([
    ...(to === from ? [] : [`${from} to ${to}`]),
    ...(branch === null ? [] : [`the base branch of ${from} to ${cleanLine(branch.to, 60)}`]),
  ]);
}

/** `amof repo rename`. */
export const renameRepo = mutation({
  name: "amof_rename_repo",
  path: ["repo", "rename"],
  toolset: "ecosystem",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "simple",
  asks: { deed: "rename", will: "change the name of a repository in the manifest" },
  runs: "rename_repo",
  inline: true,
  locks: "ecosystem",
  title: "Rename repository",
  summary: "Give a repository of the manifest, or its base branch, another name.",
  description:
    "Clones and remotes stay as they are. Edits ecosystem.yaml, where the path of the clone is written down, and what this workspace remembers of tickets and pushes. Other workspaces of the ecosystem must have no tickets on it.",
  positionals: ["name", "to"],
  next: ["get_ecosystem_status"],
  examples: ["repo rename billing invoices", "repo rename billing --branch trunk"],
  input: (z) => ({
    name: z.string().min(1).describe("Name of the repository"),
    to: z.string().min(1).max(64).optional().describe("Its new name"),
    branch: z.string().min(1).optional().describe("Its base branch, as its remote has it now"),
  }),
  async preview(ctx, input) {
    const { edit, facts } = await plan(ctx, input);
    const follow = facts.tickets.map((id) => `Keep its branch of ticket ${id} under the new name`);
    return {
      facts,
      summary: `Would rename ${renaming(facts)}.`,
      ...(facts.to === facts.from
        ? { will: "change the base branch of a repository in the manifest" }
        : {}),
      effects: [`Edit ${edit.file}`, ...follow],
      details: blocks(patch(edit.diff.trimEnd()), follow),
      current: `${facts.from} is a repository of ${ctx.ecosystem}`,
      alternatives: [`See what it has: amof -e ${ctx.ecosystem} manifest show`],
    };
  },
  undo: {
    irreversible: ({ from, to, branch }) =>
      `the edit of the manifest; rename it back: amof repo rename ${shellWord(to)}${
        to === from ? "" : ` ${shellWord(from)}`
      }${branch === null ? "" : ` --branch ${shellWord(branch.from)}`}`,
  },
  async execute(ctx, input) {
    const { edit, facts, standing } = await plan(ctx, input);
    const { from, to, branch, tickets } = facts;
    const { workspace, state } = standing;
    const remembered = workspace === null || state === null || to === from ? [] : [writeState.step({
      workspace,
      before: await ctx.system.files.readText(stateFile(workspace)),
      after: stateText(ctx.system, renamedState(state, from, to)),
    })];
    await ctx.perform([editStep(ctx.root, edit), ...remembered]);
    if (workspace !== null) await refreshEditorFile(ctx.system, workspace, edit.manifest);
    return { data: { from, to, branch, file: edit.file, diff: edit.diff, tickets } };
  },
  render: ({ file, diff, ...facts }) => ({
    summary: `Renamed ${renaming(facts)}.`,
    details: blocks(patch(diff.trimEnd()), committing(file, `Rename ${renaming(facts)}`)),
  }),
});
