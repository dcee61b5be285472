/** What a repository needs whose upstream has commits that are not here, or whose work git sends elsewhere. */

import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import type { RepoSnapshot } from "../../workspace/clones/mod.ts";
import { type WorkspaceState } from "../../workspace/mod.ts";
import { atRemote, keepOn, partingWords, pullThere, putAway, switchThere } from "./clone.ts";
import { rebaseCommand } from "./command_lines.ts";
import { type Need, syncOf } from "./head.ts";

type News = Pick<
  RepoSnapshot,
  | "repo"
  | "directory"
  | "expectedBranch"
  | "git"
  | "inProgress"
  | "parting"
  | "remoteBase"
  | "barred"
  | "address"
  | "behindBase"
>;

/** What it takes to bring news of its upstream in, past new files that are in the way of them. */
export function remoteNeeds(seen: News, state: WorkspaceState | null): Need[] {
  const { directory, git, parting, barred } = seen;
  const isPushed = parting !== null && typeof parting === "object" && !parting.isBase;
  if (git === null || barred.length === 0 || isPushed || parting === "unfetched") {
    return newsNeeds(seen, state);
  }
  const { branch, head } = git;
  return newsNeeds(seen, state).map(({ problem, fix }) => {
    const has = `${problem}, which has ${cleanLine(few(barred, 3), 200)}, too`;
    if (head !== null || branch === null) {
      return {
        problem: `${has}: put away first; git stash show --include-untracked has it`,
        fix: `${putAway(directory, barred)}\n${fix}`,
      };
    }
    const aside = `kept-${branch}`;
    const there = { ref: `origin/${branch}`, tracks: true };
    const back = switchThere({ ...seen, expectedBranch: branch, expectedFrom: there });
    return {
      problem: `${has}: kept on ${cleanLine(aside, 60)} first`,
      fix: `${keepOn(directory, aside, barred)}\n${back}`,
    };
  });
}

/** A base branch that its remote has no more: its new name for the manifest, or what asks the remote for it. */
export function baseNeeds(
  { repo, baseGone, baseNow }: Pick<RepoSnapshot, "repo" | "baseGone" | "baseNow">,
  state: WorkspaceState | null,
): Need[] {
  if (!baseGone) return [];
  const problem = `its remote has no branch ${cleanLine(repo.branch, 60)} any more`;
  return baseNow === null ? [{ problem, fix: syncOf([repo.name], state) }] : [{
    problem: `${problem}; its default branch is ${cleanLine(baseNow, 60)}`,
    fix: rebaseCommand(repo.name, baseNow),
  }];
}

/** Where work goes that a push leaves alone, as git by itself would send it to another remote than `origin`. */
export function boundNeeds(
  { repo, directory, git, inProgress, unpushed, merged, pushesTo }: Pick<
    RepoSnapshot,
    "repo" | "directory" | "git" | "inProgress" | "unpushed" | "merged" | "pushesTo"
  >,
): Need[] {
  const branch = git?.branch ?? null;
  if (git === null || branch === null || pushesTo === null || inProgress !== null) return [];
  const commits = unpushed > 0 && merged === null;
  // Changes on a base branch are for a ticket first.
  const changed = git.changes.length > 0 && branch !== repo.branch;
  if (repo.readonly || !commits && !changed) return [];
  const at = `git -C ${shellWord(directory)}`;
  return [{
    problem: `git by itself pushes it to ${cleanLine(pushesTo, 60)}, not to origin`,
    fix: [
      ...(changed ? [`amof commit --repo ${repo.name}`] : []),
      `${at} push ${shellWord(pushesTo)} ${shellWord(branch)}`,
    ].join("\n"),
  }, {
    problem: "or let it go to origin",
    fix: `${at} config ${shellWord(`branch.${branch}.pushRemote`)} origin`,
  }];
}

function newsNeeds(
  { repo, directory, expectedBranch, git, inProgress, parting, remoteBase, address, behindBase }:
    News,
  state: WorkspaceState | null,
): Need[] {
  const [ahead, behind] = [git?.ahead ?? 0, git?.behind ?? 0];
  // Of a history that is cut off nobody knows by how much they are apart.
  const isCut = parting === "cut";
  if (git === null || inProgress !== null) return [];
  if (behindBase === null && behind === 0 && git.branch === expectedBranch && git.head !== null) {
    const names = { branch: git.branch, head: git.head, upstream: remoteBase };
    const { note: problem, fix } = partingWords("cut", { directory, ...names });
    return [{ problem, fix }];
  }
  if (behind === 0 && !isCut) return [];
  if (parting === "unfetched") {
    const problem = "nothing was fetched since the address of its origin changed";
    return [{ problem, fix: syncOf([repo.name], state) }];
  }
  const changed = git.changes.length > 0;
  const { branch, head } = git;
  // A base branch that follows nothing is compared with its remote all the same.
  const upstream = git.upstream ?? `origin/${branch}`;
  // Any other name may be that of a local branch.
  const isNamed = upstream.startsWith("origin/") || upstream === remoteBase;
  const from = isNamed ? atRemote(upstream) : null;
  if (ahead > 0 || isCut) {
    const problem = `${ahead} ahead of ${cleanLine(upstream)} and ${behind} behind`;
    if (parting === null || branch === null || head === null) {
      return [{ problem, fix: pullThere(directory, from) }];
    }
    const { note, fix } = partingWords(parting, { directory, branch, head, upstream, changed });
    return [{ problem: isCut ? note : `${problem}: ${note}`, fix }];
  }
  const problem = `${count(behind, "commit")} behind ${cleanLine(upstream)}`;
  // Where it follows another branch than its own, as one that git was told, it goes by that alone.
  const followed = branch === repo.branch ? remoteBase : `origin/${expectedBranch}`;
  return branch !== null && [repo.branch, expectedBranch].includes(branch) &&
      upstream === followed && !changed && address === null
    ? [{ problem, fix: syncOf([repo.name], state) }]
    : [{ problem, fix: pullThere(directory, from, "--ff-only") }];
}
