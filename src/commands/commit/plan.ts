/** What a commit over repositories would commit, with which message, and why others are left out (WORKSPACE-21). */

import type { CommandContext } from "../../contract/mod.ts";
import { count, didYouMean, meantText, shellWord } from "../../base/text/words.ts";
import type { Unknown } from "../../git/mod.ts";
import {
  type Guard,
  type GuardInput,
  makeGuard,
  type Touch,
} from "../../workspace/manifest/mod.ts";
import { inspectSelected, type Selecting } from "../selection/mod.ts";
import type { RepoSnapshot } from "../../workspace/clones/mod.ts";
import { requireWorkspace, type WorkspaceState } from "../../workspace/mod.ts";
import { commitWithJj } from "../advice/clone.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import { checkoutHint, headNeeds } from "../advice/head.ts";
import { digestOf, toCommit, unknownText } from "../outgoing/files.ts";
import { contentLines, contentsOf, type FileFact, roomFor } from "../outgoing/contents.ts";
import {
  belonging,
  type Blocking,
  decideEach,
  hold,
  nested,
  placed,
  reasonToSkip,
  type SkipFact,
  skipFor,
  unusable,
} from "../outgoing/skip.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { type Details, foldedRepos } from "../../base/text/parts.ts";

/** The message of one repository, or its short form `repo=message`. */
type MessageFor = string | { readonly repo: string; readonly message: string };

/** The messages that were given. */
interface Messages {
  readonly message?: string | undefined;
  readonly message_for?: readonly MessageFor[] | undefined;
}

function refuse(message: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", message, {
    hint,
    details: { field: "message_for" },
  });
}

function pairOf(given: MessageFor): { repo: string; message: string } {
  if (typeof given !== "string") return given;
  const at = given.indexOf("=");
  if (at < 1) {
    throw refuse(
      `Cannot use --message-for "${cleanLine(given, 60)}": it names no repository`,
      'Write --message-for REPO=TEXT, such as --message-for "api=Fix the login"',
    );
  }
  return { repo: given.slice(0, at), message: given.slice(at + 1) };
}

/** A message as `git commit -m` cleans it: no blanks at the ends of lines, no empty lines around it, one between two parts. */
export function cleanMessage(message: string): string {
  return message.replaceAll(/[ \t\r]+$/gm, "").replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/^\n+|\n+$/g, "");
}

/** Throws `invalid_arguments` for a message that git would take for none. */
function requireText(message: string, whose: string): void {
  if (message.trim() !== "") return;
  throw new AmofError("invalid_arguments", `Cannot commit with an empty message${whose}`, {
    hint: "Write one: amof commit -m TEXT",
    details: { field: "message" },
  });
}

/**
 * The messages by repository; the one for all others is that of the key "". Throws `invalid_arguments` where one is
 * empty, is given twice, or is for none of the repositories `known`.
 */
export function readMessages(
  { message, message_for = [] }: Messages,
  known: readonly string[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (message !== undefined) {
    requireText(message, "");
    found.set("", cleanMessage(message));
  }
  for (const { repo, message: own } of message_for.map(pairOf)) {
    if (!known.includes(repo)) {
      throw refuse(
        `Cannot use a message for "${cleanLine(repo, 60)}": it is none of the chosen repositories${
          meantText(didYouMean(repo, known))
        }`,
        "See what can be committed: amof commit --dry-run",
      );
    }
    if (found.has(repo)) {
      throw refuse(`Cannot use two messages for "${repo}"`, "Give each repository one message");
    }
    requireText(own, ` for "${repo}"`);
    found.set(repo, cleanMessage(own));
  }
  return found;
}

/** What a commit is asked for. */
export interface CommitInput extends GuardInput, Messages, Selecting {
  readonly staged: boolean;
  readonly allow_base: boolean;
  readonly allow_secrets?: readonly string[] | undefined;
}

/** A repository in which something would be committed. */
export interface CommitFact {
  readonly name: string;
  readonly branch: string;
  /** Whether that is the base branch. */
  readonly on_base: boolean;
  /** Whether it follows work that is in the base branch in another form, which a push would send once more. */
  readonly beyond_merged: boolean;
  readonly head: string | null;
  /** The message, or null where none was given. */
  readonly message: string | null;
  /** The files; not all where there are many. */
  readonly files: readonly FileFact[];
  readonly commit_files: number;
  /** How many of the files are staged, wholly or in part. */
  readonly staged_files: number;
  /** Ties a confirmation to exactly these contents. */
  readonly changes_digest: string;
  /** What git was not told of whoever commits, without which it fails. */
  readonly unknown: Unknown | null;
  /** Guarded files that go because somebody let them. */
  readonly no_touch: readonly Touch[];
  /** New files that look secret and go because somebody named them. */
  readonly secrets: readonly string[];
  /** Whether it is made in the box of the ticket, with the hooks that are there by now (SEAL-9). */
  readonly confined: boolean;
}

/** What a confirmation of a commit is bound to. */
export interface CommitFacts {
  readonly repos_affected: readonly string[];
  readonly repos: readonly CommitFact[];
  readonly skipped: readonly SkipFact[];
  readonly staged: boolean;
}

/** The reasons that hold work back which was meant to be committed. */
export const BLOCKED: Blocking = {
  base_branch: {
    code: "commit_refused",
    fix: "commit there all the same: amof commit --allow-base",
  },
  wrong_branch: { code: "commit_refused", fix: "switch to the ticket's branch" },
  detached: { code: "commit_refused", fix: "switch to a branch" },
  in_progress: { code: "repo_in_progress", fix: "finish or abort the operation" },
  conflicted: { code: "repo_in_progress", fix: "resolve the conflicts" },
  no_touch: { code: "commit_refused", fix: "take them out of what is committed" },
  secret_files: { code: "commit_refused", fix: "add them to .gitignore" },
  nested_repository: {
    code: "commit_refused",
    fix: "name them in .gitignore, or make them submodules: git submodule add URL PATH",
  },
  untrusted: { code: "clone_untrusted", fix: "look at it: amof status" },
  unreadable: { code: "git_failed", fix: "look at the error above" },
};

const skip = skipFor(BLOCKED);

/** What the decisions about all repositories have in common. */
interface Terms {
  readonly input: CommitInput;
  readonly messages: ReadonlyMap<string, string>;
  readonly state: WorkspaceState | null;
  readonly guard: Guard;
  /** Whether new tickets get workspaces of their own. */
  readonly perTicket: boolean;
  /** Files that are shown of one repository. */
  readonly room: number;
  /** Repositories in which git was found to know who makes commits. */
  readonly known: ReadonlySet<string>;
}

/** The command that commits one repository the same way. */
function again(repo: string, input: CommitInput): string {
  return `commit --repo ${repo}${input.staged ? " --staged" : ""}${
    input.message === undefined ? "" : ` -m ${shellWord(input.message)}`
  }${input.allow_base ? " --allow-base" : ""}`;
}

function nothingToCommit(snapshot: RepoSnapshot, changed: number): SkipFact {
  const why = changed === 0 ? "no changes" : `${count(changed, "file")} changed, none staged`;
  return skip(snapshot, "nothing_to_commit", why);
}

function onBase(
  snapshot: RepoSnapshot,
  files: number,
  { input, state, perTicket }: Pick<Terms, "input" | "state" | "perTicket">,
): SkipFact {
  const { name, branch } = snapshot.repo;
  const why = `${count(files, "file")} on ${branch}, which is the base branch`;
  const all = again(name, { ...input, allow_base: true });
  return skip(
    snapshot,
    "base_branch",
    why,
    [
      ...belonging(snapshot, state, perTicket),
      `commit there all the same: amof ${all}`,
    ].join("\n"),
  );
}

/** What would happen to one repository, and why not, if nothing. */
async function decide(
  ctx: CommandContext,
  snapshot: RepoSnapshot,
  { input, messages, state, guard, perTicket, room, known }: Terms,
): Promise<CommitFact | SkipFact> {
  const left = unusable({ skip, done: "committed" }, snapshot);
  if (left !== null) return left;
  const { repo, git, directory } = snapshot;
  if (git === null) return skip(snapshot, "unreadable", "cannot be read");
  const all = toCommit(git.changes, false);
  const staged = toCommit(git.changes, true);
  const changes = input.staged ? staged : all;
  const inProgress = snapshot.inProgress !== null;
  if (changes.length === 0 && !inProgress && !all.some(({ conflicted }) => conflicted)) {
    return nothingToCommit(snapshot, all.length);
  }
  if (snapshot.jj && !inProgress) {
    const why = "HEAD is detached, as jj has it";
    return skip(snapshot, "detached", why, commitWithJj(directory));
  }
  const detached = () =>
    skip(
      snapshot,
      "detached",
      "HEAD is detached",
      checkoutHint(headNeeds(snapshot, false)[0], "go to a branch there"),
    );
  if (git.branch === null && !inProgress) return detached();
  const { branch } = git;
  const held = reasonToSkip(skip, snapshot, branch ?? "HEAD", state);
  if (held !== null) return held;
  if (branch === null) return detached();
  const inside = await nested(ctx, skip, snapshot, changes);
  if (inside !== null) return inside;
  if (branch === repo.branch && !input.allow_base) {
    return onBase(snapshot, changes.length, { input, state, perTicket });
  }
  const contents = await contentsOf(ctx, {
    repo: repo.name,
    directory,
    sent: null,
    shown: null,
    changes,
    guard,
    allowedTouches: input.allow_no_touch ?? [],
    allowedSecrets: input.allow_secrets ?? [],
    room,
  });
  if ("reason" in contents) {
    return hold({ skip, done: "committed", again: again(repo.name, input) }, snapshot, contents);
  }
  return {
    name: repo.name,
    branch,
    on_base: branch === repo.branch,
    beyond_merged: snapshot.landed !== null,
    head: git.head,
    message: messages.get(repo.name) ?? messages.get("") ?? null,
    files: contents.files,
    commit_files: changes.length,
    staged_files: staged.length,
    changes_digest: await digestOf(ctx, directory, changes, input.staged),
    unknown: known.has(repo.name) ? null : await ctx.git.at(directory, repo.name).commits.unknown(),
    no_touch: contents.no_touch,
    secrets: contents.secrets,
    confined: snapshot.confined,
  };
}

/** Looks at the repositories and decides about each; `agreed` is what an earlier look found. */
export async function planCommit(
  ctx: CommandContext,
  input: CommitInput,
  agreed?: CommitFacts,
): Promise<CommitFacts> {
  const manifest = await scopeManifest(ctx);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const from = { manifest, workspace: workspace.directory, state: workspace.state };
  const snapshots = await inspectSelected(ctx, from, input, { untracked: "all" });
  const messages = readMessages(input, snapshots.map(({ repo }) => repo.name));
  const terms: Terms = {
    input,
    messages,
    state: workspace.state,
    guard: await makeGuard(manifest.noTouchPaths),
    perTicket: manifest.perTicket,
    room: roomFor(snapshots.length),
    // A commit fails by itself where git has forgotten it meanwhile.
    known: new Set(agreed?.repos.filter(({ unknown }) => unknown === null).map(({ name }) => name)),
  };
  const { going, skipped } = await decideEach(
    ctx,
    skip,
    snapshots,
    (snapshot) => decide(ctx, snapshot, terms),
  );
  return {
    repos_affected: going.map((fact) => fact.name),
    repos: going,
    skipped: placed(skipped, workspace.state, snapshots),
    staged: input.staged,
  };
}

// How a preview tells what would be committed.

function lineOf(fact: CommitFact): string {
  const { name, branch, commit_files, staged_files, confined, unknown } = fact;
  const part = staged_files > 0 && staged_files < commit_files ? `, ${staged_files} staged` : "";
  return `${name}  ${cleanLine(branch, 60)}  (${count(commit_files, "file")} to commit${part}${
    confined ? ", in the box of the ticket" : ""
  })${unknownText(unknown)}`;
}

/** What would be committed in a repository, and its message where that is its `own`. */
function contents(fact: CommitFact, own: boolean): string {
  const { commit_files: files, message } = fact;
  return [
    lineOf(fact),
    ...contentLines({ ...fact, commit_subjects: [] }, { commits: 0, files }),
    ...(own && message !== null ? shown(message).map((line) => `    │ ${line}`) : []),
  ].join("\n");
}

/** The messages as a preview shows them: once where it is the same for all. */
function messageLines(repos: readonly CommitFact[]): { own: boolean; common: string | null } {
  const [first] = repos;
  const same = repos.every(({ message }) => message === first?.message);
  return { own: !same, common: same ? first?.message ?? null : null };
}

/** A message as lines of a preview. */
function shown(message: string): string[] {
  return message.trim().split("\n").slice(0, 20).map((line) => cleanLine(line, 200));
}

/** What a preview says of the facts. */
export function wouldCommit(facts: CommitFacts): {
  readonly summary: string;
  readonly effects: readonly string[];
  readonly details: Details;
  readonly current: string;
} {
  const { own, common } = messageLines(facts.repos);
  const held = facts.skipped.filter((fact) => fact.blocked).length;
  return {
    summary: facts.repos.length > 0
      ? `Would commit in ${count(facts.repos.length, "repo")}.`
      : facts.skipped.some((fact) => fact.blocked && fact.elsewhere !== true)
      ? "Would commit nothing: what there is to commit is held back."
      : "Would commit nothing: no repo has changes to commit.",
    effects: facts.repos.map(lineOf),
    details: [
      ...foldedRepos(facts.repos, (fact) => contents(fact, own), {
        onlyAsked: true,
        isPlain: ({ no_touch, secrets, unknown }) =>
          no_touch.length + secrets.length === 0 && unknown === null,
      }),
      ...foldedRepos(
        facts.skipped.filter((fact) => fact.blocked),
        ({ name, detail }) => `${name}  held back: ${detail}`,
        { onlyAsked: true },
      ),
      ...(common === null ? [] : ["Message:", ...shown(common).map((line) => `    │ ${line}`)]),
    ],
    current: `${count(facts.repos.length, "repo")} with changes, ${held} held back`,
  };
}
