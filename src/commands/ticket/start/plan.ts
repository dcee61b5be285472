/** What starting a ticket would do in each repository, and why it is refused (TICKET-2, TICKET-4). */

import { stashFor } from "../../../workspace/tickets/mod.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { addressKey, otherAddressWords, type RepoSnapshot } from "../../../workspace/clones/mod.ts";
import {
  inPoolOf,
  isRefusal,
  type Refusal,
  refuseAll,
  unlessRefused,
} from "../../../workspace/mod.ts";
import { lockedCommits } from "../../look/drift.ts";
import {
  isSelecting,
  namedRepos,
  namesThrough,
  type Selecting,
  selectLooking,
} from "../../selection/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { shellWord } from "../../../base/text/words.ts";
import { type MoveFact, planMoves } from "../switching.ts";
import { cannotCarry, refuseBoth } from "../carry.ts";
import {
  cannotEnter,
  cannotLeave,
  inspectTicketRepos,
  type TicketPlace,
  ticketPlace,
} from "../preflight.ts";
import {
  conflictingBranches,
  LOCAL_BRANCHES,
  nameTaken,
  type Origin,
  originOf,
  RemoteBranches,
  THERE,
} from "./origin.ts";
import { type Selection, toSelection } from "../selection.ts";
import { branchOf } from "../id.ts";
import { refuseTaken } from "../workspace/plan.ts";

/** How one repository gets its branch. */
export interface StartFact extends Origin {
  readonly name: string;
  readonly branch: string;
  readonly from: string;
  /** The commit it stands on. */
  readonly head: string;
  readonly source: string;
  /** Whether that is another one than the manifest's. */
  readonly chosen: boolean;
  readonly mode: "ticket_local" | "shared";
  readonly stash: string | null;
  /** Whether that waits for the branch alone, which is of no ticket. */
  readonly astray: boolean;
  /** How many changed files go along. */
  readonly carried: number;
  /** How many commits of its base branch go along, which no remote has. */
  readonly commits: number;
  /** What takes these off the base branch here, which has them, too; null where none go along, or the remote has no such branch. */
  readonly off: string | null;
  /** How many such commits stay there: none was to go along, or the branch is there already. */
  readonly staying: number;
}

/** What a start, or an addition to a ticket in the base workspace, is bound to. */
export interface StartFacts {
  readonly ticket_id: string;
  readonly repos: readonly StartFact[];
  /** Repositories of the ticket that is left, which go back to their base branches. */
  readonly left: readonly MoveFact[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Where the remotes have the branch already, of all repositories that are taken unasked; absent where all or none have it. */
  readonly there?: readonly string[];
  /** Which begin at what their remote has of a base branch that is at the commit of the lock here; absent for none. */
  readonly past_lock?: readonly string[];
  /** Names of repositories that would have one branch of one remote in common, for each remote. */
  readonly shared: readonly (readonly string[])[];
}

/** What is asked for. */
export interface StartInput extends Selecting {
  readonly ticket_id: string;
  readonly repo_selections?: readonly (string | Selection)[] | undefined;
  readonly stash: boolean;
  /** Whether work goes along: changed files, and commits of the base branch that are checked out and not pushed. */
  readonly carry?: boolean | undefined;
  readonly offline: boolean;
}

/** What the decisions about all repositories have in common. */
interface Terms {
  readonly place: TicketPlace;
  readonly input: StartInput;
  readonly selections: ReadonlyMap<string, Selection>;
  /** Null where they are not asked. */
  readonly remotes: RemoteBranches | null;
  readonly how: How;
}

/** Whether a ticket begins, or gets further repositories. */
type How = "begin" | "add";

/** Where the branch of one repository comes from, or why it cannot be had. At most one git process. */
async function resolveBranch(
  ctx: CommandContext,
  terms: Terms,
  snapshot: RepoSnapshot,
): Promise<StartFact | Refusal> {
  const { place, input, selections, remotes } = terms;
  const { repo, git, directory } = snapshot;
  const selection = selections.get(repo.name);
  const from = git?.branch ?? "";
  const branch = selection?.target_branch ?? branchOf(place.manifest, input.ticket_id);
  const source = selection?.source_branch ?? repo.branch;
  const clone = ctx.git.at(directory, repo.name);
  const names = {
    local: `${LOCAL_BRANCHES}${branch}`,
    remote: `${THERE}${branch}`,
    base: (await clone.refs.base(source)).ref,
    localBase: `${LOCAL_BRANCHES}${source}`,
  };
  const above = conflictingBranches(branch);
  const refs = await clone.refs.peek([...Object.values(names), ...above]);
  const local = refs.get(names.local);
  const branchBelow = async () =>
    [...(await clone.refs.peekBranches([])).heads.keys()]
      .filter((name) => name.startsWith(`${branch}/`)).map((name) => LOCAL_BRANCHES + name)[0];
  const other = above.find((name) => refs.has(name)) ??
    (local === undefined ? await branchBelow() : undefined);
  if (local === undefined && other !== undefined) return nameTaken(snapshot, branch, other);
  if (local !== undefined && from !== branch) {
    const refused = await cannotEnter(ctx, snapshot, branch);
    if (refused !== null) return refused;
  }
  const carries = input.carry === true;
  const own = from === source ? snapshot.unpushed : 0;
  const commits = carries ? own : 0;
  const origin: Origin | Refusal = local === undefined
    ? await originOf(remotes, snapshot, { branch, source, shared: selection?.mode === "shared" }, {
      remote: refs.get(names.remote),
      base: (commits > 0 ? git?.head : null) ?? refs.get(names.base),
      localBase: refs.get(names.localBase),
    })
    : { action: from === branch ? "stay" : "reuse", start: local, fetch: false, unasked: null };
  if (isRefusal(origin)) return origin;
  // What another address has is not to be brought in: it may be the history of something else.
  const isBrought = origin.action === "track" || origin.fetch;
  if (isBrought && snapshot.address !== null) {
    const [said, mend] = otherAddressWords(repo, directory, snapshot.address);
    const what = origin.action === "track" ? branch : source;
    const problem = `would get ${what} from another address: ${said}`;
    return { repo: repo.name, code: "git_failed", problem, fix: `mend its address: ${mend}` };
  }
  const away = stashFor(place.state, repo, from);
  const changed = from === branch ? 0 : git?.changes.length ?? 0;
  // What was not fetched yet git itself compares, when the branch is made.
  if (carries && changed > 0 && !origin.fetch) {
    const refused = await cannotCarry(ctx, snapshot, {
      branch,
      start: origin.start,
      or: terms.how === "add" ? undefined : [
        // Where it begins at what is checked out, nothing has them otherwise, and they stay with whoever made them.
        ...(origin.action === "create"
          ? [
            `take them along from what is checked out: git -C ${
              shellWord(directory)
            } switch --create ${shellWord(branch)}`,
            "then repeat the same command",
          ]
          : []),
        `${origin.action === "create" ? "or" : "commit them, or"} put them away for ${
          away.isAstray ? cleanLine(from, 60) : away.name.slice("amof:".length)
        }: the same command with --stash`,
      ].join("\n"),
    });
    if (refused !== null) return refused;
  }
  const taken = origin.action === "create" ? commits : 0;
  return {
    ...origin,
    name: repo.name,
    branch,
    from,
    head: git?.head ?? "",
    source,
    chosen: source !== repo.branch,
    mode: selection?.mode ?? "ticket_local",
    stash: changed > 0 && !carries ? away.name : null,
    astray: changed > 0 && !carries && away.isAstray,
    carried: carries ? changed : 0,
    commits: taken,
    off: taken === 0 || !refs.has(names.base)
      ? null
      : `git -C ${shellWord(directory)} branch --force ${shellWord(source)} ${
        shellWord(names.base.replace(/^refs\/remotes\//, ""))
      }`,
    staying: origin.action === "create" ? own - commits : commits,
  };
}

/** The repositories that take part, and those that do not. */
async function participants(
  ctx: CommandContext,
  place: TicketPlace,
  { input, how }: { readonly input: StartInput; readonly how: How },
): Promise<{ present: RepoSnapshot[]; skipped: StartFacts["skipped"] }> {
  const { workspace: { directory }, manifest, state } = place;
  const from = {
    manifest,
    workspace: directory,
    state,
    action: `ticket_${how === "add" ? how : "start"}`,
  };
  const { repos: chosen, snapshots: looked } = await selectLooking(ctx, from, input);
  const there = how === "add" ? state.tickets[input.ticket_id]?.repos ?? {} : {};
  const isIn = (name: string) => Object.hasOwn(there, name);
  const seen = looked?.filter(({ repo }) => !isIn(repo.name));
  const snapshots = seen?.filter(({ repo }) => !repo.readonly) ??
    await inspectTicketRepos(
      ctx,
      place,
      chosen.filter(({ name, readonly }) => !readonly && !isIn(name)),
    );
  // A branch needs a commit to begin at, so empty repositories are left out.
  const isEmpty = ({ git }: RepoSnapshot) => git !== null && git.head === null;
  const skip = (repos: readonly { readonly name: string }[], reason: string) =>
    repos.map(({ name }) => ({ name, reason }));
  return {
    present: snapshots.filter((snapshot) => !snapshot.missing && !isEmpty(snapshot)),
    skipped: [
      ...skip(chosen.filter(({ name }) => isIn(name)), "in the ticket already"),
      ...skip(chosen.filter((repo) => repo.readonly), "read-only"),
      ...skip(snapshots.filter(({ missing }) => missing).map(({ repo }) => repo), "not cloned"),
      ...skip(snapshots.filter(isEmpty).map(({ repo }) => repo), "no commit yet"),
    ],
  };
}

/** Why a ticket cannot be started where no repository takes part. */
function nonePresent(
  ticketId: string,
  skipped: StartFacts["skipped"],
  known: number,
): AmofError {
  return new AmofError(
    "repo_not_found",
    `Cannot start "${ticketId}": no writable repository takes part`,
    {
      hint: skipped.some((entry) => entry.reason === "not cloned")
        ? "Clone them: amof sync"
        : known === 0
        ? "Name one in the manifest: amof repo add NAME URL"
        : "Choose others: the same command with --repo NAME",
      details: { skipped },
    },
  );
}

/**
 * The repositories of the ticket that is left which cannot leave its branch: where others were asked for, they stay as
 * they are, with the reason. One git process each.
 */
async function staying(
  ctx: CommandContext,
  place: TicketPlace,
  { stash }: Pick<StartInput, "stash">,
  taking: readonly string[],
): Promise<StartFacts["skipped"]> {
  const { state, manifest } = place;
  const tracked = state.tickets[state.active_ticket ?? ""]?.repos ?? {};
  const others = manifest.repos.filter(({ name, enabled, readonly }) =>
    enabled && !readonly && Object.hasOwn(tracked, name) && !taking.includes(name)
  );
  return (await inspectTicketRepos(ctx, place, others)).flatMap((snapshot) => {
    const refusal = cannotLeave(snapshot, stash);
    if (refusal === null) return [];
    const on = cleanLine(snapshot.git?.branch ?? "no branch", 60);
    return [{ name: snapshot.repo.name, reason: `stays on ${on}, because it ${refusal.problem}` }];
  });
}

/** Throws unless a ticket of the base workspace is the one that is checked out there. */
function requireActive({ state }: TicketPlace, id: string): void {
  if (state.active_ticket === id) return;
  throw new AmofError(
    "ticket_not_found",
    `Cannot add to "${cleanLine(id, 60)}": it is not the active ticket`,
    { hint: `Go to it: amof ticket switch ${id}`, details: { ticket_id: id } },
  );
}

/**
 * Looks at the repositories and decides; throws one error for all that stands in the way. What is added to the active
 * ticket goes to its branch as at a start, and nothing is put away.
 */
export async function planStart(
  ctx: CommandContext,
  input: StartInput,
  how: How = "begin",
): Promise<{ facts: StartFacts; place: TicketPlace }> {
  const place = await ticketPlace(ctx);
  const { ticket_id: ticketId } = input;
  branchOf(place.manifest, ticketId);
  refuseBoth(ticketId, input);
  if (how === "add") requireActive(place, ticketId);
  else {
    const names = place.manifest.repos.map(({ name }) => name);
    const { fits } = namesThrough(ctx.door, input.repos, names);
    const repos = input.repos === undefined ? [] : names.filter(fits);
    await refuseTaken(ctx, place, ticketId, { repos });
  }
  const selections = new Map(
    (input.repo_selections ?? []).map(toSelection).map((entry) => [entry.repo, entry]),
  );
  namedRepos(place.manifest, [...selections.keys()]);
  const { present, skipped } = await participants(ctx, place, { input, how });
  if (present.length === 0 && how === "begin") {
    throw nonePresent(ticketId, skipped, place.manifest.repos.length);
  }
  const what = how === "add" ? `add to ${ticketId}` : `start ${ticketId}`;
  // Problems that are known locally are told before anybody waits for a remote.
  refuseAll(
    what,
    present.map((snapshot) =>
      how === "add"
        ? cannotLeave(snapshot, null, input.carry === true ? true : null)
        : cannotLeave(snapshot, input.stash, input.carry === true)
    )
      .filter((one) => one !== null),
  );
  const taking = present.map(({ repo }) => repo.name);
  const stays = how === "begin" && isSelecting(input)
    ? await staying(ctx, place, input, taking)
    : [];
  const left = how === "add" ? [] : await planMoves(ctx, place, {
    ticket: ticketId,
    stash: input.stash,
    what,
    except: [...taking, ...stays.map(({ name }) => name)],
  });
  const remotes = input.offline ? null : new RemoteBranches(ctx);
  const terms = { place, input, selections, remotes, how };
  const resolved = await inPoolOf(
    ctx,
    "checking",
    present,
    (snapshot) => resolveBranch(ctx, terms, snapshot),
  );
  const repos = unlessRefused<StartFact>(what, resolved);
  const there = how === "begin" && !isSelecting(input)
    ? repos.filter(({ action }) => action === "track").map(({ name }) => name)
    : [];
  const isPart = there.length > 0 && repos.some(({ action }) => action === "create");
  const past = await pastLock(ctx, present, repos);
  const shared = sharing(repos, new Map(present.map(({ repo }) => [repo.name, repo.url])));
  return {
    place,
    facts: {
      ...{ ticket_id: ticketId, repos, left, skipped: [...skipped, ...stays], shared },
      ...(isPart ? { there } : {}),
      ...(past.length > 0 ? { past_lock: past } : {}),
    },
  };
}

/** Which begin past the lock that their base branch is at. */
async function pastLock(
  ctx: CommandContext,
  present: readonly RepoSnapshot[],
  repos: readonly StartFact[],
): Promise<readonly string[]> {
  const bases = new Map<string, string>(present.map(({ repo }) => [repo.name, repo.branch]));
  const later = repos.filter(({ name, action, from, head, start }) =>
    action === "create" && from === bases.get(name) && start !== head
  );
  if (later.length === 0) return [];
  const commits = await lockedCommits(ctx, ctx.ecosystem);
  return later.filter(({ name, head }) => commits.get(name) === head).map(({ name }) => name);
}

/** The repositories that would have one branch of one remote in common, for each remote with more than one. */
function sharing(
  repos: readonly StartFact[],
  addresses: ReadonlyMap<string, string>,
): readonly (readonly string[])[] {
  const groups = Map.groupBy(
    repos,
    ({ name, branch }) => `${addressKey(addresses.get(name) ?? name)} ${branch}`,
  );
  return [...groups.values()].filter((group) => group.length > 1)
    .map((group) => group.map(({ name }) => name));
}
