/**
 * `amof grep`: looks for text in the files of all repositories (LOOK-7).
 *
 * Costs one git process for the workspace and one per repository.
 */

import { join, relative } from "@std/path";
import { onlyTyped, query } from "../contract/mod.ts";
import { AmofError } from "../base/error.ts";
import type { Found, SearchQuery } from "../git/mod.ts";
import { Search } from "../git/read/mod.ts";
import { verbatim } from "../base/text/parts.ts";
import { toned } from "../base/text/tone.ts";
import { count, few } from "../base/text/words.ts";
import { allTicketsInput, meansAll } from "../contract/input.ts";
import {
  askAcross,
  type FromClone,
  type Missed,
  unreadFailure,
  unreadNotes,
} from "./look/across.ts";
import { chosenAnywhere, clonesOf, SELECTION_FLAGS, selectionInput } from "./selection/mod.ts";
import { labelOf, type OfTicket } from "./selection/areas.ts";
import { insidePaths, LOOKING, plainRef, refuseUnknown } from "./look/looking.ts";

/** The most hits of one answer. */
const MOST = 10_000;
/** The most characters of a line that are shown. */
const LONGEST = 2_000;

/** One line that matches, or one file. */
interface GrepHit extends OfTicket {
  readonly repo: string;
  /** As it can be opened: relative to where the caller stands, over MCP to the workspace, or the control repository for all. */
  readonly file: string;
  /** Counted from 1; null for a file as a whole. */
  readonly line: number | null;
  readonly text: string;
}

interface GrepData extends Missed {
  /** Absolute: what the names of files are relative to. */
  readonly relative_to: string;
  readonly hits: readonly GrepHit[];
  readonly files_matched: number;
  readonly repos_matched: number;
  readonly repos_searched: number;
  /** Whether more was found than is shown. */
  readonly more: boolean;
  /** The commit that was searched instead of the files, or null. */
  readonly at: string | null;
  /** Repositories that do not have this commit. */
  readonly without_it: readonly string[];
}

/** What was found in one repository, with files as they can be opened from a directory. */
function hitsOf(
  { repo, of, directory, answer }: FromClone<Found | null>,
  base: string,
): readonly GrepHit[] {
  return (answer?.hits ?? []).map(({ path, line, text }) => ({
    ...of,
    repo: repo.name,
    file: relative(base, join(directory, path)),
    line,
    text: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text,
  }));
}

/** How the pattern is to be read; throws `invalid_arguments` where two ways are asked for. */
function syntaxOf(input: {
  readonly extended: boolean;
  readonly fixed: boolean;
}): SearchQuery["syntax"] {
  if (input.extended && input.fixed) {
    throw new AmofError(
      "invalid_arguments",
      "Cannot use --extended-regexp together with --fixed-strings",
      { hint: "Choose one of them" },
    );
  }
  return input.fixed ? "fixed" : input.extended ? "extended" : "basic";
}

/** `amof grep`. */
export const grep = query({
  ...LOOKING,
  name: "amof_search_files",
  path: ["grep"],
  bare: "lines",
  title: "Search files",
  summary: "Search the files of all repositories for a pattern.",
  description:
    "Searches the files that git knows, as they are on the disk. Prints FILE:LINE:TEXT, with files as they can be opened from where you stand. The pattern is a basic regular expression, as for grep. Finding nothing is no failure: the exit code is 0, with --check it is 3 when something is found. Write -- in front of a pattern that begins with a dash.",
  flags: {
    ...SELECTION_FLAGS,
    word: "word-regexp",
    fixed: "fixed-strings",
    extended: "extended-regexp",
    files_only: "files-with-matches",
  },
  short: {
    ignore_case: "i",
    word: "w",
    fixed: "F",
    extended: "E",
    files_only: "l",
    line_number: "n",
  },
  positionals: ["pattern", "paths"],
  examples: [
    "grep TODO",
    "grep -i -w deprecated -- src '*.md'",
    "grep -l -F 'old.host' --repo api",
    "grep -E 'v[12]\\.' --at v1.0.0",
  ],
  pages: { member: "hits", key: ["file", "line"] },
  fields: [
    "relative_to",
    "hits",
    "hits.ticket",
    "hits.repo",
    "hits.file",
    "hits.line",
    "hits.text",
    "files_matched",
    "repos_matched",
    "repos_searched",
    "more",
    "unread",
  ],
  input: (z) => ({
    ...selectionInput(z),
    pattern: z.string().min(1).max(4_000).describe("What to look for"),
    paths: z.array(z.string().min(1)).optional().describe(
      "Only in these paths of a repository, as git's patterns",
    ),
    ignore_case: z.boolean().default(false).describe("Upper and lower case alike"),
    word: z.boolean().default(false).describe("Only whole words"),
    fixed: z.boolean().default(false).describe("The pattern is the text itself"),
    extended: z.boolean().default(false).describe(
      "The pattern is an extended regular expression, such as a|b",
    ),
    files_only: z.boolean().default(false).describe("Only which files"),
    line_number: onlyTyped(
      z.boolean().default(false).describe("Line numbers, which are always shown"),
    ),
    untracked: z.boolean().default(false).describe(
      "Also in files that git does not know; ignored ones stay out",
    ),
    at: z.string().optional().describe(
      "In this commit, tag or branch instead of the files on the disk",
    ),
    check: z.boolean().default(false).describe("Fail if anything is found"),
    ...allTicketsInput(z),
  }),
  async run(ctx, input) {
    const at = plainRef(input.at);
    if (at !== undefined && input.untracked) {
      throw new AmofError("invalid_arguments", "Cannot use --at together with --untracked", {
        hint: "Choose one of them: a commit has no other files",
      });
    }
    const search: SearchQuery = {
      pattern: input.pattern,
      syntax: syntaxOf(input),
      ignoreCase: input.ignore_case,
      word: input.word,
      filesOnly: input.files_only,
      untracked: input.untracked,
      at,
      paths: insidePaths(input.paths),
    };
    const { areas, lacking } = await chosenAnywhere(ctx, input);
    const clones = clonesOf(areas);
    // Hits in several workspaces are named by paths from the directory above them.
    const above = meansAll(input) ? ctx.root : areas[0]?.workspace.directory ?? ctx.root;
    const base = ctx.door === "cli" ? ctx.system.env.cwd : above;
    const { answers, unread } = await askAcross(
      ctx,
      clones,
      (clone) => clone.part(Search).find(search),
      (from) => {
        const hits = hitsOf(from, base);
        if (hits.length > 0) ctx.report.show?.(verbatim(...linesOf(hits, at ?? null)));
      },
    );
    const searched = answers.flatMap(({ answer }) => answer ?? []);
    const all = answers.flatMap((from) => hitsOf(from, base));
    // A caller that reads lines as they come has seen all of them.
    const most = ctx.report.show === undefined ? MOST : Infinity;
    const data: GrepData = {
      relative_to: base,
      hits: all.slice(0, most),
      files_matched: new Set(all.map(({ file }) => file)).size,
      repos_matched: new Set(all.map((hit) => labelOf(hit, hit.repo))).size,
      repos_searched: searched.length,
      more: all.length > most || searched.some(({ cut }) => cut),
      at: at ?? null,
      without_it: answers.flatMap(({ repo, of, answer }) =>
        answer === null ? [labelOf(of, repo.name)] : []
      ),
      unread,
      ...lacking,
    };
    refuseUnknown(data.at, answers.length, data.without_it);
    if (input.check && all.length > 0) {
      return {
        data,
        failure: new AmofError("check_failed", `${foundText(data)}`, {
          hint: "See it: the same command without --check",
        }),
      };
    }
    return { data, ...unreadFailure(data, clones.length) };
  },
  render: (data: GrepData) => ({
    summary: data.hits.length === 0
      ? `Found nothing in ${count(data.repos_searched, "repo")}.`
      : `${foundText(data)}.`,
    details: data.hits.length === 0 ? [] : verbatim(...linesOf(data.hits, data.at)),
    notes: [
      ...(data.more ? ["⚠ There is more than is shown; narrow it down by paths or --repo"] : []),
      ...(data.without_it.length === 0
        ? []
        : [`⚠ Not searched, without ${data.at}: ${few(data.without_it, 5)}`]),
      ...unreadNotes(data),
    ],
  }),
});

function foundText(data: GrepData): string {
  const files = count(data.files_matched, "file");
  const where = `${data.repos_matched} of ${count(data.repos_searched, "repo")}`;
  const lines = data.hits.every(({ line }) => line === null)
    ? ""
    : `${data.more ? "more than " : ""}${count(data.hits.length, "line")} in `;
  return `Found ${lines}${files}, ${where}`;
}

/** The hits as lines that a terminal can lead from to the place. */
function linesOf(hits: readonly GrepHit[], at: string | null) {
  return hits.flatMap(({ file, line, text }, index) => {
    const place = `${at === null ? "" : `${at}:`}${file}${line === null ? "" : `:${line}`}`;
    return [
      index === 0 ? "" : "\n",
      ...(text === "" && line === null ? [place] : [toned("quiet", `${place}:`), text]),
    ];
  });
}
