/**
 * `amof commit`: commits the changes of many repositories (WORKSPACE-21).
 *
 * Every repository is tried; what failed is told, with the last lines of its hooks, and is left as it was, the index
 * too. Exactly the previewed files are committed. Nothing is pushed.
 */

import { AmofError, toAmofError } from "../../base/error.ts";
import { type ExecuteContext, mutation, onlyTyped, type Result } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, few } from "../../base/text/words.ts";
import { allowNoTouch, makeGuard } from "../../workspace/manifest/mod.ts";
import { inPoolOf, requireWorkspace } from "../../workspace/mod.ts";
import { type Outcome, outcomeOf, type RepoRow } from "../../contract/outcome.ts";
import { scopeManifest } from "../../workspace/tickets/mod.ts";
import { isSelecting, SELECTION_FLAGS, selectionInput } from "../selection/mod.ts";
import { repairSteps } from "../../workspace/clones/changing.ts";
import {
  BLOCKED,
  type CommitFact,
  type CommitFacts,
  type CommitInput,
  planCommit,
  wouldCommit,
} from "./plan.ts";
import {
  type Agreed,
  commitAgreed,
  nextDirectory,
  noteFailure,
  refuseTouched,
} from "../outgoing/files.ts";
import { leftOutLines, reportedRow, type SkipFact, skipped } from "../outgoing/skip.ts";
import { tail } from "../../git/mod.ts";
import { logLines, OF_HOOKS } from "../../git/changing.ts";
import { shortSha } from "../../base/ids.ts";

/** What came of one repository. */
interface CommitRow extends RepoRow {
  readonly result: "committed" | "skipped" | "failed";
  readonly branch: string;
  /** Whether that is the base branch, which a push leaves alone unless told to take it. */
  readonly on_base: boolean;
  /** Set where it follows work that is in the base branch in another form: it has to go on top of that to be pushed. */
  readonly beyond_merged?: true;
  readonly files: number;
  readonly commit: string | null;
  /** The last lines that git and the hooks printed where it failed. */
  readonly last_lines: readonly string[];
  /** Set where work of it is held back, which is no failure of this commit. */
  readonly held?: true;
}

/** Lines that are kept of what hooks print. */
const MOST_LINES = 10;

/** The row of a repository that was left out. */
export function skippedRow(fact: SkipFact): CommitRow {
  const row = {
    ...skipped(fact, BLOCKED),
    on_base: fact.reason === "base_branch",
    files: 0,
    commit: null,
    last_lines: [],
  };
  return fact.blocked && fact.elsewhere === true ? reportedRow(row) : row;
}

/** The row of a repository for whose commit nobody has given a message. */
function namelessRow({ name, branch, on_base, commit_files }: CommitFact): CommitRow {
  return {
    name,
    result: "skipped",
    branch,
    on_base,
    files: commit_files,
    commit: null,
    detail: "no message",
    code: "invalid_arguments",
    fix: "give it a message: amof commit -m TEXT",
    last_lines: [],
  };
}

/** What a commit of all repositories was agreed to. */
interface AgreedCommit extends Agreed {
  readonly staged: boolean;
}

/** Why a commit failed, in one line: what git said, without the words around it. */
function whyNot(error: AmofError): string {
  const { reason } = error.details;
  return typeof reason === "string" && reason !== "" ? reason : error.message;
}

/** Commits in one repository. Never throws: what failed is in the row. */
async function commitOne(
  ctx: ExecuteContext,
  agreed: AgreedCommit,
  fact: CommitFact,
): Promise<CommitRow> {
  const { message } = fact;
  if (message === null) return namelessRow(fact);
  const said: string[] = [];
  const { name, branch, on_base, beyond_merged } = fact;
  const row = {
    name,
    branch,
    on_base,
    ...(beyond_merged ? { beyond_merged } : {}),
    files: fact.commit_files,
    fix: null,
  };
  const failed = (error: AmofError): CommitRow => {
    noteFailure(ctx, fact.name, error);
    return {
      ...row,
      result: "failed",
      commit: null,
      detail: error.code === "cancelled" ? "cancelled" : cleanLine(whyNot(error), 300),
      code: error.code,
      fix: error.hint ?? null,
      last_lines: tail(said.join("\n"), MOST_LINES),
    };
  };
  try {
    const directory = await nextDirectory(ctx, agreed, fact.name);
    const log = logLines(ctx.report.log, fact.name, OF_HOOKS);
    const { commit, subject } = await commitAgreed(ctx, directory, fact, {
      message,
      staged: agreed.staged,
      onLine: (stream, line) => {
        said.push(line);
        if (said.length > 4 * MOST_LINES) said.shift();
        log(stream, line);
      },
      // Not ended by an interrupt: only what is in the commit decides whether it is taken back.
      check: (made) =>
        refuseTouched(
          { git: ctx.git.until() },
          { directory, name: fact.name, before: fact.head, made },
          agreed,
          (why) => new AmofError("commit_refused", `Took the commit back: ${why}`),
        ),
    });
    ctx.report.log("info", `${fact.name}: committed ${count(fact.commit_files, "file")}`, {
      type: "repo",
      payload: { repo: fact.name, commit },
    });
    return {
      ...row,
      result: "committed",
      commit,
      detail: `${shortSha(commit)} ${cleanLine(subject, 72)}`.trim(),
      code: null,
      last_lines: [],
    };
  } catch (thrown) {
    return failed(toAmofError(thrown, () => ctx.system.ids.hex(8)));
  }
}

/** The answer: one row per repository, in manifest order. */
interface CommitData {
  readonly outcome: Outcome;
  readonly repos: readonly CommitRow[];
}

/** Decides how the whole ended. */
function conclude(rows: readonly CommitRow[], isWhole: boolean): Result<CommitData> {
  const first = rows.find((row) => row.code !== null);
  const { outcome, ...failure } = outcomeOf(rows, {
    done: rows.filter((row) => row.result === "committed").length,
    head: (done, of) =>
      done > 0 ? `Committed in ${done} of ${count(of, "repo")};` : "Committed nothing:",
    hint: first?.result === "failed" && first.fix === null
      ? "Fix the cause, then repeat the same command"
      : undefined,
    isWhole,
    told: ["name", "result", "code", "detail", "last_lines"],
  });
  return { data: { outcome, repos: rows }, ...failure };
}

/** What is answered at once: there is nothing to commit, all is held back, or a message is missing. */
function settledBy(facts: CommitFacts, isWhole: boolean): Result<CommitData> | null {
  const nameless = facts.repos.filter(({ message }) => message === null);
  const rows = [...nameless.map(namelessRow), ...facts.skipped.map(skippedRow)];
  if (facts.repos.length === 0) return conclude(rows, isWhole);
  if (nameless.length === 0) return null;
  return {
    data: { outcome: "failed", repos: rows },
    failure: new AmofError(
      "invalid_arguments",
      `Cannot commit without a message for ${
        nameless.length === facts.repos.length
          ? count(nameless.length, "repo")
          : few(nameless.map(({ name }) => `"${name}"`), 5)
      }`,
      {
        hint: "Give it with the command: the same command with --message TEXT",
        details: { field: "message", repos: nameless.map(({ name }) => name) },
      },
    ),
  };
}

/** `amof commit`. */
export const commit = mutation({
  name: "amof_commit_ecosystem",
  path: ["commit"],
  toolset: "ecosystem",
  scope: "ecosystem",
  mcp: "asked for",
  safety: "safe-write",
  confirm: "simple",
  asks: { deed: "commit", will: "make commits here" },
  runs: "commit",
  locks: "scope",
  needs: "a workspace",
  inTicket: "its workspace",
  next: "after_commit",
  title: "Commit in ecosystem",
  summary: "Commit the changes of the writable repositories, with their hooks; pushes nothing.",
  description:
    "All changes are committed, also of files that are not tracked yet, with --staged only what is staged. One message serves all repositories, --message-for gives one its own. At a terminal the editor that git would open asks for what is missing, and --edit opens it in any case; an empty message stops the command (exit code 4). Every repository is tried, and one that fails is left as it was, its index too (exit code 5). Base branches are held back unless --allow-base, and so are changes of no-touch paths, new files that look secret, conflicts, and repositories on another branch than their ticket's.",
  flags: { ...SELECTION_FLAGS, allow_secrets: "allow-secret" },
  short: { message: "m", all: "a" },
  instead: {
    amend: "No commit is rewritten; in the repository itself: git commit --amend",
    "no-verify": "Hooks always run; in the repository itself: git commit --no-verify",
    push: "Push afterwards: amof push",
  },
  examples: [
    'commit -m "PROJ-123 Fix the login"',
    'commit --staged --repo api -m "PROJ-123 Fix the login"',
    'commit -m "PROJ-123 Use the new login" --message-for "api=PROJ-123 Fix the login"',
    "commit --dry-run",
  ],
  input: (z) => ({
    message: z.string().min(1).max(10_000).optional().describe("Message of the commits"),
    message_for: z.array(z.union([
      z.string().max(10_100),
      z.strictObject({ repo: z.string(), message: z.string().max(10_000) }),
    ])).optional().describe("Message of one repository: repo=message, or an object"),
    staged: z.boolean().default(false).describe("Commit only what is staged"),
    all: z.boolean().default(false).describe("Commit all changes, as without it"),
    edit: onlyTyped(
      z.boolean().optional().describe("Write the messages in the editor in any case"),
    ),
    allow_base: z.boolean().default(false).describe("Also commit on base branches"),
    ...selectionInput(z),
    allow_no_touch: allowNoTouch(z),
    allow_secrets: onlyTyped(
      z.array(z.string().min(1)).optional().describe(
        "Commit this new file although it looks secret",
      ),
    ),
  }),
  raised: (input) => input.allow_no_touch === undefined ? null : { confirm: "type" },
  async preview(ctx, input, agreed) {
    if (input.all && input.staged) {
      throw new AmofError("invalid_arguments", "Cannot use --all together with --staged", {
        hint: "Choose one of them",
        details: { field: "staged" },
      });
    }
    const facts = await planCommit(ctx, input satisfies CommitInput, agreed);
    const settled = settledBy(facts, !isSelecting(input));
    return {
      facts,
      ...wouldCommit(facts),
      alternatives: [
        ...(facts.repos.some((fact) => fact.staged_files > 0) && !facts.staged
          ? ["Commit only what is staged: amof commit --staged -m TEXT"]
          : []),
        "Look at the state first: amof status",
        "Preview without committing: amof commit --dry-run",
      ],
      ...(settled === null ? {} : { settled }),
    };
  },
  undo: {
    changes: (facts: CommitFacts) => ({
      repos: facts.repos.map(({ name }) => name),
      what: "everything",
    }),
  },
  async execute(ctx, input, facts) {
    const manifest = await scopeManifest(ctx);
    const workspace = await requireWorkspace(ctx, ctx.root, manifest);
    const agreed: AgreedCommit = {
      manifest,
      workspace: workspace.directory,
      staged: facts.staged,
      guard: await makeGuard(manifest.noTouchPaths),
      allowed: input.allow_no_touch ?? [],
    };
    const going = new Map(facts.repos.map((fact) => [fact.name, fact]));
    const repos = manifest.repos.filter(({ name }) => going.has(name));
    const tidy = await repairSteps(ctx, workspace.directory, repos, false);
    const rows = await ctx.watchOver(
      tidy,
      () => inPoolOf(ctx, "committing", facts.repos, (fact) => commitOne(ctx, agreed, fact)),
    );
    const all = [...rows, ...facts.skipped.map(skippedRow)];
    return conclude(
      manifest.repos.flatMap(({ name }) => all.filter((row) => row.name === name)),
      !isSelecting(input),
    );
  },
  render: (data: CommitData) => {
    const committed = data.repos.filter((row) => row.result === "committed");
    const bad = data.repos.filter((row) => row.code !== null);
    const held = data.repos.filter((row) => row.held);
    const [first] = bad;
    const shownRows = [...bad, ...held, ...committed];
    const mark = (row: CommitRow) => row.code !== null ? "✗" : row.held ? "⚠" : "✓";
    const aside = held.length === 0 ? "" : `; ${few(held.map(({ name }) => name), 1)} held back`;
    return {
      summary: first === undefined
        ? committed.length === 0
          ? `Committed nothing: ${
            aside === "" ? "no repo" : "no repo of the ticket"
          } has changes to commit${aside}.`
          : `Committed in ${count(committed.length, "repo")}${aside}.`
        : committed.length === 0
        ? `Committed nothing; ${count(bad.length, "repo")} held back or failed.`
        : `Committed in ${committed.length} of ${
          count(committed.length + bad.length, "repo")
        }, without ${cleanLine(first.name, 30)}.`,
      details: shownRows.length === 0 ? "" : [
        table(
          ["repo", "branch", "files", "commit", "detail"],
          shownRows.map((row) => [
            `${mark(row)} ${row.name}`,
            cleanLine(row.branch, 60),
            row.files > 0 ? row.files : "",
            row.commit === null ? null : shortSha(row.commit),
            cleanLine(
              row.commit === null ? row.detail : row.detail.slice(shortSha(row.commit).length),
              row.code === null ? 100 : 300,
            ).trim(),
          ]),
        ).foldingAlike(),
        ...leftOutLines(held),
        ...bad.filter((row) => row.last_lines.length > 1).flatMap((row) => [
          "",
          `${row.name}:`,
          ...row.last_lines.map((line) => `    ${cleanLine(line, 200)}`),
        ]),
      ],
    };
  },
});
