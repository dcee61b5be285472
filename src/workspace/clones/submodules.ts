/** Brings the submodules of a clone along where it goes to other commits (TICKET-16). */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { changedSubmodules } from "../../git/mod.ts";
import { logLines } from "../../git/changing.ts";
import { Clones } from "../../git/write/mod.ts";
import type { Repo } from "../manifest/manifest.ts";
import type { Transfers } from "./transfer.ts";

/**
 * Brings submodules along that are older than the repository names, where the manifest says that clones have them; how
 * many. Their remotes are asked.
 */
export async function bringSubmodules(
  ctx: Pick<ExecuteContext, "system" | "git" | "report" | "signal">,
  transfers: Transfers,
  { repo, directory }: { readonly repo: Repo; readonly directory: string },
): Promise<number> {
  if (!repo.submodules) return 0;
  const repository = ctx.git.at(directory, repo.name);
  const late = (await repository.status()).submodules
    .filter(({ outOfStep, modified }) => outOfStep && !modified).map(({ path }) => path);
  if (late.length === 0) return 0;
  const onLine = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "debug" });
  await transfers.turn(ctx, repo, () => repository.part(Clones).addSubmodules(onLine, late));
  return late.length;
}

/**
 * The same behind work that is done without them: those that cannot be had stay behind, which is logged and which status
 * tells.
 */
export async function bringLateSubmodules(
  ctx: Pick<ExecuteContext, "system" | "git" | "report" | "signal">,
  transfers: Transfers,
  at: { readonly repo: Repo; readonly directory: string },
): Promise<number> {
  try {
    return await bringSubmodules(ctx, transfers, at);
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    ctx.report.log("warn", `${at.repo.name}: its submodules stay behind: ${error.message}`);
    return 0;
  }
}

/**
 * Changes what is checked out in a clone, and brings its submodules along; answers how many. It takes those
 * that are where a pull, a change of branches or this change has left them. Those that somebody has moved or
 * changed stay, and those in `named`. A status shows those that could not be brought along.
 *
 * No process besides where there is no submodule. Two with some, and three for each that comes along.
 */
export async function withSubmodules(
  ctx: Pick<ExecuteContext, "system" | "git" | "report">,
  { repo, directory }: { readonly repo: string; readonly directory: string },
  change: () => Promise<void>,
  named: readonly string[] = [],
): Promise<number> {
  if (await ctx.system.files.lstat(join(directory, ".gitmodules")) === null) {
    await change();
    return 0;
  }
  const clone = ctx.git.at(directory, repo);
  const stay = new Set([...changedSubmodules(await clone.status()), ...named]);
  await change();
  let brought = 0;
  for (const { path, wanted, moved, modified } of (await clone.status()).submodules) {
    if (wanted === null || !moved || modified || stay.has(path)) continue;
    try {
      await clone.part(Clones).settleSubmodule(path, wanted);
      brought++;
    } catch (error) {
      if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
      ctx.report.log("debug", `${repo}: ${error.message}`);
    }
  }
  return brought;
}
