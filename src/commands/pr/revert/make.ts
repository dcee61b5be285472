/**
 * Makes the commit that takes back a merged pull request, in a private repository, and sends it to a branch of its own
 * (CHANGE-9).
 */

import { AmofError } from "../../../base/error.ts";
import { type Sha, sha } from "../../../base/ids.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { few } from "../../../base/text/words.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import type { Repository } from "../../../git/mod.ts";
import { type Authorship, Bundles, Reverting } from "../../../git/write/mod.ts";
import { inPrivate, remoteTip } from "../remote.ts";
import type { Member } from "../set.ts";

/** What is taken back. */
export interface RevertFact {
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
  const { landed, history, remotes } = repository;
  const merge = sha(merge_sha);
  const [first, ...others] = await repository.part(Reverting).parents(merge);
  if (first === undefined) throw failed(name, "it is the first commit of its branch");
  if (others.length > 0) return first;
  const tip = sha(head);
  if (!await remotes.fetchCommit(tip, { alone: false })) {
    throw failed(name, "its remote no longer has the commits that it was made of");
  }
  const { how } = await landed.find(tip, merge);
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
export async function sendRevert(
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
      throw failed(name, `${cleanLine(base, 60)} no longer has ${merge.slice(0, 7)}`);
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
