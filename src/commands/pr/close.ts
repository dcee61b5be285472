/** `amof pr close`: closes the open pull requests of a ticket without merging them (CHANGE-7). */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import { type ExecuteContext, mutation, type Result } from "../../contract/mod.ts";
import { inPoolOf, repoDirectory } from "../../workspace/mod.ts";
import {
  CHANGING,
  concludeRows,
  failedRow,
  type PrData,
  type PrRow,
  prRow,
  renderRows,
  setInput,
} from "./rows.ts";
import { seek } from "./look.ts";
import { type ChangeSet, changeSet, inPrivate, type Member, remoteTip } from "./set.ts";
import { sha, shortSha } from "../../base/ids.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { Bundles } from "../../git/write/mod.ts";

interface CloseFact {
  readonly name: string;
  readonly number: number;
  readonly host: string;
  readonly branch: string;
  readonly base: string;
  /** The commit it is at. */
  readonly head: string;
  /** Whether it is closed already, and only its branch goes. */
  readonly closed: boolean;
  readonly deletes: boolean;
}

interface CloseFacts {
  readonly ticket_id: string;
  readonly repos_affected: readonly string[];
  readonly repos: readonly CloseFact[];
}

function conclude(ticket_id: string, rows: readonly PrRow[]): Result<PrData> {
  return concludeRows(ticket_id, rows, {
    verb: "Closed",
    done: rows.filter(({ code }) => code === null).length,
  });
}

/** Deletes a branch of a remote where it is at a commit; a word about it. Throws `push_refused` where it is refused. */
async function deleteRemoteBranch(
  ctx: ExecuteContext,
  member: Member,
  expected: string,
): Promise<"deleted" | "gone"> {
  const there = await remoteTip(ctx, member, member.branch);
  if (there === null) return "gone";
  if (there !== expected) {
    throw new AmofError(
      "change_moved",
      `${cleanLine(member.branch, 60)} of ${member.name} is at ${shortSha(there)} now and stays`,
    );
  }
  return await inPrivate(ctx, member, there, async (repository): Promise<"deleted"> => {
    const sent = await repository.part(Bundles).send({
      commit: null,
      branch: member.branch,
      expected: sha(expected),
    });
    if (sent.ok) return "deleted";
    throw new AmofError(
      "push_refused",
      `Cannot delete ${cleanLine(member.branch, 60)} of ${member.name}: ${
        maskSecrets(cleanLine(sent.reason ?? "the remote refuses it", 200))
      }`,
    );
  });
}

function closeAll(
  ctx: ExecuteContext,
  set: ChangeSet,
  facts: CloseFacts,
): Promise<readonly PrRow[]> {
  return inPoolOf(ctx, "closing", facts.repos, async (fact): Promise<PrRow> => {
    const { name, number, branch, base, head } = fact;
    try {
      if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
      const member = set.members.find((one) => one.name === name);
      const forge = member?.forge ?? null;
      const change = await forge?.find(branch, base) ?? null;
      if (member === undefined || forge === null || change?.number !== number) {
        throw new AmofError("change_moved", `#${number} of ${name} is no longer there`);
      }
      if (change.state === "merged" || change.head.sha !== head) {
        throw new AmofError(
          "change_moved",
          change.state === "merged"
            ? `#${number} of ${name} was merged meanwhile`
            : `#${number} of ${name} has moved: previewed ${shortSha(head)}, now ${
              shortSha(change.head.sha)
            }`,
        );
      }
      if (change.state === "open") await forge.edit(change, { state: "closed" });
      const gone = fact.deletes ? await deleteRemoteBranch(ctx, member, head) : null;
      if (gone !== null && set.workspace !== null) {
        // Its clone, where there is one, learns of it: a later push has to send the branch again.
        const directory = await repoDirectory(ctx.system, set.workspace.directory, member.repo);
        await ctx.git.at(directory, name).remotes.fetch(member.base).catch(() => {});
      }
      const detail = gone === null ? "" : `branch ${gone}`;
      return prRow(name, "closed", change, detail);
    } catch (thrown) {
      return failedRow(ctx, name, thrown);
    }
  });
}

/** `amof pr close`. */
export const prClose = mutation({
  ...CHANGING,
  name: "amof_pr_close",
  path: ["pr", "close"],
  asks: { deed: "closing", will: "close pull requests", verb: "close pull requests" },
  runs: "pr_close",
  idempotent: true,
  title: "Close pull requests",
  summary: "Close the open pull requests of a ticket without merging them.",
  description:
    "The branches stay, here and at the remotes. With --delete-branches those of the remotes go, too, where they are at the commit that was previewed; as that may be the only place that has it, the ticket's id is asked for.",
  examples: ["pr close PROJ-123", "pr close --repo api", "pr close PROJ-123 --delete-branches"],
  input: (z) => ({
    ...setInput(z),
    delete_branches: z.boolean().default(false).describe("Delete their branches at the remotes"),
  }),
  raised: ({ delete_branches }) => delete_branches ? { confirm: "type" } : null,
  async preview(ctx, input) {
    const set = await changeSet(ctx, input);
    const id = set.ticket_id;
    const seen = await seek(ctx, set);
    const failed = seen.find(({ error }) => error !== null);
    if (failed?.error) throw failed.error;
    const facts: CloseFacts = {
      ticket_id: id,
      repos_affected: [],
      repos: seen.flatMap(({ name, member, forge, change }): CloseFact[] => {
        if (forge === null || change === null || change.state === "merged") return [];
        // Behind a call that was cut off a branch may be left.
        if (change.state === "closed" && !input.delete_branches) return [];
        return [{
          name,
          number: change.number,
          host: forge.slug.host,
          branch: member.branch,
          base: member.base,
          head: change.head.sha,
          closed: change.state === "closed",
          deletes: input.delete_branches,
        }];
      }),
    };
    const lines = facts.repos.map(({ name, number, branch, head, closed, deletes }) =>
      `${name}  ${closed ? `#${number} is closed` : `close #${number}`}${
        deletes ? `; delete ${cleanLine(branch, 60)} at ${shortSha(head)}` : ""
      }`
    );
    return {
      facts: { ...facts, repos_affected: facts.repos.map(({ name }) => name) },
      subject: { name: `ticket ${id}`, typed: { what: "ticket", value: id } },
      summary: lines.length === 0
        ? `Would close nothing of ${cleanLine(id, 30)}: nothing is open.`
        : `Would close ${count(lines.length, "pull request")} of ${cleanLine(id, 30)}.`,
      effects: lines,
      ...(input.delete_branches
        ? {
          irreversible: "The remotes may be the only place that has the commits of these branches.",
        }
        : {}),
      current: `${count(lines.length, "pull request")} of ${count(seen.length, "repo")}`,
      alternatives: ["Look at them first: amof pr status"],
      ...(lines.length === 0 ? { settled: conclude(id, []) } : {}),
    };
  },
  undo: {
    irreversible: "that they are closed",
  },
  async execute(ctx, input, facts) {
    const set = await changeSet(ctx, input);
    return conclude(facts.ticket_id, await closeAll(ctx, set, facts));
  },
  render({ ticket_id: id, repos }: PrData) {
    const done = repos.filter(({ code }) => code === null).length;
    const said = `Closed ${done === 0 ? "nothing" : count(done, "pull request")} of ${
      cleanLine(id, 24)
    }`;
    const shown = renderRows(said, repos, repos.length === 0 ? ": nothing is open" : "");
    return repos.length === 0 ? { ...shown, details: "" } : shown;
  },
});
