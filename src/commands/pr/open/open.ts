/** `amof pr open`: pushes the branches of a ticket, and opens its pull requests as one thing (CHANGE-4). */

import { cleanLine } from "../../../base/text/sanitize.ts";
import { count } from "../../../base/text/words.ts";
import { type ExecuteContext, mutation, type Result } from "../../../contract/mod.ts";
import type { PushRow } from "../../push/skip.ts";
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
} from "../rows.ts";
import { type ChangeSet, changeSet } from "../set.ts";
import { ensureOpen, linkedBody, wordsInput } from "../ensure.ts";
import { type OpenFact, type OpenFacts, planOpen } from "./plan.ts";
import { AmofError } from "../../../base/error.ts";
import type { Forge, PullRequest } from "../../../forge/mod.ts";
import { inPoolOf } from "../../../workspace/mod.ts";
import { sendAll } from "../../push/send.ts";
import { seek } from "../look.ts";
import { shortSha } from "../../../base/ids.ts";

/** A pull request with the way to it. */
interface Linked {
  readonly name: string;
  readonly forge: Forge;
  readonly change: PullRequest;
}

/** Writes the links of all that are open and lack them; answers those that failed. Harmless to repeat. */
async function linkAll(
  ctx: ExecuteContext,
  set: ChangeSet,
  all: readonly Linked[],
): Promise<readonly PrRow[]> {
  const failed = await inPoolOf(ctx, "linking", all, async ({ name, forge, change }) => {
    const body = linkedBody(set, name, change, all);
    if (change.state !== "open" || body === change.body) return [];
    try {
      await forge.edit(change, { body });
      return [];
    } catch (thrown) {
      return [failedRow(ctx, name, thrown)];
    }
  });
  return failed.flat();
}

/** What came of a repository, and its pull request where it has one. */
interface Opened {
  readonly row: PrRow;
  readonly linked: Linked | null;
}

async function openFor(
  ctx: ExecuteContext,
  { fact, forge, pushed }: {
    readonly fact: OpenFact;
    readonly forge: Forge | null;
    /** What came of its push; undefined where nothing had to be pushed. */
    readonly pushed: PushRow | undefined;
  },
): Promise<Opened> {
  const { name } = fact;
  const only = (row: PrRow): Opened => ({ row, linked: null });
  const unpushed = unpushedRow(pushed);
  if (unpushed !== null) return only(unpushed);
  if (forge === null) {
    const url = pushed?.pull_request_url ?? null;
    const said = url ?? pushed?.pull_request_text ?? "its remote says nothing of a pull request";
    return only({ ...prRow(name, "pushed", null, `open it there: ${said}`), url });
  }
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
    const { branch: head, base, title, body, draft, labels, reviewers } = fact;
    const wish = { head, base, title, body, draft, labels, reviewers };
    const { change, made } = await ensureOpen(forge, wish);
    const detail = pushed === undefined ? "" : `pushed ${shortSha(pushed.commit)}`;
    ctx.report.log("info", `${name}: ${made ? "opened" : "found"} #${change.number}`, {
      type: "repo",
      payload: { repo: name, number: change.number },
    });
    return {
      row: prRow(name, made ? "opened" : "updated", change, detail),
      linked: { name, forge, change },
    };
  } catch (thrown) {
    return only(failedRow(ctx, name, thrown));
  }
}

/**
 * Opens all of them; a row for each repository, in the order to land. Each is looked for again first: cut off anywhere,
 * it is repeated without making anything twice.
 */
async function openAll(
  ctx: ExecuteContext,
  set: ChangeSet,
  facts: OpenFacts,
): Promise<readonly PrRow[]> {
  const { manifest, members } = set;
  const pushed = facts.push.length === 0
    ? []
    : await sendAll(ctx, manifest, { repos: facts.push, message: null }, []);
  const opened = await inPoolOf(ctx, "opening", facts.repos, (fact) =>
    openFor(ctx, {
      fact,
      forge: members.find(({ name }) => name === fact.name)?.forge ?? null,
      pushed: pushed.find(({ name }) => name === fact.name),
    }));
  const rows = opened.map(({ row }) => row);
  const fresh = opened.flatMap(({ linked }) => linked === null ? [] : [linked]);
  // Others of the set may be open, or have landed, without a part in this call.
  const others = (await seek(ctx, set)).flatMap(({ name, forge, change }): Linked[] =>
    forge === null || change === null || fresh.some((one) => one.name === name)
      ? []
      : [{ name, forge, change }]
  );
  const unlinked = await linkAll(ctx, set, [...fresh, ...others]);
  return [
    ...rows.map((row) => unlinked.find(({ name }) => name === row.name) ?? row),
    ...unlinked.filter(({ name }) => !rows.some((row) => row.name === name)),
    ...restRows(facts),
  ];
}

/** So much of a body is shown before it is opened. */
const SHOWN_LINES = 4;

function conclude(id: string, rows: readonly PrRow[]): Result<PrData> {
  const done = rows.filter((row) => row.code === null && row.result !== "skipped").length;
  return concludeRows(id, rows, { verb: "Opened", done });
}

/** The rows of what there is nothing to do for, or nothing can be done. */
function restRows({ held, without }: OpenFacts): readonly PrRow[] {
  return [
    ...held.map(heldRow),
    ...without.map(({ name, reason }) => prRow(name, "skipped", null, reason)),
  ];
}

const DEEDS: Readonly<Record<OpenFact["deed"], string>> = {
  create: "new pull request",
  link: "link to the others",
  push: "push alone",
};

function describe({ name, deed, branch, base, commits, number, draft, pushes }: OpenFact): string {
  const what = number === null ? DEEDS[deed] : `${DEEDS[deed]}, #${number}`;
  return `${name}  ${cleanLine(branch, 60)} → ${base}  (${draft ? "draft " : ""}${what}, ${
    count(commits, "commit")
  }${pushes ? ", pushed first" : ""})`;
}

/** What would be read at the forge. */
function contents(fact: OpenFact): string {
  const lines = fact.body.split(/\r?\n/).filter((line) => line.trim() !== "");
  return [
    describe(fact),
    ...(fact.deed === "create" ? [`    title: ${cleanLine(fact.title)}`] : []),
    ...lines.slice(0, SHOWN_LINES).map((line) => `    │ ${cleanLine(line, 100)}`),
    ...(lines.length > SHOWN_LINES
      ? [`    … and ${count(lines.length - SHOWN_LINES, "more line")}`]
      : []),
    ...(fact.labels.length === 0 ? [] : [`    labels: ${fact.labels.join(", ")}`]),
    ...(fact.reviewers.length === 0 ? [] : [`    review by: ${fact.reviewers.join(", ")}`]),
  ].join("\n");
}

/** `amof pr open`. */
export const prOpen = mutation({
  ...CHANGING,
  name: "amof_pr_open",
  path: ["pr", "open"],
  asks: { deed: "opening", verb: "open pull requests", will: "push, and open pull requests" },
  runs: "pr_open",
  needs: "a workspace",
  idempotent: true,
  title: "Open pull requests",
  summary: "Push a ticket's branches and open its pull requests, linked to each other.",
  description:
    "A repository with commits beyond its base branch gets one, with the template of its base branch as text unless --body or --body-file says another, and a part at its end that names the others in the order to land (depends_on). Drafts, labels and reviewers are those of review: in the manifest. What is open already is found again and only linked, so a call that was cut off is repeated. Nothing is pushed by force; where the remote is at no forge that is spoken to, it is pushed, and the link that the remote answers is shown.",
  instead: { force: "Nothing is pushed by force\nTake in what the remotes have first: amof sync" },
  examples: ["pr open", "pr open PROJ-123 --draft", "pr open --body-file notes.md --dry-run"],
  input: (z) => ({
    ...setInput(z),
    draft: z.boolean().optional().describe("Open drafts; as the manifest says when absent"),
    ...wordsInput(z),
  }),
  async preview(ctx, input, agreed: OpenFacts | undefined) {
    const { facts } = await planOpen(ctx, input, agreed);
    const { repos, held, ticket_id: id } = facts;
    const made = repos.filter(({ deed }) => deed === "create").length;
    const linked = repos.filter(({ deed }) => deed === "link").length;
    return {
      facts,
      subject: { name: `ticket ${id}` },
      summary: repos.length === 0
        ? held.length > 0
          ? `Would open nothing of ${cleanLine(id, 30)}: what there is is held back.`
          : `Would open nothing of ${cleanLine(id, 30)}.`
        : made === 0 && linked === 0
        ? `Would push ${count(repos.length, "repo")} of ${cleanLine(id, 30)}.`
        : made === 0
        ? `Would update ${count(linked, "pull request")} of ${cleanLine(id, 30)}.`
        : `Would open ${count(made, "pull request")} of ${cleanLine(id, 30)}.`,
      effects: repos.map(describe),
      details: [
        ...repos.map(contents),
        ...held.map(({ name, detail }) => `${name}  held back: ${detail}`),
        ...facts.without.map(({ name, reason }) => `${name}  skipped: ${reason}`),
      ],
      ...(made === 0 && linked === 0 ? { will: "push" } : {}),
      irreversible:
        "Others see pull requests and pushed commits at once; closing them leaves them in the history.",
      current: `${count(facts.push.length, "repo")} to push, ${held.length} held back`,
      alternatives: [
        "Look at them first: amof pr status",
        "Only push: amof push",
      ],
      ...(repos.length === 0 ? { settled: conclude(id, restRows(facts)) } : {}),
    };
  },
  undo: {
    irreversible: "what is pushed and opened",
  },
  async execute(ctx, input, facts) {
    const set = await changeSet(ctx, input);
    return conclude(facts.ticket_id, await openAll(ctx, set, facts));
  },
  render({ ticket_id: id, repos }: PrData) {
    const opened = repos.filter(({ result }) => result === "opened");
    const updated = repos.filter(({ result }) => result === "updated");
    // Where no forge is spoken to, there is no pull request yet.
    const pushed = repos.filter(({ result }) => result === "pushed");
    const done = opened.length > 0
      ? `Opened ${count(opened.length, "pull request")} of ${cleanLine(id, 24)}`
      : updated.length > 0
      ? `Updated ${count(updated.length, "pull request")} of ${cleanLine(id, 24)}`
      : pushed.length > 0
      ? `Pushed ${count(pushed.length, "repo")} of ${cleanLine(id, 24)}`
      : `Opened nothing of ${cleanLine(id, 24)}`;
    return renderRows(done, repos);
  },
});
