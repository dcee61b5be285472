/** What `amof status --pr` asks forges besides: the pull request of each branch that is checked out (CHANGE-5). */

import { toAmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { Forges } from "../../forge/mod.ts";
import type { RepoSnapshot } from "../../workspace/clones/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { inPoolOf } from "../../workspace/mod.ts";
import { relationToPull } from "../pr/look.ts";
import { blockersOf } from "../pr/verdict.ts";
import type { OfForge } from "./row.ts";

/** So many repositories are asked at once: their hosts are waited for, not processors. */
const AT_ONCE = 16;

/** Asks for one branch; why it could not be asked is in the answer. */
async function askForge(
  ctx: CommandContext,
  forges: Forges,
  { repo, git, directory }: RepoSnapshot,
): Promise<OfForge> {
  const branch = git?.branch ?? null;
  if (branch === null || branch === repo.branch || repo.readonly) return { pull_request: null };
  try {
    const forge = await forges.at(repo.url);
    const found = await forge?.find(branch, repo.branch) ?? null;
    if (forge === null || found === null) return { pull_request: null };
    const standing = found.state === "open" ? await forge.standing(found) : null;
    const { number, url, state, draft } = standing?.change ?? found;
    const clone = ctx.git.at(directory, repo.name);
    const blocked_by = standing === null ? [] : blockersOf(standing, {
      here: await relationToPull(clone, git?.head ?? null, standing.change.head.sha),
    });
    return { pull_request: { number, url, state, draft, blocked_by } };
  } catch (thrown) {
    const { message } = toAmofError(thrown, () => ctx.system.ids.hex(8));
    return { pull_request: null, pull_request_error: cleanLine(message, 300) };
  }
}

/** What forges say of the branches of repositories, in their order. */
export function askForges(
  ctx: CommandContext,
  { forges }: Pick<Manifest, "forges">,
  snapshots: readonly RepoSnapshot[],
): Promise<readonly OfForge[]> {
  const known = new Forges(ctx, forges);
  return inPoolOf(
    { report: ctx.report, jobs: Math.max(ctx.jobs, AT_ONCE) },
    "asking",
    snapshots,
    (snapshot) => askForge(ctx, known, snapshot),
  );
}
