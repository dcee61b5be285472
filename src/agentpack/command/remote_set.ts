/**
 * `remote set`: where the config repo is shared (PACK-54).
 *
 * @module
 */

import { gitSourceProblem } from "../config/config.ts";
import { declare } from "../declare/command.ts";
import { argument, text } from "../declare/option.ts";
import { shownPath } from "../declare/show.ts";
import { withHomeLock } from "../engine/lock.ts";
import { AgentpackError } from "../error.ts";
import { homeOf } from "../identity/home.ts";
import { posix } from "../io.ts";
import { type Answer, type Pack, type Selection, viaGit } from "../pack.ts";
import { requireRepo } from "./sync.ts";

/** `data` of `remote set`. */
export interface RemoteData {
  readonly repo: string;
  readonly repo_posix: string;
  readonly remote: string;
  readonly url: string;
}

/** Sets the URL of a remote of the config repo. Throws `E_GIT_REPO_REQUIRED`, `E_USAGE`. */
export async function remoteSet(
  pack: Pack,
  selection: Selection,
  options: { readonly url: string; readonly name: string },
): Promise<Answer<RemoteData>> {
  const home = homeOf(pack.system.env, selection.repo);
  const { url, name } = options;
  const problem = gitSourceProblem({ url, ref: "main", subdir: "" }) ??
    (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) ? null : "its name is none");
  if (problem !== null) throw new AgentpackError("E_USAGE", `Cannot use the remote: ${problem}`);
  return await withHomeLock(pack.system, home, async (held) => {
    await requireRepo(pack, "remote set", home.repo);
    await viaGit(home.repo, () => pack.git.remotes.set(home.repo, name, url));
    return {
      data: { repo: home.repo, repo_posix: posix(home.repo), remote: name, url },
      warnings: held.warnings,
    };
  });
}

/** `remote set`. */
export const remoteSetCommand = declare({
  path: ["remote", "set"],
  summary: "Say where the config repo is shared.",
  options: {
    url: argument({ help: "The URL of a git repository" }),
    name: text({ help: "The remote (origin)", value: "NAME" }),
  },
  examples: ["remote set git@git.example.org:team/agentpack.git"],
  changes: () => ({ id: "remote set", asks: "first" }),
  run: ({ pack, selection }, { url, name }) =>
    remoteSet(pack, selection, { url, name: name ?? "origin" }),
  render: ({ data }) => `${data.remote} is ${shownPath(data.url)}`,
});
