/**
 * `amof pr open`: pushes the branches of a ticket, and opens its pull requests as one thing (CHANGE-4).
 *
 * @module
 */

import { cleanLine } from "../../../base/text/sanitize.ts";
import { count } from "../../../base/text/words.ts";
import { mutation, type Result } from "../../../contract/mod.ts";
import { skippedRow } from "../../push/one.ts";
import { type PrRow, prRow, prTable } from "../row.ts";
import { CHANGING, concludeRows, type PrData, setInput } from "../declare.ts";
import { changeSet } from "../set.ts";
import { wordsInput } from "../words.ts";
import { openAll } from "./act.ts";
import { type OpenFact, type OpenFacts, planOpen } from "./plan.ts";

/** So much of a body is shown before it is opened. */
const SHOWN_LINES = 4;

function conclude(id: string, rows: readonly PrRow[]): Result<PrData> {
  const done = rows.filter((row) => row.code === null && row.result !== "skipped").length;
  return concludeRows(id, rows, { verb: "Opened", done });
}

/** The rows of what there is nothing to do for, or nothing can be done. */
function restRows({ held, without }: OpenFacts): readonly PrRow[] {
  return [
    ...held.map((skip): PrRow => {
      const { name, detail, code, fix } = skippedRow(skip, false);
      return { ...prRow(name, "skipped", null, detail), code, fix };
    }),
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
  inWorkspace: true,
  idempotent: true,
  title: "Open pull requests",
  summary: "Push a ticket's branches and open its pull requests, linked to each other.",
  description:
    "A repository with commits beyond its base branch gets one, with the template of its base branch as text unless --body or --body-file says another, and a part at its end that names the others in the order to land (depends_on). Drafts, labels and reviewers are those of review: in the manifest. What is open already is found again and only linked, so a call that was cut off is repeated. Nothing is pushed by force; where the remote is at no forge that is spoken to, it is pushed, and the link that the remote answers is shown.",
  instead: { force: "Nothing is pushed by force\nTake in what the remotes have first: amof sync" },
  examples: ["pr open", "pr open PROJ-123 --draft", "pr open --body-file notes.md --dry-run"],
  input: (z) =>
    z.strictObject({
      ...setInput(z),
      draft: z.boolean().optional().describe("Open drafts; as the manifest says when absent"),
      ...wordsInput(z),
    }),
  async preview(ctx, input, agreed: OpenFacts | undefined) {
    const { facts } = await planOpen(ctx, input, agreed);
    const { repos, held, ticket_id: id } = facts;
    const made = repos.filter(({ deed }) => deed === "create").length;
    return {
      facts,
      subject: { name: `ticket ${id}` },
      summary: repos.length === 0
        ? held.length > 0
          ? `Would open nothing of ${cleanLine(id, 30)}: what there is is held back.`
          : `Would open nothing of ${cleanLine(id, 30)}: nothing is missing.`
        : made === 0
        ? `Would update ${count(repos.length, "pull request")} of ${cleanLine(id, 30)}.`
        : `Would open ${count(made, "pull request")} of ${cleanLine(id, 30)}.`,
      effects: repos.map(describe),
      details: [
        ...repos.map(contents),
        ...held.map(({ name, detail }) => `${name}  held back: ${detail}`),
        ...facts.without.map(({ name, reason }) => `${name}  skipped: ${reason}`),
      ],
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
  lasts: "what is pushed and opened",
  async execute(ctx, input, facts) {
    const set = await changeSet(ctx, input);
    return conclude(facts.ticket_id, await openAll(ctx, set, facts));
  },
  render({ ticket_id: id, repos }: PrData) {
    const bad = repos.filter(({ code }) => code !== null);
    const opened = repos.filter(({ result }) => result === "opened");
    const others = repos.filter(({ result }) => result === "updated" || result === "pushed");
    const done = opened.length > 0
      ? `Opened ${count(opened.length, "pull request")} of ${cleanLine(id, 24)}`
      : others.length > 0
      ? `Updated ${count(others.length, "pull request")} of ${cleanLine(id, 24)}`
      : `Opened nothing of ${cleanLine(id, 24)}`;
    return {
      summary: bad.length === 0
        ? `${done}${opened.length + others.length === 0 ? ": nothing is missing" : ""}.`
        : `${done}; ${cleanLine(bad[0]?.name ?? "", 20)} did not go.`,
      details: prTable(repos),
    };
  },
});
