/** `amof manifest show`: the manifest with every default filled in (WORKSPACE-5). */

import { query } from "../../contract/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { keyValues, table } from "../../base/text/table.ts";
import { groupsText, loadManifest, manifestFile, type Repo } from "../../workspace/manifest/mod.ts";

type ShownRepo = Omit<Repo, "branchGiven" | "mirrored">;

/** The columns that only some manifests have. */
function relations(repos: readonly ShownRepo[]) {
  const tags = repos.some((repo) => repo.tags.length > 0);
  const needs = repos.some((repo) => repo.dependsOn.length > 0);
  return {
    titles: [...tags ? ["tags"] : [], ...needs ? ["depends on"] : []],
    cells: (repo: ShownRepo) => [
      ...tags ? [repo.tags.join(", ")] : [],
      ...needs ? [repo.dependsOn.join(", ")] : [],
    ],
  };
}

/** `amof manifest show`. */
export const showManifest = query({
  name: "amof_show_manifest",
  path: ["manifest", "show"],
  inTicket: "no workspace",
  mcp: "never",
  toolset: "ecosystem",
  scope: "ecosystem",
  title: "Show manifest",
  summary: "Show ecosystem.yaml as it is understood, with every default filled in.",
  examples: ["manifest show", "-e demo manifest show --json"],
  input: () => ({}),
  async run(ctx) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const repos = manifest.repos.map(({ branchGiven: _, mirrored: _shared, ...repo }) => ({
      ...repo,
      url: maskSecrets(repo.url),
    }));
    return { data: { file: manifestFile(ctx.ecosystem), manifest: { ...manifest, repos } } };
  },
  render: ({ file, manifest }) => ({
    summary: `Read ${file}.`,
    details: [
      keyValues([
        ["Name", manifest.name],
        ["Description", manifest.description],
        ["Workspace", `${manifest.workspaceDir} on ${manifest.workspaceBranch}`],
        ["Feature branches", `${manifest.featurePrefix}/<ticket>`],
        ["Provisioner", manifest.provisioner],
        ["Retired", manifest.retired ? "yes" : null],
        ["Guardrails", manifest.noTouchPaths.join(", ")],
        ["Groups", groupsText(manifest.groups)],
      ]),
      ...(manifest.repos.length === 0 ? [] : [
        "",
        table(
          ["repo", "mode", "enabled", "branch", "path", "url", ...relations(manifest.repos).titles],
          manifest.repos.map((repo) => [
            repo.name,
            repo.readonly ? "RO" : "RW",
            repo.enabled ? "yes" : "no",
            repo.branch,
            repo.path,
            repo.url,
            ...relations(manifest.repos).cells(repo),
          ]),
        ),
      ]),
    ],
  }),
});
