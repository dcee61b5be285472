/** What files, clones, submodules and put-away changes in a repository need, with the command for just that. */

import { join } from "@std/path";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import type { RepoSnapshot } from "../../workspace/clones/mod.ts";
import { newSecrets, type WorkspaceState } from "../../workspace/mod.ts";
import { fileNames } from "./clone.ts";
import { giveBackCommand, newTicketOf } from "./command_lines.ts";
import { basesOfTickets, isBaseBranch, type StrayKept } from "../../workspace/tickets/mod.ts";
import { shortSha } from "../../base/ids.ts";
import type { Need } from "./head.ts";

type Inside = Pick<
  RepoSnapshot,
  "repo" | "directory" | "git" | "absent" | "unsent" | "nested" | "former"
>;

/** The line that makes git leave paths of a clone alone, also where the file does not end with a line feed. */
function ignoring(directory: string, paths: readonly string[]): string {
  return `printf '%s\\n' '' ${paths.map((path) => shellWord(`/${path}`)).join(" ")} >> ${
    shellWord(join(directory, ".gitignore"))
  }`;
}

/** New files that look secret: a push that commits would leave the repository out for them. */
export function secretNeeds({ repo, directory, git }: Inside, at: string): Need[] {
  const secrets = repo.readonly ? [] : newSecrets(git?.changes ?? []);
  if (secrets.length === 0) return [];
  const added = (git?.changes ?? []).filter(({ path, code }) =>
    code !== "??" && secrets.includes(path)
  );
  return [{
    problem: `${count(secrets.length, "new file looks", "new files look")} secret: ${
      few(secrets.map((path) => cleanLine(path, 80)), 3)
    }`,
    fix: added.length > 0
      ? `${at} rm --cached -- ${added.map(({ path }) => shellWord(path)).join(" ")}`
      : ignoring(directory, secrets),
  }];
}

/** Repositories inside it that are no submodules: a commit is held back for them. */
export function nestedNeeds(
  { repo, directory, git, nested: all, former }: Pick<
    Inside,
    "repo" | "directory" | "git" | "nested" | "former"
  >,
): Need[] {
  const at = `git -C ${shellWord(directory)}`;
  const gone = former.map((path) => ({
    problem: `${
      cleanLine(path, 80)
    } is a submodule no longer; what is committed or put away there stays in .git`,
    fix: `git -C ${
      shellWord(join(directory, path))
    } stash push --include-untracked\n${at} clean -ffd -- ${fileNames([path])}`,
  }));
  const nested = all.filter((path) => !former.includes(path));
  if (repo.readonly || nested.length === 0) return gone;
  const added = (git?.changes ?? []).filter(({ path, code }) =>
    code !== "??" && nested.includes(path)
  );
  return [...gone, {
    problem: `${
      nested.length === 1
        ? "a repository in it is no submodule"
        : "repositories in it are no submodules"
    }, so nothing is committed: ${few(nested.map((path) => cleanLine(path, 80)), 3)}`,
    fix: added.length > 0
      ? `${at} rm --cached -- ${added.map(({ path }) => shellWord(path)).join(" ")}`
      : ignoring(directory, nested.map((path) => `${path}/`)),
  }];
}

/**
 * The command that sends the commits of a submodule to a branch of the same name as that of the repository. No base
 * branch of a submodule takes what nobody has looked at: where the repository is on one, a ticket comes first.
 */
export function pushSubmodule(
  directory: string,
  { repo, branch, head, perTicket = false }: {
    readonly repo: { readonly name: string; readonly branch: string };
    readonly branch: string | null;
    readonly head: string | null;
    /** Whether new tickets get workspaces of their own, into which commits do not go along. */
    readonly perTicket?: boolean;
  },
  state: WorkspaceState | null,
): string {
  const isBase = branch === repo.branch ||
    branch !== null && isBaseBranch(state, repo, branch) &&
      !basesOfTickets(state, repo).has(branch);
  const id = state?.active_ticket ?? null;
  if (isBase && head !== null && id === null) {
    return `${newTicketOf(repo.name)}${perTicket ? " --in-place" : ""}`;
  }
  if (isBase && id !== null && !Object.hasOwn(state?.tickets[id]?.repos ?? {}, repo.name)) {
    return `amof ticket add ${shellWord(id)} --repo ${repo.name}`;
  }
  const name = branch === null || isBase ? `kept-${shortSha(head)}` : branch;
  return `git -C ${shellWord(directory)} push origin ${shellWord(`HEAD:refs/heads/${name}`)}`;
}

/** Whoever wants a repository without its submodules says so, and is told no more. */
export const UNASKED = " (submodules: true or false in the manifest says whether they come along)";

/** Submodules that are not as the repository names them. */
export function submoduleNeeds(
  { repo, git, absent, unsent, directory }: Inside,
  at: string,
  { state, perTicket }: { readonly state: WorkspaceState | null; readonly perTicket: boolean },
): Need[] {
  const late = (git?.submodules ?? []).filter(({ outOfStep }) => outOfStep).map(({ path }) => path);
  const need = (paths: readonly string[], what: string): Need[] =>
    paths.length === 0 ? [] : [{
      problem: `${paths.length === 1 ? "a submodule is" : "submodules are"} ${what}: ${
        few(paths.map((path) => cleanLine(path, 80)), 3)
      }`,
      fix: `${at} submodule update --init --recursive -- ${paths.map(shellWord).join(" ")}`,
    }];
  const edited = (git?.submodules ?? []).filter(({ modified }) => modified);
  return [
    ...need(absent, `not checked out${repo.submodules ? "" : UNASKED}`),
    ...need(late, "left at another commit than the repository names"),
    ...unsent.map((path) => ({
      problem: `commits of a submodule are on none of its remotes, and a push waits for them: ${
        cleanLine(path, 80)
      }`,
      fix: pushSubmodule(
        join(directory, path),
        { repo, branch: git?.branch ?? null, head: git?.head ?? null, perTicket },
        state,
      ),
    })),
    ...edited.map(({ path }) => ({
      problem: `changes in a submodule, where alone they can be committed: ${cleanLine(path, 80)}`,
      fix: `git -C ${shellWord(join(directory, path))} commit --all`,
    })),
  ];
}

type Kept = Pick<RepoSnapshot, "repo" | "directory" | "git" | "inProgress">;

/** Of so many branches it is said that changes of theirs are put away. */
const MOST = 3;

/** Changes of the active ticket that were put away, and could not be given back so far. */
export function keptNeeds(
  { repo, inProgress }: Kept,
  state: WorkspaceState | null,
  kept: string | null,
): Need[] {
  return kept === null || inProgress !== null ? [] : [{
    problem: `changes of the ticket are put away as ${kept}`,
    fix: giveBackCommand(repo.name, state),
  }];
}

/** Changes that were put away on a branch of no ticket, to which they go back. */
export function astrayNeeds(
  { directory, git, inProgress }: Kept,
  astray: readonly StrayKept[],
): Need[] {
  const at = `git -C ${shellWord(directory)}`;
  // Nobody goes there with other changes, which would go along.
  const isBusy = inProgress !== null || (git?.changes.length ?? 0) > 0;
  return astray.slice(0, MOST).map(({ branch, stash, isThere }) => {
    const back = `${at} stash pop ${stash}`;
    const go = `${at} switch ${shellWord(branch)}\n${back}`;
    return {
      problem: `changes of ${cleanLine(branch, 60)} are put away`,
      fix: isBusy
        ? `${at} stash show --include-untracked ${stash}`
        : git?.branch === branch
        ? back
        : isThere
        ? go
        : `${at} stash branch ${shellWord(branch)} ${stash}`,
    };
  });
}
