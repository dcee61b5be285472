/** The journaled steps that make a workspace: what installing and restoring share. */

import { dirname } from "@std/path";
import type { ExecuteContext } from "../contract/mod.ts";
import type { JournalStep } from "../state/store/mod.ts";
import { adoptClones, type Adoption } from "./clones/adopted.ts";
import { editorFile, editorText } from "./editor.ts";
import type { Manifest } from "./manifest/manifest.ts";
import {
  addWorktree,
  cloneRepos,
  forgetVanished,
  hideWorkspace,
  makeDirectories,
  moveDamagedState,
  planIgnore,
  relinkWorktree,
  replaceFile,
  writeState,
} from "./operations.ts";
import { damagedName, freshState, stateFile, stateText } from "./state.ts";

import { type AskedBranch, branchSteps } from "./manifest/asked.ts";
import type { ErrorCode } from "../base/error.ts";

/** What is the matter with a clone. */
interface Problem {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly hint: string | null;
}

/** What an install would do. */
export interface InstallFacts {
  readonly workspace: string;
  readonly branch: string;
  /** `create` a branch and worktree, `attach` an existing branch, `repair` what is there. */
  readonly action: "create" | "attach" | "repair";
  /** The commit the workspace begins at. */
  readonly base: string;
  /** Where the registered worktree was that lost its directory; null where it has it. */
  readonly prune: string | null;
  /** Where git looks for the workspace, which was moved; null where it stands in that place. */
  readonly moved: string | null;
  /** Whether the state file is damaged or missing. */
  readonly state: "fresh" | "keep" | "rebuild";
  readonly repos: readonly {
    readonly name: string;
    readonly url: string;
    readonly branch: string;
    readonly mode: "RW" | "RO";
    readonly present: boolean;
    /** Why what a repair found in its place is no clone to work with, and what to do; null when it is one. */
    readonly problem: Problem | null;
  }[];
  readonly push: boolean;
  /** Base branches that the manifest does not name, as their remotes do; they are written down. */
  readonly asked: readonly AskedBranch[];
}

/** The directories above a place that are not there yet, outermost first. */
export async function missingAbove(ctx: ExecuteContext, place: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = dirname(place); await ctx.system.files.lstat(at) === null; at = dirname(at)) {
    missing.unshift(at);
  }
  return missing;
}

/** The step that hides the workspace from the control repository's status; a workspace that stays, stays hidden. */
async function ignoreSteps(
  ctx: ExecuteContext,
  manifest: Manifest,
  directory: string,
): Promise<JournalStep[]> {
  const change = await planIgnore(ctx.system, ctx.git, ctx.root, manifest);
  if (change === null) return [];
  const paths = await missingAbove(ctx, change.file);
  return [
    ...(paths.length === 0 ? [] : [makeDirectories.step({ paths })]),
    hideWorkspace.step({ ...change, root: ctx.root, keep: directory }),
  ];
}

async function worktreeSteps(
  ctx: ExecuteContext,
  facts: InstallFacts,
  directory: string,
): Promise<JournalStep[]> {
  if (facts.moved !== null) return [relinkWorktree.step({ root: ctx.root, directory })];
  if (facts.action === "repair") return [];
  const paths = await missingAbove(ctx, directory);
  return [
    ...(paths.length === 0 ? [] : [makeDirectories.step({ paths })]),
    ...(facts.prune === null
      ? []
      : [forgetVanished.step({ root: ctx.root, directory: facts.prune })]),
    addWorktree.step({
      root: ctx.root,
      directory,
      branch: facts.branch,
      create: facts.action === "create",
      base: facts.base,
      existed: await ctx.system.files.lstat(directory) !== null,
    }),
  ];
}

/** The steps that write the workspace state, with the name the damaged one is kept under. */
async function stateSteps(
  ctx: ExecuteContext,
  manifest: Manifest,
  facts: InstallFacts,
  directory: string,
): Promise<JournalStep[]> {
  if (facts.state === "keep") return [];
  const after = stateText(ctx.system, freshState(ctx.system, manifest.name, facts.branch));
  const damaged = await ctx.system.files.lstat(stateFile(directory)) !== null;
  return [
    ...(damaged
      ? [moveDamagedState.step({ workspace: directory, aside: damagedName(ctx.system, directory) })]
      : []),
    writeState.step({ workspace: directory, before: null, after }),
  ];
}

/** The step that writes the editor's workspace file. */
async function editorStep(
  ctx: ExecuteContext,
  manifest: Manifest,
  directory: string,
  coming: readonly string[],
): Promise<JournalStep> {
  const file = editorFile(directory, manifest);
  return replaceFile.step({
    file,
    before: await ctx.system.files.readText(file),
    after: await editorText(ctx.system, directory, manifest, coming),
    what: "Write the editor workspace file",
    keep: null,
  });
}

/** The repositories that are cloned, by what an install found. */
function missingRepos(manifest: Manifest, facts: InstallFacts): Manifest["repos"] {
  return manifest.repos.filter((repo) =>
    facts.repos.some((fact) => fact.name === repo.name && !fact.present)
  );
}

/** What a new workspace contains. */
interface WorkspaceContents {
  /** The text of its state. */
  readonly state: string;
  /** Steps that follow the clones. */
  readonly afterClone: readonly JournalStep[];
}

/**
 * The steps that make a workspace, or complete it: worktree, clones, state, editor file. `keepGoing` says whether
 * the clones that work are kept when others fail, or that a person is asked.
 */
export async function workspaceSteps(
  ctx: ExecuteContext,
  manifest: Manifest,
  facts: InstallFacts,
  { directory, contents = null, keepGoing = false, adopted = [] }: {
    readonly directory: string;
    /** Clones that are linked instead of made anew. */
    readonly adopted?: readonly Adoption[];
    readonly contents?: WorkspaceContents | null | undefined;
    readonly keepGoing?: boolean | string | undefined;
  },
): Promise<JournalStep[]> {
  const missing = missingRepos(manifest, facts)
    .filter(({ name }) => adopted.every((clone) => clone.name !== name));
  const coming = [...missing, ...adopted].map(({ name }) => name);
  return [
    ...await branchSteps(ctx, facts.asked),
    ...await ignoreSteps(ctx, manifest, directory),
    ...await worktreeSteps(ctx, facts, directory),
    ...(adopted.length > 0 ? [adoptClones.step({ workspace: directory, clones: adopted })] : []),
    ...(missing.length > 0
      ? [cloneRepos.step({
        workspace: directory,
        repos: missing.map(({ name, path }) => ({ name, path })),
        keep_going: keepGoing,
        others: adopted.length > 0 || facts.repos.some((repo) => repo.present),
      })]
      : []),
    ...contents?.afterClone ?? [],
    ...(contents === null
      ? await stateSteps(ctx, manifest, facts, directory)
      : [writeState.step({ workspace: directory, before: null, after: contents.state })]),
    await editorStep(ctx, manifest, directory, coming),
  ];
}
