/** Sends what a push was agreed to, and remembers what has arrived, also where it is cut off (WORKSPACE-16). */

import type { ExecuteContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import {
  type Arrived,
  followRemote,
  type Remembering,
  rememberPush,
  rememberPushes,
  repairSteps,
} from "../../workspace/clones/changing.ts";
import { rewrittenOf } from "../../workspace/clones/mod.ts";
import { isBaseBranch, isOwnState } from "../../workspace/tickets/mod.ts";
import { overtakenWords } from "../advice/clone.ts";
import { joining, newTicketOf } from "../advice/command_lines.ts";
import { makeGuard, type Manifest, type Repo } from "../../workspace/manifest/mod.ts";
import {
  inPoolOf,
  repoDirectory,
  requireWorkspace,
  type WorkspaceState,
} from "../../workspace/mod.ts";
import { type PushRow, UNSURE } from "./skip.ts";
import type { PushFact, PushFacts } from "./plan.ts";
import { sha } from "../../base/ids.ts";
import { AmofError, toAmofError } from "../../base/error.ts";
import {
  classifyGitFailure,
  gitFailure,
  mayHaveArrived,
  type OnLine,
  reason,
  submodulesNotPushed,
  tail,
} from "../../git/mod.ts";
import { logLines, OF_HOOKS } from "../../git/changing.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, shellWord } from "../../base/text/words.ts";
import {
  type Agreed,
  commitAgreed,
  nextDirectory,
  noteFailure,
  refuseTouched,
} from "../outgoing/files.ts";
import { pullRequestOf } from "../outgoing/contents.ts";
import { submodulesFirst } from "./decide.ts";

/**
 * Makes the branch follow what was pushed; answers a remark for the row when that did not work. The push
 * itself stands then, and must be reported as what it is. Not ended by an interrupt, for the same reason.
 */
async function follow(
  ctx: ExecuteContext,
  directory: string,
  fact: PushFact,
  onLine: OnLine,
): Promise<string> {
  try {
    const { name: repo, remote, branch } = fact;
    if (!fact.follows) await followRemote(ctx.git.until(), { repo, directory, remote, branch });
    return "";
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    onLine("stderr", thrown.message);
    return "; its upstream could not be set";
  }
}

/** What a push of all repositories was agreed to. */
interface AgreedPush extends Agreed {
  /** The message of commits that are made first, or null. */
  readonly message: string | null;
  readonly state: WorkspaceState | null;
}

/** Notes a push that went well; answers what the row says of it. */
function pushed(
  ctx: ExecuteContext,
  fact: PushFact,
  commit: string,
  note: string,
): Pick<PushRow, "commits" | "commit" | "result" | "detail" | "code" | "fix"> {
  const commits = fact.ahead + (commit === fact.head ? 0 : 1);
  const place = `${fact.remote}/${fact.branch}`;
  ctx.report.log("info", `${fact.name}: pushed ${count(commits, "commit")} to ${place}`, {
    type: "repo",
    payload: { repo: fact.name, commit },
  });
  return {
    commits,
    commit,
    result: "pushed",
    detail: `${place}${fact.new_branch ? " (new branch)" : ""}${note}${
      fact.other_address === null ? "" : `; ${fact.other_address[0]}`
    }`,
    code: null,
    fix: fact.other_address?.[1] ?? null,
  };
}

/** Fetches what came in between, so that the next status knows of it; where that fails, the row says what to do. */
async function see(
  git: ExecuteContext["git"],
  directory: string,
  { name, branch }: PushFact,
  onLine: OnLine,
): Promise<void> {
  try {
    await git.at(directory, name).remotes.fetchBranch(branch, onLine);
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    onLine("stderr", thrown.message);
  }
}

/** How long a remote may take to say whether it has a commit whose push was cut off. */
const ANSWER_SECONDS = 10;

/** Whether a push that was cut off has arrived all the same; null where the remote does not say so in time either. */
async function hasArrived(
  git: ExecuteContext["git"],
  directory: string,
  { name, remote, branch }: PushFact,
  head: string,
): Promise<boolean | null> {
  try {
    return await git.at(directory, name).remoteRefs.branch(remote, branch) === head;
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    return null;
  }
}

/** How commits on a base branch, which its remote takes by a merge there alone, come to the branch of a ticket. */
function toTicket(
  { state, manifest }: AgreedPush,
  { name, branch }: PushFact,
  directory: string,
): string {
  const [join] = joining({ repo: { name }, unpushed: 1 }, state, manifest);
  if (join !== undefined) return join;
  const its = state?.tickets[state.active_ticket ?? ""]?.repos[name];
  // No other ticket begins with what is in a workspace of a ticket's own.
  if (state !== null && isOwnState(state) && its !== undefined) {
    const at = `git -C ${shellWord(directory)}`;
    return `go to the branch of the ticket: ${at} switch ${
      shellWord(its)
    }\nbring them there: ${at} merge ${shellWord(branch)}`;
  }
  return `take the commits to a ticket: ${newTicketOf(name)}${
    manifest.perTicket ? " --in-place" : ""
  }`;
}

/** Pushes one repository. Never throws: what failed is in the row. */
export async function pushOne(
  ctx: ExecuteContext,
  agreed: AgreedPush,
  fact: PushFact,
): Promise<PushRow> {
  const { message } = agreed;
  const row = {
    name: fact.name,
    branch: fact.branch,
    commits: fact.ahead,
    commit: fact.head,
    fix: null,
  };
  let head = fact.head;
  const failed = (error: AmofError, why = error.message): PushRow => {
    noteFailure(ctx, fact.name, error);
    const isMade = head !== fact.head;
    return {
      ...row,
      result: "failed",
      commits: fact.ahead + (isMade ? 1 : 0),
      commit: head,
      detail: isMade ? `committed${why.endsWith(UNSURE) ? "" : ", but not pushed"}: ${why}` : why,
      code: error.code,
      fix: error.hint ?? null,
    };
  };
  try {
    const directory = await nextDirectory(ctx, agreed, fact.name);
    const onLine = logLines(ctx.report.log, fact.name, OF_HOOKS);
    if (fact.commit_files > 0 && message !== null) {
      const terms = { message, staged: false, onLine };
      const { commit: made } = await commitAgreed(ctx, directory, fact, terms);
      head = made;
      await refuseTouched(
        ctx,
        { directory, name: fact.name, before: fact.head, made: sha(made) },
        agreed,
        (why) => new AmofError("push_refused", why),
      );
    }
    if (head === null) return failed(new AmofError("git_failed", "It has no commit to push"));
    const { remotes } = ctx.git.at(directory, fact.name);
    // What git does not keep track of it would not know to be there afterwards.
    await remotes.track(fact.branch, fact.remote);
    const outcome = await remotes.push({
      commit: sha(head),
      branch: fact.branch,
      remote: fact.remote,
      onLine,
    });
    const kind = outcome.ok ? null : classifyGitFailure(outcome.result);
    const isCut = !outcome.ok && mayHaveArrived(outcome.result);
    // What has arrived is to be known also where this is about to end.
    const last = isCut ? ctx.git.until(undefined, ANSWER_SECONDS) : ctx.git;
    const arrived = isCut ? await hasArrived(last, directory, fact, head) : false;
    if (!outcome.ok && arrived !== true) {
      const call = { cwd: directory, network: true };
      const error = gitFailure(outcome.result, `push "${fact.name}"`, fact.name, call);
      const told = kind === "cancelled"
        ? "cancelled"
        : cleanLine(outcome.reason ?? reason(outcome.result));
      const why = !isCut ? told : `${told}; ${arrived === null ? UNSURE : "it has not arrived"}`;
      const repo = agreed.manifest.repos.find(({ name }) => name === fact.name);
      const isLate = kind === "non_fast_forward";
      if (isLate) await see(ctx.git, directory, fact, onLine);
      const late = isLate && repo !== undefined
        ? overtakenWords(
          await rewrittenOf(ctx.git.at(directory, fact.name), {
            branch: fact.branch,
            upstream: `${fact.remote}/${fact.branch}`,
            isBase: isBaseBranch(agreed.state, repo, fact.branch),
          }),
          { directory, branch: fact.branch, head, behind: null },
        )
        : null;
      const isBase = kind === "remote_rejected" && fact.branch === repo?.branch;
      return {
        ...failed(error, late?.note ?? why),
        ...(arrived === null
          ? {
            fix: [
              `see whether it arrived: amof sync --repo ${fact.name}`,
              ...(kind === "cancelled" ? [] : [error.hint]),
            ].join("\n"),
          }
          : {}),
        // A remote that takes nothing on its base branch but by a merge there takes the branch of a ticket.
        ...(isBase
          ? {
            fix: toTicket(agreed, fact, directory),
          }
          : {}),
        ...(fact.other_address !== null && (kind === "not_found" || kind === "not_a_repo")
          ? { fix: fact.other_address[1] }
          : {}),
        ...(late === null ? {} : { fix: fact.other_address?.[1] ?? late.fix }),
        ...(kind === "submodule_unpushed" && repo !== undefined
          ? {
            fix: submodulesFirst(
              directory,
              { repo, branch: fact.branch, head, perTicket: agreed.manifest.perTicket },
              agreed.state,
              submodulesNotPushed(tail(outcome.result.stderr, 200)),
            ),
          }
          : {}),
      };
    }
    // What was cut off has not told git that it arrived.
    if (!outcome.ok) await see(last, directory, fact, onLine);
    const note = await follow(ctx, directory, fact, onLine);
    const link = /^remote: /m.test(outcome.result.stderr)
      ? pullRequestOf(outcome, await last.at(directory).remotes.pushUrl(fact.remote) ?? "")
      : {};
    return { ...row, ...pushed(ctx, fact, head, note), ...link };
  } catch (thrown) {
    return failed(toAmofError(thrown, () => ctx.system.ids.hex(8)));
  }
}

function arrivedOf(rows: readonly PushRow[]): Arrived[] {
  return rows.flatMap(({ name, branch, result, commit }) =>
    result === "pushed" && commit !== null ? [{ name, branch, commit }] : []
  );
}

/** The steps that remember what has arrived where the push is cut off. */
function rememberSteps(
  ctx: ExecuteContext,
  remembering: Remembering,
  repos: readonly Repo[],
  facts: readonly PushFact[],
): Promise<JournalStep[]> {
  return Promise.all(facts.flatMap((fact) => {
    const repo = repos.find(({ name }) => name === fact.name);
    if (repo === undefined) return [];
    const { name, remote, branch, head, ahead, follows } = fact;
    return [
      repoDirectory(ctx.system, remembering.workspace, repo).then((directory) =>
        rememberPush.step({
          ...remembering,
          repo: name,
          directory,
          remote,
          branch,
          head,
          ahead,
          follows,
        })
      ),
    ];
  }));
}

/** Pushes all repositories that were agreed to; `allowed` are no-touch paths that somebody let go. */
export async function sendAll(
  ctx: ExecuteContext,
  manifest: Manifest,
  { repos: facts, message }: Pick<PushFacts, "repos" | "message">,
  allowed: readonly string[],
): Promise<readonly PushRow[]> {
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const agreed: AgreedPush = {
    manifest,
    workspace: workspace.directory,
    state: workspace.state,
    message,
    guard: await makeGuard(manifest.noTouchPaths),
    allowed,
  };
  const repos = manifest.repos.filter(({ name }) => facts.some((fact) => fact.name === name));
  const tidy = await repairSteps(ctx, workspace.directory, repos, false);
  const remembering: Remembering = {
    workspace: workspace.directory,
    workspaceBranch: manifest.workspaceBranch,
  };
  const steps = [...tidy, ...await rememberSteps(ctx, remembering, repos, facts)];
  return await ctx.watchOver(steps, async () => {
    const pushed = await inPoolOf(ctx, "pushing", facts, (fact) => pushOne(ctx, agreed, fact));
    await rememberPushes(ctx, remembering, arrivedOf(pushed));
    return pushed;
  });
}
