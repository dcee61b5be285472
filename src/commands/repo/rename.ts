/**
 * `amof repo rename`: another name for a repository, wherever it is named; its clone stays where it is (WORKSPACE-22).
 */

import { SLUG } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { type CommandContext, mutation } from "../../contract/mod.ts";
import { blocks, patch } from "../../base/text/parts.ts";
import { shellWord } from "../../base/text/words.ts";
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
import { committing, type RepoContext, requireRepo } from "./standing.ts";

interface RenameFacts extends EditFacts {
  readonly from: string;
  readonly to: string;
  /** Tickets that follow the name. */
  readonly tickets: readonly string[];
}

function refuseName({ manifest, repo }: RepoContext, to: string): void {
  const refuse = (problem: string, hint: string): never => {
    throw new AmofError("invalid_arguments", `Cannot rename "${repo.name}": ${problem}`, {
      hint,
      details: { field: "to" },
    });
  };
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
  from: string,
  to: string,
): Promise<{ edit: ManifestEdit; facts: RenameFacts; standing: RepoContext }> {
  const standing = await requireRepo(ctx, from);
  refuseName(standing, to);
  const edit = await editManifest(
    ctx,
    `rename "${from}"`,
    (text, { withRenamed }) => withRenamed(text, from, to),
  );
  const tickets = Object.entries(standing.state?.tickets ?? {})
    .filter(([, ticket]) => Object.hasOwn(ticket.repos, from)).map(([id]) => id);
  return { edit, standing, facts: { from, to, tickets, ...editFacts(edit) } };
}

/** `amof repo rename`. */
export const renameRepo = mutation({
  name: "amof_rename_repo",
  path: ["repo", "rename"],
  toolset: "ecosystem",
  extra: true,
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "simple",
  asks: { deed: "rename", will: "change the name of a repository in the manifest" },
  runs: "rename_repo",
  inline: true,
  exclusive: true,
  title: "Rename repository",
  summary: "Give a repository of the manifest another name; its clone stays where it is.",
  description:
    "Edits ecosystem.yaml, where the path of the clone is written down, and what this workspace remembers of tickets and pushes. Other workspaces of the ecosystem must have no tickets on it.",
  positionals: ["name", "to"],
  next: ["get_ecosystem_status"],
  examples: ["repo rename billing invoices"],
  input: (z) =>
    z.strictObject({
      name: z.string().min(1).describe("Name of the repository"),
      to: z.string().min(1).max(64).describe("Its new name"),
    }),
  async preview(ctx, input) {
    const { edit, facts } = await plan(ctx, input.name, input.to);
    const follow = facts.tickets.map((id) => `Keep its branch of ticket ${id} under the new name`);
    return {
      facts,
      summary: `Would rename ${facts.from} to ${facts.to}.`,
      effects: [`Edit ${edit.file}`, ...follow],
      details: blocks(patch(edit.diff.trimEnd()), follow),
      current: `${facts.from} is a repository of ${ctx.ecosystem}`,
      alternatives: [`See what it has: amof -e ${ctx.ecosystem} manifest show`],
    };
  },
  irreversible: ({ from, to }) =>
    `the edit of the manifest; rename it back: amof repo rename ${shellWord(to)} ${
      shellWord(from)
    }`,
  async execute(ctx, input) {
    const { edit, facts, standing } = await plan(ctx, input.name, input.to);
    const { from, to, tickets } = facts;
    const { workspace, state } = standing;
    const remembered = workspace === null || state === null ? [] : [writeState.step({
      workspace,
      before: await ctx.system.files.readText(stateFile(workspace)),
      after: stateText(ctx.system, renamedState(state, from, to)),
    })];
    await ctx.perform([editStep(ctx.root, edit), ...remembered]);
    if (workspace !== null) await refreshEditorFile(ctx.system, workspace, edit.manifest);
    return { data: { from, to, file: edit.file, diff: edit.diff, tickets } };
  },
  render: ({ from, to, file, diff }) => ({
    summary: `Renamed ${from} to ${to}.`,
    details: blocks(patch(diff.trimEnd()), committing(file, `Rename ${from} to ${to}`)),
  }),
});
