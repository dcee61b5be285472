/** The words of new pull requests: titles and bodies, before anybody has changed them. */

import { resolve } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { cleanLine, stripUnsafe } from "../../base/text/sanitize.ts";
import { type CommandContext, onlyTyped, type ZodNamespace } from "../../contract/mod.ts";
import type { ForgeKind } from "../../forge/mod.ts";

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
