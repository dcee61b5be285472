/** `amof pr revert`: opens the pull requests that take back what of a ticket has landed, newest first (CHANGE-9). */

import { GIT_HINTS } from "../../../base/error_codes.ts";
import { AmofError } from "../../../base/error.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { type Repository } from "../../../git/mod.ts";
import { type Authorship, Bundles, Reverting } from "../../../git/write/mod.ts";
import { count, few } from "../../../base/text/words.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Result,
} from "../../../contract/mod.ts";
import { inPoolOf, repoDirectory } from "../../../workspace/mod.ts";
import { ensureOpen } from "../ensure.ts";
import {
  CHANGING,
  concludeRows,
  failedRow,
  type PrData,
  type PrRow,
  prRow,
  renderRows,
  setInput,
} from "../rows.ts";
import { seek } from "../look.ts";
import {
  type ChangeSet,
  changeSet,
  inPrivate,
  type Member,
  remoteTip,
  revertBranch,
  type SetInput,
} from "../set.ts";
import { type Sha, sha, shortSha } from "../../../base/ids.ts";
import { maskSecrets } from "../../../base/text/mask.ts";

// Makes the commit that takes back a merged pull request, in a private repository, and sends it to a branch of its own
// (CHANGE-9).

/** What is taken back. */
interface RevertFact {
  readonly name: string;
  readonly number: number;
  readonly url: string;
  readonly host: string;
  readonly base: string;
  /** The commit that the pull request was at, and the one that it came to. */
  readonly head: string;
  readonly merge_sha: string;
  /** The branch of the commit that takes it back. */
  readonly branch: string;
}

function failed(name: string, why: string, hint?: string): AmofError {
  return new AmofError("change_blocked", `Cannot take back ${name}: ${why}`, {
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The words of the commit: names and numbers alone. */
function revertMessage(
  ticket: string,
  { name, number, url, merge_sha }: RevertFact,
): string {
  return `Revert ${ticket}: #${number} of ${name}\n\nThis takes back ${merge_sha}, which merged ${url}.\n`;
}

/** The commit before the first of those that a pull request came to; throws where nobody can tell. */
async function beforeOf(
  repository: Repository,
  { name, head, merge_sha }: RevertFact,
): Promise<Sha> {
  const { integrated, history, remotes } = repository;
  const merge = sha(merge_sha);
  const [first, ...others] = await repository.part(Reverting).parents(merge);
  if (first === undefined) throw failed(name, "it is the first commit of its branch");
  if (others.length > 0) return first;
  const tip = sha(head);
  if (!await remotes.fetchCommit(tip, { alone: false })) {
    throw failed(name, "its remote no longer has the commits that it was made of");
  }
  const { how } = await integrated.find(tip, merge);
  if (how === "squashed") return first;
  const own = await history.apart(tip, merge);
  if (how === "rebased" && own !== null) {
    return await repository.part(Reverting).ancestor(merge, own.one);
  }
  throw failed(name, "nobody can tell how it was merged", "Revert it by hand, at its page");
}

/** The moment at which a commit was made, in seconds: what takes it back says the same, however often it is made. */
function momentOf(text: string): number {
  return Number(/^committer .*> (\d+) [-+]\d+$/m.exec(text)?.[1] ?? 0);
}

/** Makes the commit and sends it; answers "nothing" where nothing of it is left. Harmless to repeat. */
async function sendRevert(
  ctx: ExecuteContext,
  member: Member,
  { fact, ticket, author }: {
    readonly fact: RevertFact;
    readonly ticket: string;
    readonly author: Pick<Authorship, "name" | "email">;
  },
): Promise<"sent" | "nothing"> {
  const { name, base, branch } = fact;
  const [tip, there] = [
    await remoteTip(ctx, member, base),
    await remoteTip(ctx, member, branch),
  ];
  if (tip === null) throw failed(name, `its remote has no ${cleanLine(base, 60)}`);
  return await inPrivate(ctx, member, tip, async (repository) => {
    const { remotes, history } = repository;
    const bundles = repository.part(Bundles);
    const message = revertMessage(ticket, fact);
    if (there !== null) {
      const text = await remotes.fetchCommit(there, { alone: true })
        ? await bundles.text(there)
        : "";
      // It was sent by a call that was cut off.
      if (text.endsWith(`\n\n${message}`)) return "sent";
      throw failed(name, `somebody has made the branch ${branch}`);
    }
    const merge = sha(fact.merge_sha);
    if (
      !await remotes.fetchCommit(tip, { alone: false }) || !await history.isAncestor(merge, tip)
    ) {
      throw failed(name, `${cleanLine(base, 60)} no longer has ${shortSha(merge)}`);
    }
    const made = await repository.part(Reverting).takeBack({
      base: tip,
      after: merge,
      before: await beforeOf(repository, fact),
      author: { ...author, at: momentOf(await bundles.text(merge)) },
      message,
    });
    if ("conflicts" in made) {
      const files = few(made.conflicts.map((path) => cleanLine(path, 80)), 5);
      throw failed(name, `others have changed the same since: ${files}`, "Revert it by hand");
    }
    if (made.commit === null) return "nothing";
    const sent = await bundles.send({ commit: made.commit, branch, expected: null });
    if (sent.ok) return "sent";
    throw new AmofError(
      "push_refused",
      `Cannot push ${branch} of ${name}: ${
        maskSecrets(cleanLine(sent.reason ?? "the remote refuses it", 200))
      }`,
    );
  });
}

interface RevertFacts {
  readonly ticket_id: string;
  readonly repos_affected: readonly string[];
  /** Newest first. */
  readonly repos: readonly RevertFact[];
  readonly done: readonly {
    readonly name: string;
    readonly number: number;
    readonly detail: string;
  }[];
}

/** What has landed and is not taken back yet. */
async function planRevert(ctx: CommandContext, input: SetInput): Promise<RevertFacts> {
  const set = await changeSet(ctx, input);
  const id = set.ticket_id;
  const seen = await seek(ctx, set);
  const failed = seen.find(({ error }) => error !== null);
  if (failed?.error) throw failed.error;
  const landed = seen.filter(({ change }) => change?.state === "merged").toReversed();
  if (landed.length === 0) {
    throw new AmofError("change_not_found", `Cannot take back ${id}: nothing of it has landed`, {
      hint: `See how it stands: amof pr status ${id}`,
    });
  }
  const looked = await inPoolOf(ctx, "asking", landed, async ({ name, member, forge, change }) => {
    if (forge === null || change === null || change.merge_sha === null) return null;
    const branch = revertBranch(id, change.number);
    const { number, url, head, merge_sha } = change;
    const fact: RevertFact = {
      name,
      number,
      url,
      host: forge.slug.host,
      base: member.base,
      head: head.sha,
      merge_sha,
      branch,
    };
    return { fact, back: await forge.find(branch, member.base) };
  });
  const found = looked.filter((one) => one !== null);
  const left = found.filter(({ back }) => back === null || back.state === "closed");
  return {
    ticket_id: id,
    repos_affected: left.map(({ fact }) => fact.name),
    repos: left.map(({ fact }) => fact),
    done: found.flatMap(({ fact, back }) =>
      back === null || back.state === "closed" ? [] : [{
        name: fact.name,
        number: back.number,
        detail: back.state === "merged" ? "taken back" : "open already",
      }]
    ),
  };
}

function describe({ name, number, base, merge_sha, branch }: RevertFact): string {
  return `${name}  take back #${number} (${
    shortSha(merge_sha)
  }) from ${base}, by a pull request from ${branch}`;
}

function conclude({ ticket_id, done }: RevertFacts, rows: readonly PrRow[]): Result<PrData> {
  const all = [
    ...rows,
    ...done.map(({ name, number, detail }) => ({
      ...prRow(name, "unchanged", null, detail),
      number,
    })),
  ];
  return concludeRows(ticket_id, all, {
    verb: "Opened",
    done: rows.filter(({ code }) => code === null).length,
  });
}

/** Who commits in a repository: as git has it in its clone, where there is one, else in the control repository. */
async function authorIn(
  ctx: ExecuteContext,
  { workspace }: ChangeSet,
  { name, repo }: Member,
): Promise<Pick<Authorship, "name" | "email">> {
  const directory = workspace === null
    ? ctx.root
    : await repoDirectory(ctx.system, workspace.directory, repo);
  const clone = ctx.git.at(directory, name);
  const isThere = await clone.activity() !== null;
  const author = await (isThere ? clone : ctx.git.at(ctx.root)).part(Bundles).author();
  if (author !== null) return author;
  throw new AmofError("commit_refused", "Cannot make commits: git does not know your name", {
    hint: GIT_HINTS.identity,
  });
}

/** Opens them one after the other, so that their numbers follow their order. */
async function revertAll(
  ctx: ExecuteContext,
  set: ChangeSet,
  facts: RevertFacts,
): Promise<readonly PrRow[]> {
  const authors = new Map<string, Awaited<ReturnType<typeof authorIn>>>();
  for (const member of set.members) {
    const isMeant = facts.repos.some(({ name }) => name === member.name);
    if (isMeant) authors.set(member.name, await authorIn(ctx, set, member));
  }
  const order = facts.repos.map(({ name }) => name).join(", ");
  const rows: PrRow[] = [];
  for (const fact of facts.repos) {
    const { name, number, base, branch, url } = fact;
    try {
      if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
      const member = set.members.find((one) => one.name === name);
      const forge = member?.forge ?? null;
      const author = authors.get(name);
      if (member === undefined || author === undefined || forge === null) {
        throw new TypeError(`No forge for "${name}"`);
      }
      const sent = await sendRevert(ctx, member, { fact, ticket: set.ticket_id, author });
      if (sent === "nothing") {
        rows.push(prRow(name, "unchanged", null, "nothing of it is left"));
        continue;
      }
      const { change } = await ensureOpen(forge, {
        head: branch,
        base,
        title: `Revert ${set.ticket_id}: #${number}`,
        body: `Takes back ${url}.\n\nLand those of ${set.ticket_id} in this order: ${order}.\n`,
        draft: false,
        labels: [],
        reviewers: [],
      });
      rows.push(prRow(name, "opened", change, `takes back #${number}`));
    } catch (thrown) {
      rows.push(failedRow(ctx, name, thrown));
    }
  }
  return rows;
}

/** `amof pr revert`. */
export const prRevert = mutation({
  ...CHANGING,
  name: "amof_pr_revert",
  path: ["pr", "revert"],
  asks: {
    deed: "revert",
    will: "push, and open pull requests",
    verb: "open pull requests that take back",
  },
  runs: "pr_revert",
  idempotent: true,
  title: "Revert pull requests",
  summary: "Open pull requests that take back what of a ticket has landed, newest first.",
  description:
    "Each repository gets a branch revert/ID-NUMBER with one commit on top of its base branch, made without a working copy, and a pull request from it: nothing is merged. What others have changed since in the same files cannot be taken back so: the files are named, and no pull request is made there.",
  examples: ["pr revert PROJ-123", "pr revert PROJ-123 --repo api"],
  input: (z) => ({
    ...setInput(z),
  }),
  async preview(ctx, input) {
    const facts = await planRevert(ctx, input);
    const { repos, ticket_id: id, done } = facts;
    return {
      facts,
      subject: { name: `ticket ${id}` },
      summary: repos.length === 0
        ? `Would take back nothing of ${cleanLine(id, 30)}: all of it is.`
        : `Would open ${count(repos.length, "pull request")} to take back ${cleanLine(id, 24)}.`,
      effects: repos.map(describe),
      details: [
        ...repos.map(describe),
        ...done.map(({ name, number, detail }) => `${name}  skipped: #${number} is ${detail}`),
      ],
      irreversible: "Others see pull requests and pushed commits at once.",
      current: `${count(repos.length, "merged pull request")} to take back`,
      alternatives: [`Look at them first: amof pr status ${id}`],
      ...(repos.length === 0 ? { settled: conclude(facts, []) } : {}),
    };
  },
  undo: {
    irreversible: "what is pushed and opened",
  },
  async execute(ctx, input, facts) {
    const set = await changeSet(ctx, input);
    return conclude(facts, await revertAll(ctx, set, facts));
  },
  render({ ticket_id: id, repos }: PrData) {
    const opened = repos.filter(({ result }) => result === "opened");
    const said = opened.length === 0
      ? `Opened nothing for ${cleanLine(id, 24)}`
      : `Opened ${count(opened.length, "pull request")} to take back ${cleanLine(id, 24)}`;
    return renderRows(said, repos);
  },
});
