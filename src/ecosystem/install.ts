/**
 * `amof install`: makes the workspace of an ecosystem (amof.md §2.2).
 *
 * All or nothing: when a step fails, what this install made is taken away again, and only that.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { dirname } from "@std/path";
import { AmofError } from "../error.ts";
import { inPool, isUnsafeUrl } from "../git/mod.ts";
import { type CommandContext, type ExecuteContext, mutation } from "../spec/mod.ts";
import type { JournalStep } from "../store/mod.ts";
import { maskSecrets } from "../text/mask.ts";
import { table } from "../text/table.ts";
import { count } from "../text/words.ts";
import { editorFile, editorText } from "./editor.ts";
import { planIgnore } from "./ignore.ts";
import { loadManifest, type Manifest } from "./manifest.ts";
import {
  addWorktree,
  cloneRepos,
  makeDirectories,
  pruneWorktrees,
  replaceFile,
  setStateAside,
  writeState,
} from "./operations.ts";
import { asideName, freshState, loadState, stateFile, stateText } from "./state.ts";
import { findWorkspace, repoDirectory } from "./workspace.ts";

/** What an install would do. */
export interface InstallFacts {
  readonly [field: string]: unknown;
  readonly workspace: string;
  readonly branch: string;
  /** `create` a branch and worktree, `attach` an existing branch, `repair` what is there. */
  readonly action: "create" | "attach" | "repair";
  /** The commit the workspace begins at. */
  readonly base: string;
  /** Whether the registered worktree lost its directory. */
  readonly prune: boolean;
  /** Whether the state file is damaged or missing. */
  readonly state: "fresh" | "keep" | "rebuild";
  readonly repos: readonly {
    readonly name: string;
    readonly url: string;
    readonly branch: string;
    readonly mode: "RW" | "RO";
    readonly present: boolean;
  }[];
  readonly push: boolean;
}

interface InstallData {
  readonly [field: string]: unknown;
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly branch: string;
  readonly action: InstallFacts["action"];
  readonly repos: readonly { readonly name: string; readonly result: "cloned" | "present" }[];
  readonly pushed: boolean;
  /** What did not work but does not undo the install. */
  readonly notes: readonly string[];
}

async function stateCondition(ctx: CommandContext, directory: string): Promise<"keep" | "rebuild"> {
  try {
    return await loadState(ctx.system, directory) === null ? "rebuild" : "keep";
  } catch (error) {
    if (error instanceof AmofError && error.code === "state_corrupt") return "rebuild";
    throw error;
  }
}

/** Whether something stands in a place that is not an empty directory. */
async function isOccupied(ctx: CommandContext, path: string): Promise<boolean> {
  const { files } = ctx.system;
  if (await files.lstat(path) === null) return false;
  return (await files.stat(path))?.kind !== "directory" || (await files.list(path)).length > 0;
}

/** Looks at what an install finds; throws when it cannot be done. */
export async function surveyInstall(
  ctx: CommandContext,
  input: { push: boolean; repair: boolean },
): Promise<{ facts: InstallFacts; manifest: Manifest }> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const { files } = ctx.system;
  const base = await ctx.git.resolveRef(ctx.root, "HEAD");
  if (base === null) {
    throw new AmofError("git_failed", "Cannot install: the control repository has no commit yet", {
      hint: "Commit something there first: git commit",
      details: { kind: "not_found" },
    });
  }
  const place = await findWorkspace(ctx, ctx.root, manifest);
  const gone = place.worktree?.prunable === true;
  if (place.worktree !== null && !input.repair) {
    throw new AmofError(
      "workspace_exists",
      `Cannot install "${manifest.name}": its workspace ${
        gone ? "is registered, but its directory is gone" : "exists"
      }`,
      {
        hint: gone
          ? "Make it anew: amof install --repair"
          : "Look at it: amof status; complete it: amof install --repair",
        details: { workspace: manifest.workspaceDir, branch: place.worktree.branch },
      },
    );
  }
  if (place.worktree === null && await isOccupied(ctx, place.directory)) {
    throw new AmofError(
      "workspace_exists",
      `Cannot install "${manifest.name}": ${manifest.workspaceDir} is not empty and not a workspace`,
      {
        hint: "Move that directory away, then repeat",
        details: { workspace: manifest.workspaceDir },
      },
    );
  }
  const exists =
    await ctx.git.resolveRef(ctx.root, `refs/heads/${manifest.workspaceBranch}`) !== null;
  const action = place.worktree !== null && !gone ? "repair" : exists ? "attach" : "create";
  const repos = await inPool(
    ctx.jobs,
    manifest.repos.filter((repo) => repo.enabled),
    async (repo) => {
      if (isUnsafeUrl(repo.url)) {
        throw new AmofError(
          "manifest_invalid",
          `Cannot clone "${repo.name}" from that address`,
        );
      }
      const directory = await repoDirectory(ctx.system, place.directory, repo);
      const present = (await files.list(directory)).length > 0;
      return {
        name: repo.name,
        url: maskSecrets(repo.url),
        branch: repo.branch,
        mode: repo.readonly ? "RO" as const : "RW" as const,
        present,
      };
    },
  );
  return {
    manifest,
    facts: {
      workspace: manifest.workspaceDir,
      branch: manifest.workspaceBranch,
      action,
      base,
      prune: gone,
      state: action === "repair" ? await stateCondition(ctx, place.directory) : "fresh",
      repos,
      push: input.push,
    },
  };
}

/** The directories above the workspace that are not there yet, outermost first. */
async function missingAbove(ctx: ExecuteContext, directory: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = dirname(directory); await ctx.system.files.lstat(at) === null; at = dirname(at)) {
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
  const what = "Keep workspace files out of the control repository's status";
  return change === null ? [] : [replaceFile.step({ ...change, what, keep: directory })];
}

/** The steps that make the worktree. */
async function worktreeSteps(
  ctx: ExecuteContext,
  facts: InstallFacts,
  directory: string,
): Promise<JournalStep[]> {
  if (facts.action === "repair") return [];
  const paths = await missingAbove(ctx, directory);
  return [
    ...(paths.length === 0 ? [] : [makeDirectories.step({ paths })]),
    ...(facts.prune ? [pruneWorktrees.step({ root: ctx.root })] : []),
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
      ? [setStateAside.step({ workspace: directory, aside: asideName(ctx.system, directory) })]
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

/** How a workspace comes to be otherwise than empty. */
export interface WorkspaceContents {
  /** The text of its state. */
  readonly state: string;
  /** Steps that follow the clones. */
  readonly afterClone: readonly JournalStep[];
}

/** The steps that make a workspace, or complete it: worktree, clones, state, editor file. */
export async function workspaceSteps(
  ctx: ExecuteContext,
  manifest: Manifest,
  facts: InstallFacts,
  directory: string,
  contents: WorkspaceContents | null = null,
): Promise<JournalStep[]> {
  const missing = missingRepos(manifest, facts);
  return [
    ...await ignoreSteps(ctx, manifest, directory),
    ...await worktreeSteps(ctx, facts, directory),
    ...(missing.length > 0
      ? [cloneRepos.step({
        workspace: directory,
        repos: missing.map(({ name, path }) => ({ name, path })),
      })]
      : []),
    ...contents?.afterClone ?? [],
    ...(contents === null
      ? await stateSteps(ctx, manifest, facts, directory)
      : [writeState.step({ workspace: directory, before: null, after: contents.state })]),
    await editorStep(ctx, manifest, directory, missing.map((repo) => repo.name)),
  ];
}

/** `amof install`. */
export const install = mutation({
  name: "amof_install_ecosystem",
  path: ["install"],
  toolset: "ecosystem",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  runs: "install",
  exclusive: true,
  openWorld: true,
  title: "Install ecosystem",
  summary: "Create the workspace: a worktree on its own branch with every repository cloned.",
  description:
    "All or nothing: if a repository cannot be cloned, what was made is removed again. An existing workspace branch is attached. --repair completes an existing workspace.",
  examples: ["install", "-e demo install --dry-run", "install --repair --yes"],
  input: (z) =>
    z.strictObject({
      push: z.boolean().default(false).describe(
        "Also push the workspace branch",
      ),
      repair: z.boolean().default(false).describe(
        "Complete an existing workspace: clone what is missing",
      ),
    }),
  async preview(ctx, input) {
    const { facts } = await surveyInstall(ctx, input);
    const missing = facts.repos.filter((repo) => !repo.present);
    const done = facts.action === "repair" && missing.length === 0 && facts.state === "keep";
    const verb = { create: "Create", attach: "Attach", repair: "Complete" }[facts.action];
    return {
      facts,
      summary: `Would ${facts.action === "repair" ? "repair" : "install"} ${ctx.ecosystem} with ${
        count(missing.length, "clone")
      }.`,
      effects: [
        `${verb} ${facts.workspace} on branch ${facts.branch}`,
        ...missing.map((repo) =>
          `Clone ${repo.name} (${repo.mode}) ${repo.branch} from ${repo.url}`
        ),
        ...(facts.state === "rebuild"
          ? ["Rebuild the workspace state, keeping the old file aside"]
          : []),
        ...(facts.push ? [`Push ${facts.branch} to origin`] : []),
      ],
      current: facts.action === "repair"
        ? `The workspace exists, ${count(missing.length, "clone")} missing`
        : "No workspace exists",
      alternatives: [
        `Describe it first: amof -e ${ctx.ecosystem} ecosystem describe`,
        "Preview only: amof install --dry-run",
      ],
      ...(done && !facts.push
        ? {
          settled: {
            data: {
              workspace: facts.workspace,
              branch: facts.branch,
              action: facts.action,
              repos: facts.repos.map((repo) => ({ name: repo.name, result: "present" as const })),
              pushed: false,
              notes: [],
            },
          },
        }
        : {}),
    };
  },
  async execute(ctx, _input, facts) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const { directory } = await findWorkspace(ctx, ctx.root, manifest);
    const damaged = facts.state !== "keep" &&
      await ctx.system.files.lstat(stateFile(directory)) !== null;
    await ctx.perform(await workspaceSteps(ctx, manifest, facts, directory));
    const notes = damaged ? ["The damaged state was kept as .amof/state.json.corrupt-…"] : [];
    const pushed = facts.push && await pushWorkspaceBranch(ctx, directory, facts.branch, notes);
    return {
      data: {
        workspace: facts.workspace,
        branch: facts.branch,
        action: facts.action,
        repos: facts.repos.map((repo) => ({
          name: repo.name,
          result: repo.present ? "present" as const : "cloned" as const,
        })),
        pushed,
        notes,
      },
    };
  },
  render: (data: InstallData) => {
    const cloned = data.repos.filter((repo) => repo.result === "cloned").length;
    const verb = data.action === "repair" ? "Repaired" : "Installed";
    return {
      summary: `${verb} ${data.workspace} with ${
        count(data.repos.length, "repo")
      }, ${cloned} cloned.`,
      details: [
        `Workspace: ${data.workspace} (branch ${data.branch})`,
        ...(data.repos.length === 0
          ? []
          : ["", table(["repo", "result"], data.repos.map((repo) => [repo.name, repo.result]))]),
        ...data.notes.map((note) => `⚠ ${note}`),
      ].join("\n"),
    };
  },
});

/** Pushes the workspace branch; a failure is noted and undoes nothing (amof.md §2.2). */
async function pushWorkspaceBranch(
  ctx: ExecuteContext,
  directory: string,
  branch: string,
  notes: string[],
): Promise<boolean> {
  const head = await ctx.git.resolveRef(directory, "HEAD");
  const outcome = head === null
    ? null
    : await ctx.git.push(directory, "origin", head, branch, (stream, line) =>
      ctx.report.log("info", line, { stream }));
  if (outcome?.ok) {
    await ctx.git.setUpstream(directory, branch, `origin/${branch}`, "control repository");
    return true;
  }
  notes.push(`The branch ${branch} was not pushed; the workspace is complete without that`);
  return false;
}
