/**
 * `amof manifest show`: the manifest with every default filled in (WORKSPACE-5).
 *
 * @module
 */

import { query } from "../contract/mod.ts";
import { maskSecrets } from "../text/mask.ts";
import { keyValues, table } from "../text/table.ts";
import { loadManifest, type Manifest, manifestFile } from "../workspace/mod.ts";

interface ShowData {
  readonly file: string;
  readonly manifest: Manifest;
}

/** `amof manifest show`. */
export const showManifest = query({
  name: "amof_show_manifest",
  path: ["manifest", "show"],
  only: "cli",
  toolset: "ecosystem",
  scope: "ecosystem",
  title: "Show manifest",
  summary: "Show ecosystem.yaml as it is understood, with every default filled in.",
  examples: ["manifest show", "-e demo manifest show --json"],
  input: (z) => z.strictObject({}),
  async run(ctx) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const repos = manifest.repos.map((repo) => ({ ...repo, url: maskSecrets(repo.url) }));
    return { data: { file: manifestFile(ctx.ecosystem), manifest: { ...manifest, repos } } };
  },
  render: ({ file, manifest }: ShowData) => ({
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
      ]),
      ...(manifest.repos.length === 0 ? [] : [
        "",
        table(
          ["repo", "mode", "enabled", "branch", "path", "url"],
          manifest.repos.map((repo) => [
            repo.name,
            repo.readonly ? "RO" : "RW",
            repo.enabled ? "yes" : "no",
            repo.branch,
            repo.path,
            repo.url,
          ]),
        ),
      ]),
    ],
  }),
});
