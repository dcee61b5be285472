/**
 * `amof ecosystem describe`: what an ecosystem consists of (WORKSPACE-5).
 *
 * Starts one git process, to tell whether it is installed.
 */

import { query } from "../../contract/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues, table } from "../../base/text/table.ts";
import { count, list } from "../../base/text/words.ts";
import {
  groupsText,
  loadManifest,
  type Manifest,
  type Repo,
} from "../../workspace/manifest/mod.ts";
import { isInstalled } from "../../workspace/mod.ts";
import { ticketWorkspaces } from "../../workspace/tickets/mod.ts";
import { countMarkdown } from "./list.ts";

/** What an ecosystem consists of. */
export interface Described {
  readonly name: string;
  readonly path: string;
  readonly description: string;
  readonly repos: readonly (
    & Pick<Repo, "name" | "url" | "branch" | "path" | "clone" | "readonly" | "enabled" | "tags">
    & { readonly depends_on: readonly string[] }
  )[];
  readonly groups: Manifest["groups"];
  readonly repos_count: number;
  readonly kb_files_count: number;
  readonly journal_files_count: number;
  /** When the code was indexed; this program does not index. */
  readonly last_index_time: null;
  readonly provisioner: string | null;
  readonly branch_prefix: string;
  readonly installed: boolean;
  /** The workspace, relative to the control repository. */
  readonly worktree: string;
  readonly workspace_branch: string;
  /** Tickets with workspaces of their own, each relative to the control repository. */
  readonly ticket_workspaces: readonly { readonly ticket_id: string; readonly workspace: string }[];
}

/** `amof ecosystem describe`. */
export const describeEcosystem = query({
  name: "amof_describe_ecosystem",
  path: ["ecosystem", "describe"],
  inTicket: "no workspace",
  toolset: "ecosystem",
  scope: "ecosystem",
  next: "described",
  title: "Describe ecosystem",
  summary: "Describe an ecosystem: repositories, provisioner, workspace.",
  positionals: ["ecosystem"],
  examples: ["ecosystem describe", "ecosystem describe demo --json"],
  input: () => ({}),
  async run(ctx) {
    const { system, root, ecosystem } = ctx;
    const manifest = await loadManifest(system, root, ecosystem);
    return {
      data: {
        name: manifest.name,
        path: `ecosystems/${manifest.name}`,
        description: manifest.description,
        repos: manifest.repos.map((
          { name, url, branch, path, clone, readonly, enabled, tags, dependsOn },
        ) => ({
          name,
          url: maskSecrets(url),
          branch,
          path,
          clone,
          readonly,
          enabled,
          tags,
          depends_on: dependsOn,
        })),
        groups: manifest.groups,
        repos_count: manifest.repos.length,
        kb_files_count: await countMarkdown(system, root, ecosystem, "kb"),
        journal_files_count: await countMarkdown(system, root, ecosystem, "journal"),
        last_index_time: null,
        provisioner: manifest.provisioner,
        branch_prefix: manifest.featurePrefix,
        installed: isInstalled(await ctx.git.at(root).worktrees.linked(), root, manifest),
        worktree: manifest.workspaceDir,
        workspace_branch: manifest.workspaceBranch,
        ticket_workspaces: (await ticketWorkspaces(system, root, manifest)).map(({ id }) => ({
          ticket_id: id,
          workspace: `${manifest.workspaceDir}@${id}`,
        })),
      },
    };
  },
  render: (data: Described) => {
    const tagged = data.repos.some((repo) => repo.tags.length > 0);
    return {
      summary: `Described ${data.name}: ${count(data.repos_count, "repo")}, ${
        data.installed ? "installed" : "not installed"
      }.`,
      details: [
        keyValues([
          ["Description", cleanLine(data.description, 200)],
          ["Path", data.path],
          ["Workspace", `${data.worktree} (${data.workspace_branch})`],
          [
            "Tickets' own",
            list(data.ticket_workspaces.map(({ workspace }) => workspace)) || null,
          ],
          ["Feature branches", `${data.branch_prefix}/<ticket>`],
          ["Provisioner", data.provisioner],
          ["Groups", groupsText(data.groups)],
          ["Notes", `${data.kb_files_count} kb, ${data.journal_files_count} journal`],
        ]),
        ...(data.repos.length === 0 ? [] : [
          "",
          table(
            ["repo", "mode", "branch", ...(tagged ? ["tags"] : []), "url"],
            data.repos.map((repo) => [
              repo.enabled ? repo.name : `${repo.name} (disabled)`,
              repo.readonly ? "RO" : "RW",
              repo.branch,
              ...(tagged ? [repo.tags.join(", ")] : []),
              cleanLine(repo.url, 100),
            ]),
          ),
        ]),
      ],
    };
  },
});
