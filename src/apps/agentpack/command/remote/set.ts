/** `remote set`: where the config repo is shared (PACK-54). */

import { gitSourceProblem } from "../../config/config.ts";
import { type Act, argument, declare, type Look, members, text } from "../../declare/command.ts";
import { maskSecrets } from "../../../../base/text/mask.ts";
import { shownPath } from "../../declare/show.ts";
import { AgentpackError } from "../../error.ts";
import { type Twins, withPosix } from "../../io.ts";
import { type Answer, viaGit } from "../../pack.ts";
import { requireRepo } from "../sync.ts";

/** `data` of `remote set`. */
interface RemoteData extends Twins<"repo"> {
  readonly remote: string;
  readonly url: string;
  /** Present in a dry run: where it leads now, null where there is none. */
  readonly previous?: string | null;
}

/** What would be set. Throws `E_GIT_REPO_REQUIRED`. */
async function planRemote(
  { pack, home }: Look,
  { url, name }: { readonly url: string; readonly name: string },
): Promise<Answer<RemoteData>> {
  await requireRepo(pack, "remote set", home.repo);
  const before = await pack.git.at(home.repo).remotes.url(name);
  const previous = before === null ? null : maskSecrets(before);
  const { repo } = home;
  return {
    data: { ...withPosix("repo", repo), remote: name, url, previous },
    warnings: [],
  };
}

/** Sets the URL of a remote of the config repo. Throws `E_GIT_REPO_REQUIRED`. */
async function setRemote(
  call: Act,
  { url, name }: { readonly url: string; readonly name: string },
): Promise<Answer<RemoteData>> {
  const { pack, home } = call;
  await call.approve((await planRemote(call, { url, name })).data);
  await viaGit(home.repo, () => pack.git.at(home.repo).remotes.set(name, url));
  return {
    data: { ...withPosix("repo", home.repo), remote: name, url },
    warnings: [],
  };
}

/** Refuses what git could misread. Throws `E_USAGE`. */
function checked(
  { url, name = "origin" }: { readonly url: string; readonly name: string | undefined },
): { readonly url: string; readonly name: string } {
  const problem = gitSourceProblem({ url, ref: "main", subdir: "" }) ??
    (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) ? null : "its name is none");
  if (problem === null) return { url, name };
  throw new AgentpackError("E_USAGE", `Cannot use the remote: ${problem}`);
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
  look: (call, input) => planRemote(call, checked(input)),
  prepare: (_, input) => Promise.resolve(checked(input)),
  act: (call, _, remote) => setRemote(call, remote),
  answers: members<RemoteData>("repo", "repo_posix", "remote", "url", "previous"),
  render: ({ data: { remote, url, previous } }) => {
    const shown = shownPath(maskSecrets(url));
    if (previous === undefined) return `${remote} is ${shown}`;
    const now = previous === null ? "there is none yet" : `it is ${shownPath(previous)} now`;
    return `${remote} would be ${shown}; ${now}`;
  },
});
