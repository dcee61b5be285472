/**
 * Edits of a manifest as a checked pair of texts with its diff, and the step that writes it (WORKSPACE-22). A base branch
 * that it does not name is asked of the remote, and what that says is written down (WORKSPACE-23).
 */

import { join } from "@std/path";
import type * as edits from "./edit.ts";
import { AmofError } from "../../base/error.ts";
import type { BranchName } from "../../base/ids.ts";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { few } from "../../base/text/words.ts";
import {
  ASSUMED_BRANCH,
  checkManifestText,
  type Manifest,
  manifestFile,
  manifestInvalid,
  type Repo,
} from "./manifest.ts";
import { inPoolOf } from "../progress.ts";
import { sha256 } from "../../base/hash.ts";
import { defined } from "../../base/object.ts";
import { unifiedDiff } from "../../base/text/diff/unified.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { replaceFile } from "../operations.ts";
import { problemText } from "./shape.ts";

/** A manifest before and after an edit. */
export interface ManifestEdit {
  /** Relative to the control repository. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The manifest as it is to be understood. */
  readonly manifest: Manifest;
  readonly diff: string;
}

/** What a preview shows of an edit, and what consent is bound to. */
export interface EditFacts {
  readonly file: string;
  readonly diff: string;
  /** The hash of the whole file as it will be. */
  readonly sha256: string;
}

/**
 * Edits the manifest of the call's ecosystem, in memory. Throws `invalid_arguments` when the result would be no valid
 * manifest; what was there must be valid.
 */
export async function editManifest(
  ctx: CommandContext,
  what: string,
  edit: (text: string, editing: typeof edits) => string,
): Promise<ManifestEdit> {
  const file = manifestFile(ctx.ecosystem);
  const before = await ctx.system.files.readText(join(ctx.root, file)) ?? "";
  const after = edit(before, await import("./edit.ts"));
  const check = await checkManifestText(after, ctx.ecosystem);
  if (check.manifest === null) {
    // The manifest was checked before the edit, so what is wrong now comes from what was asked for.
    const [first] = check.errors;
    if (first === undefined) throw manifestInvalid(ctx.ecosystem, check);
    throw new AmofError("invalid_arguments", `Cannot ${what}: ${problemText(first)}`, {
      ...defined({ hint: first.fix ?? undefined }),
      details: { file, errors: check.errors },
    });
  }
  const diff = maskSecrets(unifiedDiff(before, after, `a/${file}`, `b/${file}`));
  return { file, before, after, manifest: check.manifest, diff };
}

/** The facts of an edit. */
export function editFacts({ file, diff, after }: ManifestEdit): EditFacts {
  return { file, diff, sha256: sha256(after) };
}

/** The step that writes an edit into the control repository at `root`. */
export function editStep(root: string, { file, before, after }: ManifestEdit): JournalStep {
  return replaceFile.step({
    file: join(root, file),
    before,
    after,
    what: `Edit ${file}`,
    keep: null,
  });
}

/** Remotes that are asked at the same time. */
const QUESTIONS = 8;

/** A base branch as its remote names it. */
export interface AskedBranch {
  readonly name: string;
  readonly branch: string;
}

/**
 * The default branch of the remote of a repository whose manifest names none. Null where it is the one that is
 * assumed, has no commit, or cannot be asked: cloning says why then. One git process, network.
 */
async function ask(ctx: CommandContext, repo: Repo): Promise<BranchName | null> {
  try {
    const { remoteRefs } = ctx.git.at(ctx.root, repo.name);
    const { defaultBranch } = await remoteRefs.introduce(repo.url, null);
    return defaultBranch === ASSUMED_BRANCH ? null : defaultBranch;
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return null;
  }
}

/** Asks for the branches of repositories that are to be cloned and whose manifest names none. */
export async function askBranches(
  ctx: CommandContext,
  repos: readonly Repo[],
): Promise<AskedBranch[]> {
  const unknown = repos.filter((repo) => !repo.branchGiven);
  const branches = await inPoolOf(
    { ...ctx, jobs: QUESTIONS },
    "asking",
    unknown,
    (repo) => ask(ctx, repo),
  );
  return unknown.flatMap(({ name }, index) => {
    const branch = branches[index] ?? null;
    return branch === null ? [] : [{ name, branch }];
  });
}

function edited(ctx: CommandContext, asked: readonly AskedBranch[]): Promise<ManifestEdit> {
  return editManifest(
    ctx,
    "write down the base branches",
    (text, { withBranch }) =>
      asked.reduce((edited, { name, branch }) => withBranch(edited, name, branch), text),
  );
}

/** The step that writes such branches into the manifest; none where there is none. */
export async function branchSteps(
  ctx: ExecuteContext,
  asked: readonly AskedBranch[],
): Promise<JournalStep[]> {
  return asked.length === 0 ? [] : [editStep(ctx.root, await edited(ctx, asked))];
}

/** Writes such branches into the manifest, where that is no step of something that can be taken back. */
export async function writeBranches(
  ctx: ExecuteContext,
  asked: readonly AskedBranch[],
): Promise<void> {
  if (asked.length === 0) return;
  const { file, after } = await edited(ctx, asked);
  await ctx.system.files.write(join(ctx.root, file), after);
}

/** What that does, one line each. */
export function askedLines(asked: readonly AskedBranch[], file: string): string[] {
  return asked.map(({ name, branch }) =>
    `Write "branch: ${branch}" of ${name} into ${file}: the default of its remote`
  );
}

/** What a person is told of it afterwards. */
export function wroteBranches(asked: readonly AskedBranch[], file: string): string[] {
  if (asked.length === 0) return [];
  const names = few(asked.map(({ name, branch }) => `${name} (${branch})`), 5);
  return [`The default branch of ${names} was asked for and written into ${file}; commit that`];
}
