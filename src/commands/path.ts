/**
 * `amof path`: where a repository or the workspace lies, for scripts, and where its page is (LOOK-4).
 *
 * Costs one git process in all.
 */

import { AmofError } from "../base/error.ts";
import { query } from "../contract/mod.ts";
import { webPage } from "../git/changing.ts";
import { maskSecrets } from "../base/text/mask.ts";
import { chosen } from "./selection/mod.ts";
import { repoDirectory } from "../workspace/mod.ts";

interface PathData {
  /** Null for the workspace. */
  readonly repo: string | null;
  /** Absolute. */
  readonly directory: string;
  /** Where the repository is cloned from, without credentials; null for the workspace. */
  readonly url: string | null;
  /** Its page in a browser, or null where none is known. */
  readonly web: string | null;
}

/** `amof path`. */
export const path = query({
  name: "amof_get_repo_path",
  path: ["path"],
  toolset: "ecosystem",
  scope: "ecosystem",
  mcp: "asked for",
  needs: "a workspace",
  inTicket: "its workspace",
  bare: "value",
  next: [],
  title: "Repository path",
  summary: "Show the directory of a repository, or of the workspace, and its web page.",
  description:
    'Prints the directory and nothing else, for scripts: cd "$(amof path api)". With --json also the URL it is cloned from and the address of its page. A shell gets acd, which goes there, from: amof shell-init SHELL.',
  positionals: ["repo"],
  examples: ["path api", "path", "path api --json"],
  fields: ["repo", "directory", "url", "web"],
  input: (z) => ({
    repo: z.string().min(1).optional().describe("The repository; the workspace without one"),
  }),
  async run(ctx, input): Promise<{ data: PathData }> {
    const { repo: name } = input;
    const { manifest, workspace: { directory }, repos } = await chosen(
      ctx,
      name === undefined ? {} : { repos: [name] },
    );
    if (name === undefined) return { data: { repo: null, directory, url: null, web: null } };
    const [repo, second] = repos;
    if (repo === undefined || second !== undefined) {
      throw new AmofError("invalid_arguments", "Cannot show the way to more than one repository", {
        hint: "Name one repository: amof path REPO",
      });
    }
    const place = await repoDirectory(ctx.system, directory, repo);
    if ((await ctx.system.files.stat(place))?.kind !== "directory") {
      throw new AmofError(
        "repo_not_found",
        `Cannot find the clone of "${repo.name}": ${place} is not there`,
        {
          hint: `Clone what is missing: amof -e ${manifest.name} sync`,
          details: { repo: repo.name, path: repo.path },
        },
      );
    }
    return {
      data: {
        repo: repo.name,
        directory: place,
        url: maskSecrets(repo.url),
        web: webPage(repo.url),
      },
    };
  },
  render: (data: PathData) => ({
    summary: data.repo === null ? "Found the workspace." : `Found the clone of ${data.repo}.`,
    details: data.directory,
  }),
});
