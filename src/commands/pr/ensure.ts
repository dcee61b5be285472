/** Opens a pull request unless there is one, so that whatever was cut off can be repeated (CHANGE-4). */

import { AmofError } from "../../base/error.ts";
import type { Forge, ForgeKind, PullRequest } from "../../forge/mod.ts";
import { resolve } from "@std/path";
import { cleanLine, stripUnsafe } from "../../base/text/sanitize.ts";
import { type CommandContext, onlyTyped, type ZodNamespace } from "../../contract/mod.ts";

/** What a pull request should be. */
interface Wish {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly reviewers: readonly string[];
}

/** The open pull request of a branch, and whether it was made by this. */
async function opened(
  forge: Forge,
  { labels: _, reviewers: _who, ...wish }: Wish,
): Promise<{ readonly change: PullRequest; readonly made: boolean }> {
  const known = await forge.find(wish.head, wish.base);
  if (known?.state === "open") return { change: known, made: false };
  try {
    return { change: await forge.create(wish), made: true };
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    // A forge may have made it all the same, or somebody else was faster.
    const there = await forge.find(wish.head, wish.base).catch(() => null);
    if (there?.state === "open") return { change: there, made: true };
    throw error;
  }
}

/** Opens a pull request where none is open, with its labels and reviewers. */
export async function ensureOpen(
  forge: Forge,
  wish: Wish,
): Promise<{ readonly change: PullRequest; readonly made: boolean }> {
  const { change, made } = await opened(forge, wish);
  await forge.invite(change, {
    labels: wish.labels.filter((label) => !change.labels.includes(label)),
    reviewers: wish.reviewers.filter((one) => !change.reviewers.includes(one)),
  });
  return { change, made };
}

// The words of new pull requests: titles and bodies, before anybody has changed them.

/** Longer titles and bodies some forge refuses. */
const LONGEST = { title: 200, body: 60_000 } as const;

/** Where a repository keeps the template of its pull requests, the first that there is. */
const TEMPLATES: Readonly<Record<ForgeKind, readonly string[]>> = {
  github: [
    ".github/pull_request_template.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
    "pull_request_template.md",
    "docs/pull_request_template.md",
  ],
  gitlab: [".gitlab/merge_request_templates/Default.md"],
  gitea: [
    ".forgejo/pull_request_template.md",
    ".gitea/pull_request_template.md",
    ".github/pull_request_template.md",
  ],
};

/** Members of inputs that say what pull requests say. */
export interface WordsInput {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly body_file?: string | undefined;
}

/** The members with which titles and bodies are given. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function wordsInput(z: ZodNamespace) {
  return {
    title: z.string().min(1).max(LONGEST.title).optional().describe("Title of all of them"),
    body: z.string().max(LONGEST.body).optional().describe("Text of all of them"),
    body_file: onlyTyped(z.string().min(1).optional().describe("Read the text from this file")),
  };
}

/** The title of a new pull request: the ticket, and the subject of its first commit. */
export function titleFor(ticket: string, subject: string): string {
  const clean = cleanLine(subject, LONGEST.title - ticket.length - 2);
  return clean === "" ? ticket : clean.includes(ticket) ? clean : `${ticket}: ${clean}`;
}

/** The body that was asked for; undefined where none was. Throws `invalid_arguments` where its file cannot be read. */
export async function bodyAsked(
  ctx: CommandContext,
  { body, body_file: file }: WordsInput,
): Promise<string | undefined> {
  if (file === undefined || body !== undefined) return body;
  const text = await ctx.system.files.readText(resolve(ctx.system.env.cwd, file));
  if (text !== null && text.length <= LONGEST.body) return text;
  throw new AmofError(
    "invalid_arguments",
    `Cannot use ${cleanLine(file, 200)}: ${
      text === null ? "there is no such file" : `it has more than ${LONGEST.body} characters`
    }`,
    {
      hint: "Name a text file: the same command with --body-file FILE",
      details: { field: "body_file" },
    },
  );
}

/**
 * The template of a repository as its base branch has it; empty where it has none. Read from git, so that no link leads
 * anywhere. A process for each place that is looked at.
 */
export async function templateOf(
  ctx: CommandContext,
  directory: string,
  { kind, commit }: { readonly kind: ForgeKind; readonly commit: string },
): Promise<string> {
  for (const path of TEMPLATES[kind]) {
    const bytes = await ctx.git.at(directory).commits.fileAt(commit, path);
    if (bytes !== null) return stripUnsafe(new TextDecoder().decode(bytes)).slice(0, LONGEST.body);
  }
  return "";
}
