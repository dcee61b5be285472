/**
 * `amof diff`: what has changed in all repositories (LOOK-9).
 *
 * Costs one git process for the workspace and one per repository, and a second one in those that have changes.
 */

import { relative } from "@std/path";
import { type CommandContext, query } from "../../contract/mod.ts";
import { type Details, patch as patchPart } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, few } from "../../base/text/words.ts";
import { allTicketsInput, BASE } from "../../contract/input.ts";
import {
  askAcross,
  type FromClone,
  type Missed,
  unreadFailure,
  unreadNotes,
} from "../look/across.ts";
import {
  chosenAnywhere,
  clonesOf,
  type MeantClone,
  SELECTION_FLAGS,
  selectionInput,
} from "../selection/mod.ts";
import { labelOf, type OfTicket } from "../selection/areas.ts";
import { insidePaths, LOOKING, plainRef, refuseUnknown, ticketBranches } from "../look/looking.ts";
import { AmofError } from "../../base/error.ts";
import type { DifferenceQuery, Differing, Repository } from "../../git/mod.ts";
import type { Repo } from "../../workspace/manifest/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";

/** What one repository answers. */
interface Compared {
  /** Null where the commit to compare with is not there. */
  readonly found: Differing | null;
  readonly untracked: readonly string[];
}

const NOTHING: Differing = { files: [], cut: false };

/** What is to be compared in every repository. */
type Comparison =
  | "uncommitted"
  | "staged"
  | "base"
  | { readonly ref: string }
  | { readonly branches: Readonly<Record<string, string>> };

/** The comparison that is asked for; throws `invalid_arguments` where several are. */
function comparisonOf(
  input: {
    readonly staged: boolean;
    readonly base: boolean;
    readonly ticket?: string | undefined;
    readonly ref?: string | undefined;
  },
  state: WorkspaceState | null,
): Comparison {
  const asked = [
    ...(input.staged ? ["--staged"] : []),
    ...(input.base ? ["--base"] : []),
    ...(input.ticket === undefined ? [] : ["--ticket"]),
    ...(input.ref === undefined ? [] : ["REF"]),
  ];
  if (asked.length > 1) {
    throw new AmofError("invalid_arguments", `Cannot use ${asked[0]} together with ${asked[1]}`, {
      hint: "Choose one of them",
    });
  }
  if (input.ticket !== undefined) return { branches: ticketBranches(state, input.ticket) };
  const ref = plainRef(input.ref);
  if (ref !== undefined) return { ref };
  return input.staged ? "staged" : input.base ? "base" : "uncommitted";
}

async function firstOf(
  clone: Repository,
  commits: readonly string[],
  how: (commit: string) => DifferenceQuery,
): Promise<Differing | null> {
  for (const commit of commits) {
    const found = await clone.differences.find(how(commit));
    if (found !== null) return found;
  }
  return null;
}

/** Compares in one repository. */
async function compare(
  clone: Repository,
  repo: Repo,
  comparison: Comparison,
  rest: Omit<DifferenceQuery, "of">,
): Promise<Compared> {
  const bases = [(await clone.refs.base(repo.branch)).ref, `refs/heads/${repo.branch}`];
  if (comparison === "uncommitted") {
    const { changes, head } = await clone.status();
    const untracked = changes.filter(({ code }) => code === "??").map(({ path }) => path);
    // A clean repository needs no second look; one without a commit has only what is staged.
    const of = head === null ? "staged" as const : { files: "HEAD" };
    const found = changes.length === untracked.length
      ? NOTHING
      : await clone.differences.find({ ...rest, of });
    return { found, untracked: rest.paths.length === 0 ? untracked : [] };
  }
  if (comparison === "staged") {
    return { found: await clone.differences.find({ ...rest, of: "staged" }), untracked: [] };
  }
  if (comparison === "base") {
    const found = await firstOf(clone, bases, (base) => ({ ...rest, of: { filesSince: base } }));
    return { found, untracked: [] };
  }
  if ("ref" in comparison) {
    const of = { files: comparison.ref };
    return { found: await clone.differences.find({ ...rest, of }), untracked: [] };
  }
  const branch = `refs/heads/${comparison.branches[repo.name]}`;
  const found = await firstOf(clone, bases, (since) => ({ ...rest, of: { branch, since } }));
  return { found, untracked: [] };
}

/** The most characters of one patch where answers are limited. */
const LONGEST = 8_000;

interface DiffRow extends OfTicket {
  readonly repo: string;
  /** In the repository. */
  readonly path: string;
  readonly renamed_from?: string;
  readonly change: string;
  /** Lines; null where it is no text. */
  readonly added: number | null;
  readonly deleted: number | null;
  /** Absent with `--stat`. */
  readonly patch?: string;
  /** Set where the patch is longer than is shown. */
  readonly patch_cut?: true;
}

interface DiffData extends Missed {
  readonly files: readonly DiffRow[];
  readonly added: number;
  readonly deleted: number;
  readonly repos_changed: number;
  readonly repos_compared: number;
  /** Files that git does not know, which are in no patch; told where everything uncommitted is shown. */
  readonly untracked: readonly (OfTicket & {
    readonly repo: string;
    readonly files: readonly string[];
  })[];
  /** Repositories without the commit to compare with. */
  readonly without_it: readonly string[];
  /** Repositories of which not everything could be read. */
  readonly cut: readonly string[];
}

/** The patch as it is shown where answers are limited. */
function patchFields(
  ctx: CommandContext,
  text: string,
): Pick<DiffRow, "patch" | "patch_cut"> {
  if (ctx.door === "cli" || text.length <= LONGEST) return { patch: text };
  const end = text.lastIndexOf("\n", LONGEST);
  return { patch: text.slice(0, end + 1), patch_cut: true };
}

function rowsOf(
  ctx: CommandContext,
  { repo, of, answer }: FromClone<Compared>,
  stat: boolean,
): readonly DiffRow[] {
  return (answer.found?.files ?? []).map(({ path, from, change, added, deleted, patch }) => ({
    ...of,
    repo: repo.name,
    path,
    ...(from === null ? {} : { renamed_from: from }),
    change,
    added,
    deleted,
    ...(stat ? {} : patchFields(ctx, patch)),
  }));
}

/** `amof diff`. */
export const diff = query({
  ...LOOKING,
  name: "amof_get_diff",
  path: ["diff"],
  bare: "lines",
  title: "Differences",
  summary: "Show what has changed in all repositories.",
  description:
    "Everything that is not committed, staged or not; with --base what the files differ from where they parted from the base branch, with --ticket what the branches of a ticket have over their bases (of one with a workspace of its own, what its files differ), with REF what the files differ from a commit. The paths of the patch begin at the workspace, where git apply takes it, with --all-tickets at the control repository. Files that git does not know are told and not shown.",
  flags: { ...SELECTION_FLAGS, paths: "path" },
  short: { ticket: "t" },
  positionals: ["ref"],
  examples: [
    "diff",
    "diff --stat",
    "diff --base --repo api",
    "diff --ticket PROJ-123",
    "diff v1.0.0 --stat",
  ],
  pages: { member: "files", key: ["ticket", "repo", "path"] },
  fields: [
    "files",
    "files.ticket",
    "files.repo",
    "files.path",
    "files.change",
    "files.added",
    "files.deleted",
    "added",
    "deleted",
    "repos_changed",
    "repos_compared",
    "untracked",
    "without_it",
    "unread",
  ],
  input: (z) => ({
    ...selectionInput(z),
    ref: z.string().optional().describe("Compare the files with this commit, tag or branch"),
    stat: z.boolean().default(false).describe("Only which files, and how many lines"),
    staged: z.boolean().default(false).describe("Only what is staged"),
    base: z.boolean().default(false).describe("Compare with where the base branch was left"),
    ticket: z.string().optional().describe(
      "What the ticket's branches have and their bases have not",
    ),
    paths: z.array(z.string().min(1)).optional().describe(
      "Only these paths of a repository, as git's patterns",
    ),
    ...allTicketsInput(z),
  }),
  async run(ctx, input) {
    const paths = insidePaths(input.paths);
    const { areas, lacking } = await chosenAnywhere(ctx, input);
    const comparison = comparisonOf(inTicket(ctx, input), areas[0]?.workspace.state ?? null);
    const clones = clonesOf(areas).filter(({ repo }) =>
      typeof comparison !== "object" || !("branches" in comparison) ||
      Object.hasOwn(comparison.branches, repo.name)
    );
    const { answers, unread } = await askAcross(
      ctx,
      clones,
      (clone, meant) =>
        compare(clone, meant.repo, comparison, {
          patches: input.stat ? null : { prefix: prefixOf(ctx, meant) },
          paths,
        }),
      (from) => {
        const rows = rowsOf(ctx, from, input.stat);
        if (rows.length > 0 && !input.stat) ctx.report.show?.(patchesOf(rows));
      },
    );
    const files = answers.flatMap((from) => rowsOf(ctx, from, input.stat));
    const data: DiffData = {
      files,
      added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
      deleted: files.reduce((sum, { deleted }) => sum + (deleted ?? 0), 0),
      repos_changed: new Set(files.map((row) => labelOf(row, row.repo))).size,
      repos_compared: answers.filter(({ answer }) => answer.found !== null).length,
      untracked: answers.flatMap(({ repo, of, answer }) =>
        answer.untracked.length === 0 ? [] : [{ ...of, repo: repo.name, files: answer.untracked }]
      ),
      without_it: labelsWhere(answers, ({ found }) => found === null),
      cut: labelsWhere(answers, ({ found }) => found?.cut === true),
      unread,
      ...lacking,
    };
    refuseUnknown(input.ref ?? null, answers.length, data.without_it);
    return { data, ...unreadFailure(data, clones.length) };
  },
  render: (data: DiffData, input) => ({
    summary: data.files.length === 0
      ? `Found no differences in ${count(data.repos_compared, "repo")}.`
      : `Found ${count(data.files.length, "changed file")} in ${data.repos_changed} of ${
        count(data.repos_compared, "repo")
      }: +${data.added} −${data.deleted}.`,
    details: data.files.length === 0 ? [] : input.stat ? statOf(data) : patchesOf(data.files),
    notes: [
      ...untrackedLines(data),
      ...(data.without_it.length === 0
        ? []
        : [`⚠ Not compared, without that commit: ${few(data.without_it, 5)}`]),
      ...(data.cut.length === 0
        ? []
        : [`⚠ Too long to be shown whole: ${few(data.cut, 5)}; narrow it down by --path`]),
      ...unreadNotes(data),
    ],
  }),
});

/**
 * What is asked for of a ticket that has its own workspace. Its files are there, so all of its work is shown.
 * Naming it goes with every other comparison.
 */
function inTicket<I extends Parameters<typeof comparisonOf>[0]>(
  { ticket }: Pick<CommandContext, "ticket">,
  input: I,
): I {
  if (ticket === null || input.ticket !== ticket) return input;
  const base = input.base || (!input.staged && input.ref === undefined);
  return { ...input, ticket: undefined, base };
}

/** How the repositories are called whose answer is so. */
function labelsWhere(
  answers: readonly FromClone<Compared>[],
  isSo: (answer: Compared) => boolean,
): readonly string[] {
  return answers.filter(({ answer }) => isSo(answer)).map(({ of, repo }) => labelOf(of, repo.name));
}

/** What patches of a clone begin with: paths of its workspace, or of the control repository where there are several. */
function prefixOf(
  { root }: Pick<CommandContext, "root">,
  { repo, workspace, of }: MeantClone,
): string {
  if (of.ticket === undefined) return `${repo.path}/`;
  return `${relative(root, workspace).replaceAll("\\", "/")}/${repo.path}/`;
}

/** Of so many kinds of files that git does not know it is told which. */
const MOST_UNTRACKED = 8;

/** Which files git does not know, those of the same names once. */
function untrackedLines({ untracked }: DiffData): string[] {
  const all = untracked.map(({ files, ...at }) => ({
    label: labelOf(at, at.repo),
    said: `${count(files.length, "untracked file")}, not shown: ${
      few(files.map((file) => cleanLine(file, 80)), 3)
    }`,
  }));
  const kinds = [...Map.groupBy(all, ({ said }) => said)];
  const rest = kinds.slice(MOST_UNTRACKED).flatMap(([, same]) => same.map(({ label }) => label));
  return [
    ...kinds.slice(0, MOST_UNTRACKED).map(([said, same]) =>
      `⚠ ${few(same.map(({ label }) => label), 3)}: ${said}`
    ),
    ...(rest.length === 0 ? [] : [`⚠ ${few(rest, 3)}: untracked files, not shown`]),
  ];
}

function statOf({ files }: DiffData): Details {
  const tickets = files.some(({ ticket }) => ticket !== undefined);
  return table(
    [
      ...(tickets ? ["ticket"] : []),
      "repo",
      { name: "file", whole: true, worth: 9 },
      "change",
      "added",
      "deleted",
    ],
    files.map(({ ticket, repo, path, renamed_from, change, added, deleted }) => [
      ...(tickets ? [ticket ?? BASE] : []),
      repo,
      renamed_from === undefined ? path : `${renamed_from} → ${path}`,
      change,
      added,
      deleted,
    ]),
  ).foldingAlike();
}

function patchesOf(files: readonly DiffRow[]): Details {
  return files.map((row) => {
    const { path, change, patch = "", patch_cut: cut } = row;
    const label = labelOf(row, row.repo);
    if (patch === "") return `${label}: ${path} (${change})`;
    const more = cut ? `\n… ${label}: ${path} goes on; see it alone with --path` : "";
    return patchPart(`${patch.replace(/\n$/, "")}${more}`);
  });
}
