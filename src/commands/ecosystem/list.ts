/**
 * `amof ecosystem list`: every ecosystem of the control repository with its counts (WORKSPACE-2).
 *
 * Starts one git process in all, to tell which ecosystems are installed.
 */

import { join } from "@std/path";
import { query } from "../../contract/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";
import { checkManifest, ecosystemNames } from "../../workspace/manifest/mod.ts";
import { isInstalled } from "../../workspace/mod.ts";
import { ticketWorkspaces } from "../../workspace/tickets/mod.ts";

/** How many Markdown files lie directly in a directory of an ecosystem. */
export async function countMarkdown(
  system: System,
  root: string,
  name: string,
  directory: string,
): Promise<number> {
  const entries = await system.files.list(join(root, "ecosystems", name, directory));
  return entries.filter((entry) => entry.kind === "file" && entry.name.endsWith(".md")).length;
}

interface ListedEcosystem {
  readonly name: string;
  /** Relative to the control repository. */
  readonly path: string;
  readonly description: string;
  readonly repos_count: number;
  readonly repos: readonly string[];
  readonly kb_files_count: number;
  readonly journal_files_count: number;
  readonly active_tasks: number;
  readonly provisioner: string | null;
  readonly retired: boolean;
  readonly valid: boolean;
  readonly installed: boolean;
  /** Tickets with workspaces of their own. */
  readonly ticket_workspaces: readonly string[];
}

/** The ecosystems of a control repository. */
export interface EcosystemList {
  readonly ecosystems: readonly ListedEcosystem[];
}

/** `amof ecosystem list`. */
export const listEcosystems = query({
  name: "amof_list_ecosystems",
  path: ["ecosystem", "list"],
  toolset: "ecosystem",
  scope: "global",
  next: "ecosystems",
  title: "List ecosystems",
  summary: "List the ecosystems with their repositories and active runs.",
  examples: ["ecosystem list", "ecosystem list --include-retired --json"],
  pages: { member: "ecosystems", key: "name" },
  fields: [
    "ecosystems",
    "ecosystems.name",
    "ecosystems.path",
    "ecosystems.description",
    "ecosystems.repos_count",
    "ecosystems.repos",
    "ecosystems.installed",
    "ecosystems.ticket_workspaces",
    "ecosystems.active_tasks",
    "ecosystems.provisioner",
    "ecosystems.retired",
    "ecosystems.valid",
  ],
  input: (z) => ({
    include_retired: z.boolean().default(false).describe("Also retired ones"),
  }),
  async run(ctx, input) {
    const { system, root } = ctx;
    const worktrees = await ctx.git.at(root).worktrees.linked();
    const active = (await ctx.store()).runs.activeCounts(root);
    const ecosystems: ListedEcosystem[] = [];
    for (const name of await ecosystemNames(system, root)) {
      const { manifest } = await checkManifest(system, root, name);
      if (manifest?.retired && !input.include_retired) continue;
      ecosystems.push({
        name,
        path: `ecosystems/${name}`,
        description: manifest?.description ?? "",
        repos_count: manifest?.repos.length ?? 0,
        repos: manifest?.repos.map((repo) => repo.name) ?? [],
        kb_files_count: await countMarkdown(system, root, name, "kb"),
        journal_files_count: await countMarkdown(system, root, name, "journal"),
        active_tasks: active.get(name) ?? 0,
        provisioner: manifest?.provisioner ?? null,
        retired: manifest?.retired ?? false,
        valid: manifest !== null,
        installed: manifest !== null && isInstalled(worktrees, root, manifest),
        ticket_workspaces: manifest === null
          ? []
          : (await ticketWorkspaces(system, root, manifest)).map(({ id }) => id),
      });
    }
    return { data: { ecosystems } };
  },
  render: (data: EcosystemList) => ({
    summary: data.ecosystems.length === 0
      ? "Found no ecosystems."
      : `Found ${count(data.ecosystems.length, "ecosystem")}.`,
    details: data.ecosystems.length === 0 ? "Create one with: amof ecosystem create NAME" : table(
      ["name", "repos", "installed", "runs", "kb", "journal", "description"],
      data.ecosystems.map((entry) => [
        entry.name,
        entry.repos_count,
        entry.valid ? entry.installed ? "yes" : "no" : "INVALID",
        entry.active_tasks,
        entry.kb_files_count,
        entry.journal_files_count,
        cleanLine(entry.retired ? `(retired) ${entry.description}` : entry.description, 60),
      ]),
    ),
  }),
});
