/** `amof pr update`: sends new commits of a ticket, and brings what its pull requests say up to date (CHANGE-7). */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Result,
} from "../../contract/mod.ts";
import type { ChangeEdit } from "../../forge/mod.ts";
import { inPoolOf } from "../../workspace/mod.ts";
import type { SkipFact } from "../outgoing/skip.ts";
import type { PushFact } from "../push/plan.ts";
import { sendAll } from "../push/send.ts";
import { bodyAsked, linkFor, withBlock, type WordsInput, wordsInput } from "./ensure.ts";
import {
  CHANGING,
  concludeRows,
  failedRow,
  heldRow,
  type PrData,
  type PrRow,
  prRow,
  renderRows,
  setInput,
  unpushedRow,
} from "./rows.ts";
import { seek } from "./look.ts";
import { activeSet, type ChangeSet, changeSet, pushOf, type SetInput } from "./set.ts";

/** A pull request that would be another one. */
interface UpdateFact {
  readonly name: string;
  readonly number: number;
  readonly host: string;
  readonly branch: string;
  readonly base: string;
  /** What it will say; null stays. */
  readonly title: string | null;
  readonly body: string | null;
  readonly draft: boolean | null;
  /** How many commits are pushed first. */
  readonly pushes: number;
}

interface UpdateFacts {
  readonly ticket_id: string;
  readonly repos_affected: readonly string[];
  readonly repos: readonly UpdateFact[];
  readonly push: readonly PushFact[];
  readonly held: readonly SkipFact[];
  readonly unchanged: readonly { readonly name: string; readonly number: number }[];
}

interface UpdateInput extends SetInput, WordsInput {
  readonly draft?: boolean | undefined;
}

/** What would become of the pull requests of a ticket. */
async function planUpdate(
  ctx: CommandContext,
  input: UpdateInput,
  agreed: UpdateFacts | undefined,
): Promise<UpdateFacts> {
  const set = await activeSet(ctx, input);
  const asked = await bodyAsked(ctx, input);
  const [seen, push] = await Promise.all([seek(ctx, set), pushOf(ctx, set, agreed?.push)]);
  const failed = seen.find(({ error }) => error !== null);
  if (failed?.error) throw failed.error;
  const open = seen.filter(({ change }) => change?.state === "open");
  if (open.length === 0) {
    throw new AmofError(
      "change_not_found",
      `Cannot update ${set.ticket_id}: it has no open pull request`,
      { hint: `Open it first: amof pr open ${set.ticket_id}` },
    );
  }
  const repos: UpdateFact[] = [];
  const unchanged: { name: string; number: number }[] = [];
  for (const { name, member, forge, change } of open) {
    if (change === null || forge === null) continue;
    const going = push.repos.find((fact) => fact.name === name);
    const body = withBlock(
      asked === undefined ? change.body : `${asked.trimEnd()}\n`,
      set.ticket_id,
      linkFor(set, name, seen),
    );
    const fact: UpdateFact = {
      name,
      number: change.number,
      host: forge.slug.host,
      branch: member.branch,
      base: member.base,
      title: input.title === undefined || input.title === change.title ? null : input.title,
      body: body === change.body ? null : body,
      draft: input.draft === undefined || input.draft === change.draft ? null : input.draft,
      pushes: going?.ahead ?? 0,
    };
    const same = fact.title === null && fact.body === null && fact.draft === null;
    if (same && going === undefined) unchanged.push({ name, number: change.number });
    else repos.push(fact);
  }
  const names = new Set(open.map(({ name }) => name));
  return {
    ticket_id: set.ticket_id,
    repos_affected: repos.map(({ name }) => name),
    repos,
    push: push.repos.filter(({ name }) => names.has(name)),
    held: push.skipped.filter(({ name, blocked }) => blocked && names.has(name)),
    unchanged,
  };
}

function describe({ name, number, title, body, draft, pushes }: UpdateFact): string {
  const what = [
    ...(pushes > 0 ? [`push ${count(pushes, "commit")}`] : []),
    ...(title === null ? [] : [`title: ${cleanLine(title, 80)}`]),
    ...(body === null ? [] : ["text"]),
    ...(draft === null ? [] : [draft ? "a draft again" : "ready for review"]),
  ];
  return `${name}  #${number}  ${what.join("; ")}`;
}

function conclude(
  { ticket_id, held, unchanged }: UpdateFacts,
  done: readonly PrRow[],
): Result<PrData> {
  const rows = [
    ...done,
    ...held.map(heldRow),
    ...unchanged.filter(({ name }) => !held.some((skip) => skip.name === name)).map((
      { name, number },
    ) => ({ ...prRow(name, "unchanged", null), number })),
  ];
  return concludeRows(ticket_id, rows, {
    verb: "Updated",
    done: rows.filter(({ result }) => result === "updated").length,
  });
}

/** Does what was agreed to. Each edit says all that it leads to, so that it can be repeated. */
async function updateAll(
  ctx: ExecuteContext,
  set: ChangeSet,
  facts: UpdateFacts,
): Promise<readonly PrRow[]> {
  const pushed = facts.push.length === 0
    ? []
    : await sendAll(ctx, set.manifest, { repos: facts.push, message: null }, []);
  return await inPoolOf(ctx, "updating", facts.repos, async (fact): Promise<PrRow> => {
    const { name, number, branch, base, title, body, draft } = fact;
    const sent = pushed.find((row) => row.name === name);
    const unpushed = unpushedRow(sent);
    if (unpushed !== null) return unpushed;
    try {
      if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
      const forge = set.members.find((member) => member.name === name)?.forge ?? null;
      const change = await forge?.find(branch, base) ?? null;
      if (forge === null || change?.number !== number || change.state !== "open") {
        throw new AmofError("change_moved", `#${number} of ${name} is no longer open`);
      }
      const fields: ChangeEdit = {
        ...(title === null ? {} : { title }),
        ...(body === null ? {} : { body }),
        ...(draft === null ? {} : { draft }),
      };
      await forge.edit(change, fields);
      return prRow(
        name,
        "updated",
        change,
        sent === undefined ? "" : `pushed ${sent.commit?.slice(0, 7)}`,
      );
    } catch (thrown) {
      return failedRow(ctx, name, thrown);
    }
  });
}

/** `amof pr update`. */
export const prUpdate = mutation({
  ...CHANGING,
  name: "amof_pr_update",
  path: ["pr", "update"],
  asks: { deed: "update", will: "push, and change pull requests", verb: "update pull requests" },
  runs: "pr_update",
  needs: "a workspace",
  idempotent: true,
  title: "Update pull requests",
  summary: "Push new commits of a ticket, and bring title, text and links of its pull requests up.",
  description:
    "Of a text only the part that links the pull requests of the ticket is written anew, unless --body or --body-file says another one. --ready and --draft turn drafts into pull requests that can be reviewed, and back. Nothing is pushed by force.",
  switches: { ready: { draft: false }, draft: { draft: true } },
  instead: { force: "Nothing is pushed by force\nTake in what the remotes have first: amof sync" },
  examples: [
    "pr update",
    "pr update PROJ-123 --ready",
    "pr update --repo api --title 'Fix the login'",
  ],
  input: (z) => ({
    ...setInput(z),
    draft: z.boolean().optional().describe("True makes drafts of them, false makes them ready"),
    ...wordsInput(z),
  }),
  async preview(ctx, input, agreed: UpdateFacts | undefined) {
    const facts = await planUpdate(ctx, input, agreed);
    const { repos, held, ticket_id: id } = facts;
    return {
      facts,
      subject: { name: `ticket ${id}` },
      summary: repos.length === 0
        ? `Would update nothing of ${cleanLine(id, 30)}.`
        : `Would update ${count(repos.length, "pull request")} of ${cleanLine(id, 30)}.`,
      effects: repos.map(describe),
      details: [
        ...repos.map(describe),
        ...held.map(({ name, detail }) => `${name}  held back: ${detail}`),
      ],
      irreversible: "Others see pushed commits and new texts at once.",
      current: `${count(facts.push.length, "repo")} to push, ${held.length} held back`,
      alternatives: ["Look at them first: amof pr status"],
      ...(repos.length === 0 ? { settled: conclude(facts, []) } : {}),
    };
  },
  undo: {
    irreversible: "what is pushed and said",
  },
  async execute(ctx, input, facts) {
    const set = await changeSet(ctx, input);
    return conclude(facts, await updateAll(ctx, set, facts));
  },
  render({ ticket_id: id, repos }: PrData) {
    const done = repos.filter(({ result }) => result === "updated");
    const said = `Updated ${
      done.length === 0 ? "nothing" : count(done.length, "pull request")
    } of ${cleanLine(id, 24)}`;
    return renderRows(said, repos);
  },
});
