/** Clones one repository of an ecosystem so that its place holds either nothing or a whole clone. */

import { basename, dirname, join } from "@std/path";
import { AmofError, toAmofError } from "../../base/error.ts";
import type { CloneHistory, OnLine } from "../../git/mod.ts";
import { logLines } from "../../git/changing.ts";
import { Clones } from "../../git/write/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { few } from "../../base/text/words.ts";
import type { Repo } from "../manifest/manifest.ts";
import { freshMirror, noMirror } from "../mirrors/mod.ts";
import { sweep } from "../removal/sweep.ts";
import { whyOf } from "../why.ts";
import { repoDirectory } from "../workspace.ts";

/** The branches of a remote where the wanted one was not found; null where that was not the reason. */
async function branchesInstead(
  ctx: ExecuteContext,
  parent: string,
  repo: Repo,
  error: unknown,
): Promise<readonly string[] | null> {
  const missing = error instanceof AmofError && error.details["kind"] === "not_found" &&
    /remote branch .* not found/i.test(error.message);
  if (!missing) return null;
  const refs = await ctx.git.at(parent, repo.name).remoteRefs.branchesAndTags(repo.url);
  return [...refs.keys()].map((ref) => ref.replace(/^refs\/(?:heads|tags)\//, ""));
}

/** What a manifest says of the history of clones, as git is told it (WORKSPACE-24). */
export function historyOf(said: string): CloneHistory {
  if (said === "blobless") return said;
  return said.startsWith("shallow:") ? { depth: Number(said.slice("shallow:".length)) } : "full";
}

/**
 * The mirror from which a clone copies what it can, or null: none is wanted, there is none, or it cannot be had, which
 * is told and keeps nobody from cloning (WORKSPACE-25).
 */
async function mirrorFor(ctx: ExecuteContext, repo: Repo, onLine: OnLine): Promise<string | null> {
  // A copy of a mirror that lacks history or files would have to fetch them again.
  if (!repo.mirrored || repo.clone !== "full" || noMirror(ctx, repo) !== null) return null;
  try {
    return (await freshMirror(ctx, repo, { fresh: 0, onLine }))?.directory ?? null;
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    if (["cancelled", "internal_error"].includes(error.code)) throw thrown;
    ctx.report.log("warn", `${repo.name}: cloned without a mirror: ${whyOf(error)}`);
    return null;
  }
}

/**
 * Gives a clone its submodules where the manifest says that it has them (WORKSPACE-28). At most one process, which starts
 * several for each, with network.
 */
export async function addSubmodules(
  ctx: ExecuteContext,
  directory: string,
  repo: Repo,
): Promise<void> {
  if (!repo.submodules) return;
  if (await ctx.system.files.lstat(join(directory, ".gitmodules")) === null) return;
  const onLine = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  await ctx.git.at(directory, repo.name).part(Clones).addSubmodules(onLine);
}

/** Clones one branch into a directory that does not exist; a remote without anything becomes an empty clone. */
async function cloneInto(
  ctx: ExecuteContext,
  parent: string,
  directory: string,
  repo: Repo,
): Promise<"cloned" | "empty"> {
  const clones = ctx.git.at(parent, repo.name).part(Clones);
  const { url, branch, clone, sparse } = repo;
  const log = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  const onLine: OnLine = (stream, line) => {
    log(stream, line);
    // Git goes on with a whole clone then.
    if (!line.startsWith("warning: filtering not recognized by server")) return;
    ctx.report.log(
      "warn",
      `${repo.name}: its server makes no blobless clones, so it is a full one`,
    );
  };
  try {
    const reference = await mirrorFor(ctx, repo, log);
    const history = historyOf(clone);
    await clones.make({ url, directory, branch, history, reference, sparse, onLine });
    return "cloned";
  } catch (error) {
    const there = await branchesInstead(ctx, parent, repo, error);
    if (there === null) throw error;
    if (there.length > 0) {
      throw new AmofError(
        "git_failed",
        `Cannot clone "${repo.name}": its remote has no branch ${repo.branch}, but ${
          few(there, 5)
        }`,
        {
          hint:
            `Correct "branch" of "${repo.name}" in the manifest: ecosystems/${ctx.ecosystem}/ecosystem.yaml`,
          details: {
            repo: repo.name,
            kind: "not_found",
            reason: `the remote has no branch ${repo.branch}, but ${few(there, 5)}`,
          },
        },
      );
    }
    await ctx.system.files.removeTree(directory);
    await clones.makeEmpty({ url, directory, branch });
    return "empty";
  }
}

/**
 * Clones into a temporary neighbour and renames it into place. The place must be free or an empty directory. A remote
 * that has no commit yet becomes an empty clone on the branch of the manifest.
 */
export async function cloneRepo(
  ctx: ExecuteContext,
  workspace: string,
  repo: Repo,
): Promise<"cloned" | "empty"> {
  const { files } = ctx.system;
  const target = await repoDirectory(ctx.system, workspace, repo);
  if ((await files.list(target)).length > 0) {
    throw new AmofError(
      "workspace_exists",
      `Cannot clone "${repo.name}": ${repo.path} is not empty`,
      {
        hint: "Move it away, then repeat",
        details: { repo: repo.name, path: repo.path },
      },
    );
  }
  const parent = dirname(target);
  await files.makeDirectory(parent);
  await sweep(ctx, parent, basename(target));
  const temporary = join(parent, `.${basename(target)}.amof-${ctx.system.ids.hex(8)}`);
  try {
    const what = await cloneInto(ctx, parent, temporary, repo);
    await addSubmodules(ctx, temporary, repo);
    if (await files.lstat(target) !== null) await files.remove(target);
    await files.rename(temporary, target);
    await ctx.seals.seal([target]);
    return what;
  } catch (error) {
    await files.removeTree(temporary);
    throw error;
  }
}
