/** What an install finds and would do (WORKSPACE-14). */

import { AmofError } from "../../base/error.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { remedies } from "../../base/text/words.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { isUnsafeUrl } from "../../git/mod.ts";
import { type InstallFacts } from "../../workspace/changing.ts";
import { guardOfControl } from "../outgoing/contents.ts";
import { askBranches } from "../../workspace/manifest/changing.ts";
import {
  firstCommit,
  type GuardInput,
  keptTouches,
  loadManifest,
  type Manifest,
  NO_COMMIT,
  type Repo,
  touchedBy,
  touchText,
} from "../../workspace/manifest/mod.ts";
import { touchFix } from "../advice/command_lines.ts";
import {
  findWorkspace,
  inPoolOf,
  loadState,
  makeRoom,
  MOVED,
  refuseUsedElsewhere,
  repoDirectory,
  restoreSteps,
  whyOf,
  type WorkspacePlace,
} from "../../workspace/mod.ts";
import { select, type Selecting } from "../selection/mod.ts";

async function stateCondition(ctx: CommandContext, directory: string): Promise<"keep" | "rebuild"> {
  try {
    return await loadState(ctx.system, directory) === null ? "rebuild" : "keep";
  } catch (error) {
    if (error instanceof AmofError && error.code === "state_corrupt") return "rebuild";
    throw error;
  }
}

/** What is the matter with what stands in the place of a clone, or null. One git process. */
async function problemOf(
  ctx: CommandContext,
  directory: string,
  name: string,
): Promise<InstallFacts["repos"][number]["problem"]> {
  try {
    await ctx.git.at(directory, name).status();
    return null;
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    // The directory may hold somebody's work; it is cloned again only once nothing is in its place.
    const hint = error.details["kind"] === "not_a_repo"
      ? makeRoom(directory, `amof -e ${ctx.ecosystem} install --repair`)
      : error.hint;
    return { code: error.code, detail: whyOf(error), hint };
  }
}

/** Whether something stands in a place that is not an empty directory. */
async function isOccupied(ctx: CommandContext, path: string): Promise<boolean> {
  const { files } = ctx.system;
  if (await files.lstat(path) === null) return false;
  return (await files.stat(path))?.kind !== "directory" || (await files.list(path)).length > 0;
}

/** Refuses to push a workspace branch that would bring the remote a commit with a guarded file, unless it is let go. */
async function refuseGuarded(
  ctx: CommandContext,
  { name, workspaceBranch }: Manifest,
  head: string,
  allowed: readonly string[],
): Promise<void> {
  const guard = await guardOfControl(ctx.system, ctx.root);
  const sent = { head, without: { remote: "origin" } };
  const found = await touchedBy(ctx.git.at(ctx.root, "control repository"), guard, sent, allowed);
  if (found.length === 0) return;
  throw new AmofError(
    "push_refused",
    `Cannot install "${name}" with --push: ${workspaceBranch} would push no-touch paths: ${
      touchText(found)
    }`,
    {
      hint: [
        "Leave the branch here: amof install",
        ...remedies([touchFix(found, "install --push")]),
      ],
      details: { branch: workspaceBranch, touches: keptTouches(found) },
    },
  );
}

/** The commit a new workspace begins at; throws where there is none. */
async function baseOf(ctx: CommandContext): Promise<string> {
  const base = await ctx.git.at(ctx.root).refs.resolve("HEAD");
  if (base !== null) return base;
  const [add, commit] = firstCommit(ctx.ecosystem);
  throw new AmofError("git_failed", `Cannot install: ${NO_COMMIT}`, {
    hint: `Add its manifest first: ${add}\nThen commit it: ${commit}`,
    details: { kind: "not_found" },
  });
}

/** Refuses to install where a workspace or something else is, unless a workspace is to be repaired. */
async function refuseTaken(
  ctx: CommandContext,
  manifest: Manifest,
  { worktree, directory, moved }: WorkspacePlace,
  repair: boolean,
): Promise<void> {
  const { name, workspaceDir } = manifest;
  const away = worktree?.prunable === true && !moved;
  if (worktree !== null && !repair) {
    const back = away
      ? await restoreSteps(ctx.system, ctx.root, { name, directory: worktree.path })
      : null;
    throw new AmofError(
      "workspace_exists",
      moved
        ? `Cannot install "${name}": its workspace is there; ${MOVED}`
        : `Cannot install "${name}": its workspace ${
          away ? "is registered, but its directory is gone" : "exists"
        }`,
      {
        hint: moved
          ? "Mend the link: amof install --repair"
          : back?.hint ?? ["Look at it: amof status", "Complete it: amof install --repair"],
        details: { workspace: workspaceDir, branch: worktree.branch, ...back?.details },
      },
    );
  }
  if ((worktree === null || away) && await isOccupied(ctx, directory)) {
    throw new AmofError(
      "workspace_exists",
      `Cannot install "${name}": ${workspaceDir} is not empty and not a workspace`,
      { hint: "Move that directory away, then repeat", details: { workspace: workspaceDir } },
    );
  }
}

/** What an install finds in the place of one repository. */
async function repoFact(
  ctx: CommandContext,
  workspace: string,
  repo: Repo,
  repair: boolean,
): Promise<InstallFacts["repos"][number]> {
  if (isUnsafeUrl(repo.url)) {
    throw new AmofError("manifest_invalid", `Cannot clone "${repo.name}" from that address`);
  }
  const directory = await repoDirectory(ctx.system, workspace, repo);
  const present = (await ctx.system.files.list(directory)).length > 0;
  return {
    name: repo.name,
    url: maskSecrets(repo.url),
    branch: repo.branch,
    mode: repo.readonly ? "RO" : "RW",
    present,
    problem: present && repair ? await problemOf(ctx, directory, repo.name) : null,
  };
}

/** Looks at what an install finds; throws when it cannot be done. */
export async function planInstall(
  ctx: CommandContext,
  input: GuardInput & Selecting & { readonly push: boolean; readonly repair: boolean },
): Promise<{ facts: InstallFacts; manifest: Manifest }> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const base = await baseOf(ctx);
  const place = await findWorkspace(ctx, ctx.root, manifest);
  const gone = place.worktree?.prunable === true && !place.moved;
  await refuseTaken(ctx, manifest, place, input.repair);
  const { workspaceBranch } = manifest;
  const tip = await ctx.git.at(ctx.root).refs.resolve(`refs/heads/${workspaceBranch}`);
  const repair = place.worktree !== null && !gone;
  const action = repair ? "repair" : tip !== null ? "attach" : "create";
  if (action === "attach") {
    await refuseUsedElsewhere(ctx, ctx.root, place, {
      branch: workspaceBranch,
      what: `attach ${workspaceBranch}`,
    });
  }
  if (input.push) {
    const here = repair && !place.moved
      ? await ctx.git.at(place.directory).refs.resolve("HEAD")
      : tip;
    await refuseGuarded(ctx, manifest, here ?? base, input.allow_no_touch ?? []);
  }
  const selected = await select(ctx, {
    manifest,
    workspace: repair ? place.directory : null,
    state: null,
    action: "install",
  }, input);
  const repos = await inPoolOf(
    ctx,
    "checking",
    selected,
    (repo) => repoFact(ctx, place.directory, repo, repair),
  );
  const missing = new Set(repos.filter(({ present }) => !present).map(({ name }) => name));
  const asked = await askBranches(ctx, selected.filter(({ name }) => missing.has(name)));
  const found = new Map(asked.map(({ name, branch }) => [name, branch]));
  return {
    manifest,
    facts: {
      workspace: manifest.workspaceDir,
      branch: workspaceBranch,
      action,
      base,
      prune: gone ? place.worktree?.path ?? null : null,
      moved: place.moved ? place.worktree?.path ?? null : null,
      state: repair ? await stateCondition(ctx, place.directory) : "fresh",
      repos: repos.map((repo) => ({ ...repo, branch: found.get(repo.name) ?? repo.branch })),
      push: input.push,
      asked,
    },
  };
}
