/**
 * `remote set`: where the config repo is shared (PACK-54).
 *
 * @module
 */

import { gitSourceProblem } from "../config/config.ts";
import { type Act, declare, members } from "../declare/command.ts";
import { argument, text } from "../declare/option.ts";
import { shownPath } from "../declare/show.ts";
import { AgentpackError } from "../error.ts";
import { posix } from "../io.ts";
import { type Answer, viaGit } from "../pack.ts";
import { requireRepo } from "./sync.ts";

/** `data` of `remote set`. */
export interface RemoteData {
  readonly repo: string;
  readonly repo_posix: string;
  readonly remote: string;
  readonly url: string;
}

/** Sets the URL of a remote of the config repo. Throws `E_GIT_REPO_REQUIRED`. */
async function setRemote(
  { pack, home }: Act,
  { url, name }: { readonly url: string; readonly name: string },
): Promise<Answer<RemoteData>> {
  await requireRepo(pack, "remote set", home.repo);
  await viaGit(home.repo, () => pack.git.at(home.repo).remotes.set(name, url));
  return {
    data: { repo: home.repo, repo_posix: posix(home.repo), remote: name, url },
    warnings: [],
  };
}

/** `remote set`. */
export const remoteSet = declare({
  path: ["remote", "set"],
  summary: "Say where the config repo is shared.",
  options: {
    url: argument({ help: "The URL of a git repository" }),
    name: text({ help: "The remote (origin)", value: "NAME" }),
  },
  examples: ["remote set git@git.example.org:team/agentpack.git"],
  changes: { asks: "first" },
  prepare(_, { url, name = "origin" }) {
    const problem = gitSourceProblem({ url, ref: "main", subdir: "" }) ??
      (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) ? null : "its name is none");
    if (problem === null) return Promise.resolve({ url, name });
    throw new AgentpackError("E_USAGE", `Cannot use the remote: ${problem}`);
  },
  act: (call, _, remote) => setRemote(call, remote),
  answers: members<RemoteData>("repo", "repo_posix", "remote", "url"),
  render: ({ data }) => `${data.remote} is ${shownPath(data.url)}`,
});
