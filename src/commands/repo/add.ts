/** `amof repo add`: one more repository in the manifest (WORKSPACE-22). */

import { fromFileUrl, join, resolve } from "@std/path";
import { isBranchName, SLUG } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { type CommandContext, mutation } from "../../contract/mod.ts";
import { isUnsafeUrl } from "../../git/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { blocks, patch } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import {
  type EditFacts,
  editFacts,
  editManifest,
  editStep,
  type ManifestEdit,
} from "../../workspace/manifest/changing.ts";
import { hasCredentials, withoutCredentials } from "../../workspace/clones/mod.ts";
import { committing } from "./context.ts";

interface AddInput {
  readonly name: string;
  readonly url: string;
  readonly branch?: string | undefined;
  readonly path?: string | undefined;
  readonly tags: readonly string[];
  readonly depends_on: readonly string[];
  readonly readonly: boolean;
}

interface AddFacts extends EditFacts {
  readonly name: string;
  readonly branch: string;
  /** Whether the remote was asked for the branch, and had one. */
  readonly branch_from: "given" | "remote" | "empty remote";
}

function refuse(field: string, problem: string, hint: string): AmofError {
  return new AmofError("invalid_arguments", `Cannot add the repository: ${problem}`, {
    hint,
    details: { field },
  });
}

/** Refuses what the manifest has already, in the words of what was given. */
async function refuseKnown(ctx: CommandContext, { name, url, readonly }: AddInput): Promise<void> {
  const { repos } = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const lower = name.toLowerCase();
  // Names that differ only in case would be one directory on some systems.
  const twin = repos.find((repo) => repo.name.toLowerCase() === lower);
  if (twin !== undefined) {
    throw refuse(
      "name",
      `"${ctx.ecosystem}" has a repository "${twin.name}"`,
      twin.enabled
        ? "Choose another name"
        : `It is disabled: remove "enabled: false" of "${twin.name}" in its manifest`,
    );
  }
  // What is never pushed is in nobody's way.
  const same = readonly ? undefined : repos.find((repo) => repo.url === url && !repo.readonly);
  if (same !== undefined) {
    throw refuse(
      "url",
      `its address is that of "${same.name}" already`,
      `Give it another name instead: amof repo rename ${same.name} ${name}\nHave it twice, once to be read only: the same command with --readonly`,
    );
  }
}

function checkInput({ name, url, branch }: AddInput): void {
  if (isUnsafeUrl(url)) {
    throw refuse(
      "url",
      `"${cleanLine(maskSecrets(url), 80)}" is not an address that may be cloned`,
      "Use https://, ssh://, git@host:path or file://",
    );
  }
  if (hasCredentials(url)) {
    throw refuse(
      "url",
      "its address holds credentials, which everybody would read in the manifest",
      "Leave them out, and let a credential helper of git give them",
    );
  }
  if (branch !== undefined && !isBranchName(branch)) {
    throw refuse(
      "branch",
      `"${cleanLine(branch, 40)}" cannot be the name of a branch`,
      "Use a name that git accepts, such as main",
    );
  }
  if (!SLUG.test(name)) {
    throw refuse("name", `"${cleanLine(name, 60)}" is not a name`, "Use letters, digits, . _ -");
  }
}

/** The place on this machine that an address leads to; null where it is a host's. */
function placeOf(url: string, root: string): string | null {
  if (/^file:\/\//i.test(url)) return fromFileUrl(url);
  return /^[^/]*:/.test(url) ? null : resolve(root, url);
}

/** Refuses a clone of this machine that has an address of its own, by which others find it, too. */
async function refuseClone(
  ctx: CommandContext,
  { name, branch, path, tags, depends_on, readonly }: AddInput,
  place: string,
): Promise<void> {
  if (await ctx.system.files.lstat(join(place, ".git")) === null) return;
  const origin = await ctx.git.at(place, name).remotes.address("origin");
  if (origin === null || isUnsafeUrl(origin)) return;
  const url = withoutCredentials(origin);
  const again = [
    `amof repo add ${shellWord(name)} ${shellWord(url)}`,
    ...(branch === undefined ? [] : [`--branch ${shellWord(branch)}`]),
    ...(path === undefined ? [] : [`--path ${shellWord(path)}`]),
    ...tags.map((tag) => `--tag ${shellWord(tag)}`),
    ...depends_on.map((other) => `--depends-on ${shellWord(other)}`),
    ...(readonly ? ["--readonly"] : []),
  ].join(" ");
  throw refuse(
    "url",
    `${cleanLine(place, 120)} is a clone on this machine, which others do not have`,
    `Add it by the address of its origin: ${again}\nThen use the clone where it is: amof install --repair --adopt ${
      shellWord(place)
    }`,
  );
}

/** The base branch: as given, else the one the remote names. */
async function branchOf(
  ctx: CommandContext,
  { name, url, branch }: AddInput,
): Promise<Pick<AddFacts, "branch" | "branch_from">> {
  if (branch !== undefined) return { branch, branch_from: "given" };
  try {
    const { defaultBranch: found } = await ctx.git.at(ctx.root, name).remoteRefs.introduce(
      url,
      null,
    );
    return found === null
      ? { branch: "main", branch_from: "empty remote" }
      : { branch: found, branch_from: "remote" };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    throw new AmofError(error.code, error.message, {
      hint: [
        error.hint,
        "Say which branch it is: the same command with --branch main",
      ],
      details: error.details,
      cause: error,
    });
  }
}

/** The edit that adds a repository with a branch. */
function edited(ctx: CommandContext, input: AddInput, branch: string): Promise<ManifestEdit> {
  const { name, url, path = null, tags, depends_on } = input;
  return editManifest(
    ctx,
    `add "${name}"`,
    (text, { withRepo }) =>
      withRepo(text, { name, url, branch, path, tags, depends_on, readonly: input.readonly }),
  );
}

const WHENCE: Readonly<Record<AddFacts["branch_from"], string>> = {
  given: "",
  remote: ", the default of its remote",
  "empty remote": "; its remote has no commit yet",
};

/** What is said of an address that leads to a place on this machine; null of one of a host. */
function noteOn(url: string, root: string): string | null {
  return placeOf(url, root) === null
    ? null
    : "Its address leads to a place on this machine, which others may not have";
}

function noteLines(note: string | null): string[] {
  return note === null ? [] : [`⚠ ${note}`];
}

/** `amof repo add`. */
export const addRepo = mutation({
  name: "amof_add_repo",
  path: ["repo", "add"],
  toolset: "ecosystem",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  runs: "add_repo",
  inline: true,
  locks: "ecosystem",
  openWorld: true,
  title: "Add repository",
  summary: "Add a repository to the manifest, with the default branch that its remote names.",
  description:
    "Edits ecosystem.yaml and nothing else; comments and order stay. Clone it then: amof sync",
  positionals: ["name", "url"],
  flags: { tags: "tag" },
  next: ["sync_ecosystem"],
  examples: [
    "repo add billing https://host/billing.git",
    "repo add billing git@host:billing.git --branch develop --tag backend --depends-on api",
  ],
  input: (z) => ({
    name: z.string().min(1).max(64).describe("Name of the repository"),
    url: z.string().min(1).max(2000).describe("Where to clone from"),
    branch: z.string().min(1).optional().describe("Base branch; the remote is asked when absent"),
    path: z.string().min(1).optional().describe(
      "Directory of the clone in the workspace; repos/NAME when absent",
    ),
    tags: z.array(z.string().min(1)).default([]).describe("Tags, to select it by"),
    depends_on: z.array(z.string().min(1)).default([]).describe("Repositories it needs"),
    readonly: z.boolean().default(false).describe("Never gets a feature branch, is never pushed"),
  }),
  async preview(ctx, input) {
    checkInput(input);
    await refuseKnown(ctx, input);
    const place = placeOf(input.url, ctx.root);
    if (place !== null) await refuseClone(ctx, input, place);
    const found = await branchOf(ctx, input);
    const edit = await edited(ctx, input, found.branch);
    const facts: AddFacts = { name: input.name, ...found, ...editFacts(edit) };
    return {
      facts,
      summary: `Would add ${input.name} to ${ctx.ecosystem}.`,
      effects: [`Edit ${edit.file}: ${input.name} on ${found.branch}${WHENCE[found.branch_from]}`],
      details: blocks(patch(edit.diff.trimEnd()), noteLines(noteOn(input.url, ctx.root))),
      current: `${ctx.ecosystem} has ${edit.manifest.repos.length - 1} repositories`,
      alternatives: [`See what it has: amof -e ${ctx.ecosystem} manifest show`],
    };
  },
  undo: {
    irreversible: (_, { name }) =>
      `the edit of the manifest; take the entry out: amof repo remove ${shellWord(name)}`,
  },
  async execute(ctx, input, facts) {
    const edit = await edited(ctx, input, facts.branch);
    await ctx.perform([editStep(ctx.root, edit)]);
    const { file, diff } = edit;
    const note = noteOn(input.url, ctx.root);
    return { data: { name: input.name, branch: facts.branch, file, diff, note } };
  },
  render: ({ name, branch, file, diff, note }) => ({
    summary: `Added ${name} on ${branch}.`,
    details: blocks(patch(diff.trimEnd()), noteLines(note), committing(file, `Add ${name}`)),
  }),
});
