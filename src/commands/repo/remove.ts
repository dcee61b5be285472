/** `amof repo remove`: a repository leaves the manifest; its clone stays on the disk (WORKSPACE-22). */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { type CommandContext, mutation } from "../../contract/mod.ts";
import { blocks, patch } from "../../base/text/parts.ts";
import { count, list, shellWord } from "../../base/text/words.ts";
import {
  type EditFacts,
  editFacts,
  editManifest,
  editStep,
  type ManifestEdit,
} from "../../workspace/manifest/changing.ts";
import { addCommand } from "../advice/command_lines.ts";
import { inspectRepos, type RepoSnapshot } from "../../workspace/clones/mod.ts";
import { committing, type RepoContext, requireRepo } from "./context.ts";

interface RemoveFacts extends EditFacts {
  readonly name: string;
  /** The clone that stays, absolute; null where there is none. */
  readonly clone: string | null;
  /** What is only in the clone. */
  readonly only_there: readonly string[];
  /** The command that names it in the manifest again. */
  readonly again: string;
}

/** Tickets work on their repositories by the names of the manifest. */
function refuseTracked({ repo, state }: RepoContext): void {
  const tickets = Object.entries(state?.tickets ?? {})
    .filter(([, ticket]) => Object.hasOwn(ticket.repos, repo.name)).map(([id]) => id);
  const [first] = tickets;
  if (first === undefined) return;
  throw new AmofError(
    "invalid_transition",
    `Cannot remove "${repo.name}": ${tickets.length === 1 ? "the ticket" : "the tickets"} ${
      list(tickets)
    } ${tickets.length === 1 ? "works" : "work"} on it`,
    {
      hint: `End it first: amof ticket end ${first}`,
      details: { repo: repo.name, tickets },
    },
  );
}

/** What a clone holds that its remote is not known to have, in words. */
function onlyIn({ git, unpushed }: RepoSnapshot): string[] {
  if (git === null) return [];
  return [
    ...(git.changes.length > 0 ? [count(git.changes.length, "uncommitted file")] : []),
    ...(unpushed > 0 ? [count(unpushed, "unpushed commit")] : []),
    ...(git.stashes > 0 ? [count(git.stashes, "stash", "stashes")] : []),
  ];
}

async function plan(
  ctx: CommandContext,
  name: string,
): Promise<{ edit: ManifestEdit; facts: RemoveFacts }> {
  const standing = await requireRepo(ctx, name);
  const { repo, workspace, state } = standing;
  refuseTracked(standing);
  const edit = await editManifest(
    ctx,
    `remove "${name}"`,
    (text, { withoutRepo }) => withoutRepo(text, repo.name),
  );
  const [snapshot] = workspace === null
    ? []
    : await inspectRepos(ctx, { workspace, repos: [repo], state });
  const there = snapshot !== undefined && !snapshot.missing && workspace !== null;
  return {
    edit,
    facts: {
      name: repo.name,
      again: addCommand(repo),
      ...editFacts(edit),
      clone: there ? join(workspace, repo.path) : null,
      only_there: there ? onlyIn(snapshot) : [],
    },
  };
}

/** What becomes of the clone, and how it goes for good. */
function leaving({ clone, only_there }: Pick<RemoveFacts, "clone" | "only_there">): string[] {
  if (clone === null) return [];
  const work = only_there.length === 0 ? "" : `, with ${list(only_there)} that only it has`;
  return [`Leave the clone where it is${work}: ${clone}`];
}

/** `amof repo remove`. */
export const removeRepo = mutation({
  name: "amof_remove_repo",
  path: ["repo", "remove"],
  toolset: "ecosystem",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "simple",
  asks: { deed: "remove", will: "take a repository out of the manifest" },
  runs: "remove_repo",
  inline: true,
  locks: "ecosystem",
  title: "Remove repository",
  summary: "Take a repository out of the manifest; its clone and its remote stay as they are.",
  description:
    "Edits ecosystem.yaml and nothing else: the entry goes, and what names it in groups, dependencies and tasks. A repository that a ticket works on is refused.",
  positionals: ["name"],
  next: ["get_ecosystem_status"],
  examples: ["repo remove billing", "repo remove billing --dry-run"],
  input: (z) => ({ name: z.string().min(1).describe("Name of the repository") }),
  async preview(ctx, input) {
    const { edit, facts } = await plan(ctx, input.name);
    return {
      facts,
      summary: `Would remove ${facts.name} from ${ctx.ecosystem}.`,
      effects: [`Edit ${edit.file}`, ...leaving(facts)],
      details: blocks(patch(edit.diff.trimEnd()), leaving(facts)),
      current: `${ctx.ecosystem} has ${edit.manifest.repos.length + 1} repositories`,
      alternatives: [
        `Leave it out for a while: write "enabled: false" below ${facts.name} in ${edit.file}`,
      ],
    };
  },
  undo: {
    irreversible: ({ again }) => `the edit of the manifest; add the repository again: ${again}`,
  },
  async execute(ctx, input) {
    const { edit, facts } = await plan(ctx, input.name);
    await ctx.perform([editStep(ctx.root, edit)]);
    const { name, clone, only_there } = facts;
    return { data: { name, file: edit.file, diff: edit.diff, clone, only_there } };
  },
  render: ({ name, file, diff, clone, only_there }) => ({
    summary: `Removed ${name}.`,
    details: blocks(
      patch(diff.trimEnd()),
      [
        ...(clone === null ? [] : [
          only_there.length === 0
            ? `Its clone is still there; look before you delete it: git -C ${
              shellWord(clone)
            } log --branches --not --remotes`
            : `⚠ Its clone is still there, with ${list(only_there)} that only it has: ${clone}`,
        ]),
        ...committing(file, `Remove ${name}`),
      ],
    ),
  }),
});
