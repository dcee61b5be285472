/** Opens a pull request unless there is one, so that whatever was cut off can be repeated (CHANGE-4). */

import { AmofError } from "../../base/error.ts";
import type { Forge, ForgeKind, PullRequest } from "../../forge/mod.ts";
import { resolve } from "@std/path";
import { cleanLine, stripUnsafe } from "../../base/text/sanitize.ts";
import { type CommandContext, onlyTyped, type ZodNamespace } from "../../contract/mod.ts";
import { needsOf } from "./rows.ts";
import type { ChangeSet } from "./set.ts";

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

// Links the pull requests of a ticket to each other, by our part of their bodies (CHANGE-4).

/** The part that links the pull request of a repository to the others of its set. */
export function linkFor(
  set: ChangeSet,
  name: string,
  all: readonly { readonly name: string; readonly change: PullRequest | null }[],
): string {
  const siblings = set.members.flatMap((member) => {
    const change = all.find((one) => one.name === member.name)?.change ?? null;
    return change === null || change.state === "closed"
      ? []
      : [{ repo: member.name, number: change.number, url: change.url }];
  });
  return blockFor(set.ticket_id, name, { siblings, needs: needsOf(set).get(name) ?? [] });
}

/** The body of a pull request with the link to the others. */
export function linkedBody(
  set: ChangeSet,
  name: string,
  change: PullRequest,
  all: readonly { readonly name: string; readonly change: PullRequest | null }[],
): string {
  return withBlock(change.body, set.ticket_id, linkFor(set, name, all));
}

// Our part of the body of a pull request: which others belong to it, and its place among them. Nothing else of a body
// is ever rewritten (CHANGE-4). It is made of names and numbers alone, never of texts of others.

/** A pull request as the others name it. */
interface Sibling {
  readonly repo: string;
  readonly number: number;
  readonly url: string;
}

function begin(ticket: string): string {
  return `<!-- amof:change-set ${ticket} -->`;
}

const END = "<!-- /amof:change-set -->";

/** The part for one of the pull requests of a ticket, which are in the order to land. */
export function blockFor(
  ticket: string,
  repo: string,
  { siblings, needs }: {
    readonly siblings: readonly Sibling[];
    /** The repositories that this one needs. */
    readonly needs: readonly string[];
  },
): string {
  const lines = siblings.map((one, at) => {
    const link = `[${one.repo} #${one.number}](${one.url})`;
    return `${at + 1}. ${one.repo === repo ? `**${link}** (this one)` : link}`;
  });
  const before = siblings.filter((one) => needs.includes(one.repo))
    .map(({ url }) => `Depends-On: ${url}`);
  return [
    begin(ticket),
    siblings.length === 1
      ? `The one pull request of ${ticket}.`
      : `One of ${siblings.length} pull requests of ${ticket}, which land in this order:`,
    "",
    ...lines,
    ...(before.length === 0 ? [] : ["", ...before]),
    END,
  ].join("\n");
}

/**
 * A body with our part in it: in the place of the one that is there, else behind everything. What is around it stays to
 * the byte.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { withBlock } from "./ensure.ts";
 *
 * const old = "Mine\n\n<!-- amof:change-set P-1 -->\nold\n<!-- /amof:change-set -->\nand mine";
 * const part = "<!-- amof:change-set P-1 -->\nnew\n<!-- /amof:change-set -->";
 * assertEquals(withBlock(old, "P-1", part), `Mine\n\n${part}\nand mine`);
 * ```
 */
export function withBlock(body: string, ticket: string, block: string): string {
  const found = blockIn(body, ticket);
  if (found === null) {
    return body.trim() === "" ? block : `${body.replace(/\s+$/, "")}\n\n${block}\n`;
  }
  // A forge may have given the lines other ends, which is no difference.
  if (found.replaceAll("\r\n", "\n") === block) return body;
  const [before = "", ...rest] = body.split(found);
  return `${before}${block}${rest.join(found)}`;
}

/** Our part of a body; null where there is none. A beginning that somebody quotes has no end of its own, and is none. */
function blockIn(body: string, ticket: string): string | null {
  let after = 0;
  for (;;) {
    const to = body.indexOf(END, after);
    if (to < 0) return null;
    const end = to + END.length;
    const from = body.lastIndexOf(begin(ticket), to);
    if (from >= after) return body.slice(from, end);
    after = end;
  }
}
