/** Tidies up repositories in which a sync or a push was cut off. */

import { basename, dirname } from "@std/path";
import { operation } from "../../runs/steps/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { count } from "../../base/text/words.ts";
import type { Repo } from "../manifest/manifest.ts";
import { removeStale } from "../removal/temporaries.ts";
import { repoDirectory } from "../workspace.ts";

/**
 * Does nothing while all goes well. After a kill the locks of the dead git are removed. Where a fast-forward of
 * the base branch was cut off, the files are restored. Where a commit was cut off, so is the index.
 */
export const repairRepository = operation<
  {
    readonly repo: string;
    readonly directory: string;
    /** The branch that may have been moved forward; null where none is. */
    readonly base: string | null;
  }
>({
  name: "tidy_repository",
  describe: ({ repo }) => `Tidy up ${repo}`,
  tidies: true,
  touches: ({ directory }) => [directory],
  act: () => Promise.resolve(),
  async undo(ctx, { repo, directory, base }) {
    const repository = ctx.git.at(directory, repo);
    if (await repository.commits.recoverIndex()) {
      ctx.report.log("warn", `${repo}: brought the index back that a cut-off commit had changed`);
    }
    if (base === null || await repository.activity() === null) return;
    if (await repository.branches.current() !== base) return;
    const { ref: there } = await repository.refs.base(base);
    const [head, tip] = [
      await repository.refs.resolve("HEAD"),
      await repository.refs.resolve(there),
    ];
    if (head === null || tip === null || head === tip) return;
    if (!await repository.history.isAncestor(head, tip)) return;
    const { mended, left } = await repository.mendFastForward(tip);
    if (mended.length > 0) {
      ctx.report.log(
        "warn",
        `${repo}: brought ${count(mended.length, "file")} back that a cut-off sync was writing`,
      );
    }
    if (left.length > 0) {
      ctx.report.log(
        "warn",
        `${repo}: left ${count(left.length, "file")} alone that changed since, such as ${left[0]}`,
      );
    }
  },
});

/** Does nothing while all goes well. After a kill what was cloned so far beside its place is removed. */
export const repairClone = operation<{ readonly repo: string; readonly directory: string }>({
  name: "tidy_clone",
  describe: ({ repo }) => `Tidy up around ${repo}`,
  tidies: true,
  touches: ({ directory }) => [directory],
  act: () => Promise.resolve(),
  undo: (ctx, { directory }) => removeStale(ctx, dirname(directory), basename(directory)),
});

/**
 * The steps that tidy up the repositories; with `forward` also after a fast-forward or a clone of what is missing that
 * was cut off.
 */
export async function repairSteps(
  ctx: ExecuteContext,
  workspace: string,
  repos: readonly Repo[],
  forward: boolean,
): Promise<JournalStep[]> {
  const steps: JournalStep[] = [];
  for (const repo of repos) {
    const directory = await repoDirectory(ctx.system, workspace, repo);
    if (await ctx.git.at(directory).gitDirectory() !== null) {
      steps.push(
        repairRepository.step({ repo: repo.name, directory, base: forward ? repo.branch : null }),
      );
    } else if (forward) steps.push(repairClone.step({ repo: repo.name, directory }));
  }
  return steps;
}
