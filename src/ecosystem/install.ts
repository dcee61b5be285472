/**
 * `amof install`: makes the workspace of an ecosystem (amof.md §2.2).
 *
 * All or nothing: when a step fails, what this install made is taken away again, and only that.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { dirname } from "@std/path";
import { AmofError, toAmofError } from "../error.ts";
import { Git, inPool, isUnsafeUrl } from "../git/mod.ts";
import { runSteps, type Step } from "../journal/mod.ts";
import { type CommandContext, type ExecuteContext, mutation } from "../spec/mod.ts";
import { maskSecrets } from "../text/mask.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count } from "../text/words.ts";
import { cloneRepo, removeFreshClone } from "./clone.ts";
import { editorFile, writeEditorFile } from "./editor.ts";
import { ignoreWorkspaceFiles } from "./ignore.ts";
import { loadManifest, type Manifest, type Repo } from "./manifest.ts";
import { freshState, loadState, saveState, setAside, stateFile } from "./state.ts";
import { findWorkspace, repoDirectory } from "./workspace.ts";

interface InstallFacts {
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

async function survey(
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

/** The context for taking back: an interrupt ends the work, and must not end the undoing of it too. */
function undoing(ctx: ExecuteContext): ExecuteContext {
  return { ...ctx, git: new Git(ctx.system), signal: new AbortController().signal };
}

/** The step that hides the workspace from the control repository's status. */
function ignoreStep(ctx: ExecuteContext, manifest: Manifest, directory: string): Step {
  const { files } = ctx.system;
  let change: Awaited<ReturnType<typeof ignoreWorkspaceFiles>> = null;
  return {
    name: "Keep workspace files out of the control repository's status",
    async act() {
      change = await ignoreWorkspaceFiles(ctx.system, ctx.git, ctx.root, manifest);
    },
    async undo() {
      // A workspace that could not be removed stays hidden, and what others wrote meanwhile stays written.
      if (change === null || (await files.list(directory)).length > 0) return;
      if (await files.readText(change.file) !== change.after) return;
      if (change.before === null) await files.remove(change.file);
      else await files.write(change.file, change.before);
    },
  };
}

/**
 * The step that makes the directories above the workspace, which git would make without ever removing them.
 * Its inverse gives back an empty directory that stood in the workspace's place.
 */
function roomStep(ctx: ExecuteContext, directory: string): Step {
  const { files } = ctx.system;
  const made: string[] = [];
  let stood = false;
  return {
    name: "Make the directory above the workspace",
    async act() {
      stood = await files.lstat(directory) !== null;
      const missing: string[] = [];
      for (let at = dirname(directory); await files.lstat(at) === null; at = dirname(at)) {
        missing.unshift(at);
      }
      for (const path of missing) if (await files.makeDirectory(path)) made.push(path);
    },
    async undo() {
      if (stood) await files.makeDirectory(directory);
      for (const path of made.toReversed()) {
        if ((await files.list(path)).length === 0) await files.remove(path);
      }
    },
  };
}

/** Deletes the branch this install made, if it still stands where it was made and nobody works on it. */
async function forgetBranch(ctx: ExecuteContext, facts: InstallFacts): Promise<void> {
  const worktrees = await ctx.git.worktrees(ctx.root);
  if (worktrees.some((worktree) => worktree.branch === facts.branch)) return;
  await ctx.git.deleteRef(ctx.root, `refs/heads/${facts.branch}`, facts.base);
}

/** The steps that make the worktree, with their inverses. */
function worktreeSteps(ctx: ExecuteContext, facts: InstallFacts, directory: string): Step[] {
  if (facts.action === "repair") return [];
  const created = facts.action === "create";
  return [
    roomStep(ctx, directory),
    ...(facts.prune
      ? [{ name: "Forget the vanished worktree", act: () => ctx.git.pruneWorktrees(ctx.root) }]
      : []),
    {
      name: `${created ? "Create" : "Attach"} ${facts.branch} in ${facts.workspace}`,
      act: async () => {
        try {
          await ctx.git.addWorktree(ctx.root, directory, facts.branch, created);
        } catch (error) {
          // Git makes the branch first, and keeps it when the worktree cannot be made.
          if (created) await forgetBranch(undoing(ctx), facts);
          throw error;
        }
      },
      undo: async () => {
        const { git, system } = undoing(ctx);
        await system.files.remove(stateFile(directory));
        // Git would delete ignored files, clones among them, without a word.
        const [kept] = await git.untrackedPaths(directory);
        if (kept !== undefined) {
          throw new AmofError(
            "would_lose_work",
            `Left ${facts.workspace} alone: it holds ${cleanLine(kept)}`,
          );
        }
        await git.removeWorktree(ctx.root, directory);
        if (created) await forgetBranch(undoing(ctx), facts);
      },
    },
  ];
}

/** One step for all clones: they run in parallel, and a failed one takes the others back. */
function cloneStep(ctx: ExecuteContext, directory: string, repos: readonly Repo[]): Step {
  const cloned: Repo[] = [];
  const takeBack = async () => {
    const failures: unknown[] = [];
    for (const repo of cloned) {
      await removeFreshClone(undoing(ctx), directory, repo).catch((error) => failures.push(error));
    }
    if (failures[0] !== undefined) throw failures[0];
  };
  return {
    name: `Clone ${count(repos.length, "repository", "repositories")}`,
    async act() {
      const failures = (await inPool(ctx.jobs, repos, async (repo): Promise<AmofError | null> => {
        try {
          await cloneRepo(ctx, directory, repo);
          cloned.push(repo);
          ctx.report.log("info", `${repo.name}: cloned ${repo.branch}`, {
            type: "repo",
            payload: { repo: repo.name },
          });
          return null;
        } catch (thrown) {
          const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
          ctx.report.log("error", `${repo.name}: ${error.message}`, {
            type: "repo",
            payload: { repo: repo.name, code: error.code },
          });
          return error;
        }
      })).filter((failure) => failure !== null);
      const [first] = failures;
      if (first === undefined) return;
      await takeBack();
      throw new AmofError(first.code, `${first.message}; nothing was installed`, {
        ...(first.hint === undefined ? {} : { hint: first.hint }),
        details: { ...first.details, failed: failures.map((failure) => failure.message) },
        cause: first.cause,
      });
    },
    undo: takeBack,
  };
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
        "Also push the workspace branch to the control repository's remote",
      ),
      repair: z.boolean().default(false).describe(
        "Complete an existing workspace: clone what is missing, rebuild damaged state",
      ),
    }),
  async preview(ctx, input) {
    const { facts } = await survey(ctx, input);
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
    const missing = manifest.repos.filter((repo) =>
      facts.repos.some((fact) => fact.name === repo.name && !fact.present)
    );
    const notes: string[] = [];
    await runSteps(
      [
        ignoreStep(ctx, manifest, directory),
        ...worktreeSteps(ctx, facts, directory),
        ...(missing.length > 0 ? [cloneStep(ctx, directory, missing)] : []),
        ...(facts.state === "keep" ? [] : [{
          name: "Write the workspace state",
          act: async () => {
            if (facts.state === "rebuild") {
              const aside = await setAside(ctx.system, directory);
              if (aside !== null) {
                notes.push("The damaged state was kept as .amof/state.json.corrupt-…");
              }
            }
            await saveState(
              ctx.system,
              directory,
              freshState(ctx.system, manifest.name, facts.branch),
            );
          },
        }]),
        {
          name: "Write the editor workspace file",
          act: () => writeEditorFile(ctx.system, directory, manifest),
          undo: async () => void await ctx.system.files.remove(editorFile(directory, manifest)),
        },
      ],
      ctx.report,
      ctx.signal,
    );
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
