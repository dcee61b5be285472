/**
 * `amof push`: sends local commits of every writable repository to its remote (WORKSPACE-16).
 *
 * Never commits unless asked, never touches a base branch unless asked, never forces, sends only what is
 * ahead, and exactly the commits that were previewed. The control repository is left alone.
 */

import { foldingInput } from "../../contract/input.ts";
import {
  type CommandContext,
  mutation,
  onlyTyped,
  type Result,
  unlisted,
} from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { noteLines } from "../advice/need_lines.ts";
import { foldedRepos, type Part } from "../../base/text/parts.ts";
import { Brief, MANY, table } from "../../base/text/table.ts";
import { count, few } from "../../base/text/words.ts";
import { allowNoTouch, type Manifest } from "../../workspace/manifest/mod.ts";
import { requireWorkspace } from "../../workspace/mod.ts";
import { unsentOutside } from "../look/drift.ts";
import { type Outcome, outcomeOf } from "../../contract/outcome.ts";
import { isSelecting, noneStands, SELECTION_FLAGS, selectionInput } from "../selection/mod.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import { contentLines, pullRequestLines } from "../outgoing/contents.ts";
import { unknownText } from "../outgoing/files.ts";
import { planPush, type PushFact, type PushFacts } from "./plan.ts";
import { isFailure, nothingGone, type PushInput, type PushRow, skippedRow } from "./skip.ts";
import { leftOutLines, type SkipFact } from "../outgoing/skip.ts";

/** The answer: one row per repository, in manifest order. */
interface PushData {
  readonly outcome: Outcome;
  /** The message of its commits where none was given; absent where nothing was committed, or one was. */
  readonly committed_as?: string;
  readonly repos: readonly PushRow[];
  /** What is said of clones that left the manifest with commits which no remote has; absent where there are none. */
  readonly warnings?: readonly string[];
}

/** Of a push of everything: that it cannot send what is in clones which left the manifest. */
async function outsideText(
  ctx: CommandContext,
  input: PushInput,
  manifest: Manifest,
): Promise<Pick<PushData, "warnings">> {
  if (isSelecting(input)) return {};
  const { directory } = await requireWorkspace(ctx, ctx.root, manifest);
  const warnings = await unsentOutside(ctx, manifest, directory);
  return warnings.length === 0 ? {} : { warnings };
}

/** The warnings as they stand among the details. */
function warningLines({ warnings = [] }: Pick<PushData, "warnings">): string[] {
  return warnings.map((warning) => `⚠ ${warning}`);
}

/** What is said of repositories that a push rightly leaves out. */
const IDLE = "with nothing to push";

/** What would be held back and be no failure of a push of which nothing else came. */
function heldBack(facts: PushFacts): PushRow[] {
  return facts.skipped.map((fact) => skippedRow(fact, false)).filter(({ held }) => held);
}

/** What is said of work that no push of this is about: that of other repositories, or of branches not checked out. */
const OTHER_WORK = "not sent";

function otherWorkText(held: readonly PushRow[]): string {
  return held.length === 0 ? "" : `; ${few(held.map(({ name }) => name), 1)} ${OTHER_WORK}`;
}

/** Why nothing goes where that is no failure. */
function upToDate(
  nothing: string,
  held: readonly PushRow[],
  { warnings = [] }: Pick<PushData, "warnings">,
): string {
  const every = warnings.length === 0 ? "every repo" : "every repo of the manifest";
  const what = held.length === 0 ? every : "the rest";
  return `${nothing}: ${what} is up to date${otherWorkText(held)}.`;
}

/** Whether a row is about a repository that a push rightly leaves out, and not about work that is held back. */
function isIdle(row: PushRow | undefined): boolean {
  return row?.result === "skipped" && row.code === null && row.held !== true;
}

/** Puts rows in the order of the manifest and decides how the whole ended. */
function conclude(
  rows: readonly PushRow[],
  order: readonly string[],
  { isWhole, aside }: {
    readonly isWhole: boolean;
    readonly aside: Pick<PushData, "warnings">;
  },
): Result<PushData> {
  const sorted = order.flatMap((name) => rows.filter((row) => row.name === name));
  const first = sorted.find((row) => row.code !== null);
  const { outcome, ...failure } = outcomeOf(sorted, {
    done: sorted.filter((row) => row.result === "pushed").length,
    head: (done, of) => done > 0 ? `Pushed ${done} of ${of} repos;` : `${nothingGone(sorted)}:`,
    hint: first?.result === "failed" && first.fix === null
      ? "Fix the cause, then repeat the same command"
      : undefined,
    isWhole,
    told: ["name", "result", "code", "detail"],
  });
  return { data: { outcome, repos: sorted, ...aside }, ...failure };
}

/** One line about what would go of a repository. */
function describe(fact: PushFact): string {
  const commits = fact.commit_files > 0
    ? `${count(fact.commit_files, "file")} to commit${
      fact.ahead > 0 ? `, ${count(fact.ahead, "commit")} ahead` : ""
    }`
    : `${count(fact.ahead, "commit")} ahead`;
  return `${fact.name}  ${cleanLine(fact.branch)} → ${fact.remote}  (${commits}${
    fact.gone ? ", upstream gone: made again" : fact.new_branch ? ", new branch" : ""
  }${fact.confined ? ", without the settings and hooks of its clone" : ""})${
    fact.other_address === null ? "" : `; ${fact.other_address[0]}`
  }${unknownText(fact.unknown)}`;
}

/** What goes of a repository, with its commits and files below it. */
function contents(fact: PushFact): string {
  return [
    describe(fact),
    ...contentLines(fact, { commits: fact.ahead, files: fact.commit_files }),
  ].join("\n");
}

/** The same without the hashes of the commits, which are others in every repository. */
function contentsAlone(fact: PushFact): string {
  return contents({
    ...fact,
    commit_subjects: fact.commit_subjects.map((line) => line.replace(/^\S+ /, "")),
  });
}

/** Why repositories are left out: those that hold work back, and of many others how many they are. */
function skippedLines({ repos, skipped }: PushFacts, all: boolean): Part[] {
  const line = ({ name, detail }: SkipFact) => `${name}  skipped: ${detail}`;
  const isHeld = (fact: SkipFact) => fact.blocked || fact.unpushed === true;
  const idle = skipped.filter((fact) => !isHeld(fact));
  if (all || repos.length + skipped.length <= MANY || idle.length < 2) {
    return [...foldedRepos(skipped, line, { all })];
  }
  return [
    ...foldedRepos(skipped.filter(isHeld), line, {}),
    new Brief(idle.map(line).join("\n"), `${idle.length} ${IDLE}`),
  ];
}

/** `amof push`. */
export const push = mutation({
  name: "amof_push_ecosystem",
  path: ["push"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "push", will: "modify remote state" },
  runs: "push",
  locks: "scope",
  openWorld: true,
  needs: "a workspace",
  inTicket: "its workspace",
  title: "Push ecosystem",
  summary: "Push local commits of writable repositories; never forces.",
  description:
    "Dirty repositories are held back unless --commit is given, base branches unless --allow-base. Repositories that are behind their remote branch are held back, and so are branches that the remote no longer has (unless --allow-merged), and so are changes of no-touch paths (guardrails.no_touch_paths of the manifest) and, with --commit, new files that look secret. At a terminal --commit without -m opens the editor that git would open. A push that fails stops no other (exit code 5).",
  flags: { ...SELECTION_FLAGS, allow_secrets: "allow-secret" },
  short: { message: "m" },
  instead: { force: "Nothing is pushed by force\nTake in what the remotes have first: amof sync" },
  examples: [
    "push",
    "push --dry-run",
    'push --commit -m "PROJ-123 Fix the login"',
    "push --repo api --yes --json",
    "push --tag backend --only '!dirty'",
    "push --commit --allow-secret testing/server.key",
    "push --allow-no-touch legal/LICENSE --confirm-name demo",
  ],
  input: (z) => ({
    commit: z.boolean().default(false).describe("Commit changes first"),
    message: z.string().min(1).max(10_000).optional().describe("Its message"),
    allow_base: z.boolean().default(false).describe("Also push base branches"),
    allow_merged: unlisted(
      z.boolean().optional().describe(
        "Also push what is merged or lost its upstream, and what follows it",
      ),
    ),
    ...selectionInput(z),
    only: unlisted(selectionInput(z).only),
    ...foldingInput(z),
    allow_no_touch: allowNoTouch(z),
    allow_secrets: onlyTyped(
      z.array(z.string().min(1)).optional().describe(
        "Commit this new file although it looks secret",
      ),
    ),
  }),
  raised: (input) => input.allow_no_touch === undefined ? null : { confirm: "type" },
  async preview(ctx, input, agreed) {
    const { facts, manifest } = await planPush(ctx, input, agreed);
    const aside = await outsideText(ctx, input, manifest);
    const order = manifest.repos.map((repo) => repo.name);
    const total = facts.repos.reduce((sum, fact) => sum + fact.ahead, 0);
    return {
      facts,
      summary: facts.repos.length > 0
        ? `Would push ${count(facts.repos.length, "repo")}.`
        : facts.skipped.some((fact) => isFailure(fact, false))
        ? "Would push nothing: what there is to push is held back."
        : noneStands(facts.skipped.length === 0 ? input : {}) ??
          upToDate("Would push nothing", heldBack(facts), aside),
      effects: facts.repos.map(describe),
      details: [
        ...foldedRepos(facts.repos, contents, {
          all: input.all,
          brief: contentsAlone,
          isPlain: ({ no_touch, secrets, other_address: other }) =>
            no_touch.length + secrets.length === 0 && other === null,
        }),
        ...skippedLines(facts, input.all === true),
        ...(facts.repos.length === 0 ? leftOutLines(heldBack(facts), OTHER_WORK) : []),
        ...warningLines(aside),
        ...(facts.message === null ? [] : [`Commit message: ${cleanLine(facts.message)}`]),
      ],
      irreversible: "Others can fetch pushed commits at once; a revert leaves them in the history.",
      current: `${count(facts.repos.length, "repo")} ahead with ${count(total, "commit")}, ${
        facts.skipped.filter((fact) => fact.blocked).length
      } held back`,
      alternatives: [
        "Look at the state first: amof status",
        "Preview without pushing: amof push --dry-run",
      ],
      ...(facts.repos.length === 0
        ? {
          settled: conclude(
            facts.skipped.map((fact) => skippedRow(fact, false)),
            order,
            { isWhole: !isSelecting(input), aside },
          ),
        }
        : {}),
    };
  },
  undo: {
    changes: (facts: PushFacts) => ({
      // Repositories that are only pushed do not change here.
      repos: facts.repos.filter((fact) => fact.commit_files > 0).map(({ name }) => name),
      what: "everything",
      back: "commits and files that could not be pushed",
    }),
    irreversible: "what is pushed",
  },
  async execute(ctx, input, facts) {
    // A preview goes without what sends.
    const { sendAll } = await import("./send.ts");
    const manifest = await scopeManifest(ctx);
    const rows = await sendAll(ctx, manifest, facts, input.allow_no_touch ?? []);
    const order = manifest.repos.map((repo) => repo.name);
    const arrived = rows.some(({ result }) => result === "pushed");
    const left = facts.skipped.map((fact) => skippedRow(fact, arrived));
    // Behind an interrupt git says nothing more.
    const aside = ctx.signal.aborted ? {} : await outsideText(ctx, input, manifest);
    const isWhole = !isSelecting(input);
    const { data, ...ended } = conclude([...rows, ...left], order, { isWhole, aside });
    // Who has named no message learns which one it was.
    const unnamed = arrived && input.message === undefined ? facts.message : null;
    return { ...ended, data: unnamed === null ? data : { ...data, committed_as: unnamed } };
  },
  render: (data: PushData, input) => {
    const pushed = data.repos.filter((row) => row.result === "pushed");
    const bad = data.repos.filter((row) => row.code !== null);
    const held = data.repos.filter((row) => row.held);
    const mark = { pushed: "✓", failed: "✗", skipped: "–" };
    const ordered = [
      ...bad,
      ...held,
      ...data.repos.filter((row) => row.code === null && !row.held),
    ];
    const rows = ordered.map((row) => [
      `${row.code !== null ? "✗" : row.held ? "⚠" : mark[row.result]} ${row.name}`,
      row.result,
      row.commits > 0 ? row.commits : "",
      cleanLine(row.detail, row.code === null ? 100 : 300),
    ]);
    const shown = table(["repo", "result", "commits", "detail"], rows);
    const [first] = bad;
    const aside = otherWorkText(held);
    return {
      summary: first === undefined
        ? pushed.length === 0
          ? noneStands(rows.length === 0 ? input : {}) ??
            upToDate("Pushed nothing", held, data)
          : `Pushed ${count(pushed.length, "repo")} successfully${aside}.`
        : pushed.length === 0
        ? `${nothingGone(bad)}; ${count(bad.length, "repo")} held back or failed.`
        : `Pushed ${pushed.length} of ${
          pushed.length + bad.length
        } repos; ${first.name} did not go.`,
      details: [
        rows.length === 0 ? "No repositories." : input.all ? shown : shown.folding(
          (index) => isIdle(ordered[index]),
          IDLE,
        ),
        ...data.committed_as === undefined
          ? []
          : [`Committed as: ${cleanLine(data.committed_as, 100)}`],
        ...leftOutLines(held, OTHER_WORK),
        ...warningLines(data),
        ...noteLines(pushed, true),
        ...pullRequestLines(data.repos),
      ],
    };
  },
});
