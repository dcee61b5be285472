/** Mends the files of a repository in which an update was cut off. */

import type { ExecuteContext } from "../../../contract/mod.ts";
import { operation } from "../../../runs/steps/mod.ts";
import { count } from "../../../base/text/words.ts";
import type { Repository } from "../../../git/mod.ts";
import { jointRef } from "../../../workspace/tickets/mod.ts";
import type { Repo } from "../../../workspace/manifest/mod.ts";
import type { InRepo } from "./kept.ts";
import { Joining } from "../../../git/write/mod.ts";

/** The update of a repository that may have been cut off; a type alias, so that it counts as plain JSON. */
type Tidied = {
  readonly repo: string;
  readonly head: string;
  /** The full name of the base branch. */
  readonly ref: string;
};

/**
 * Does nothing while all goes well. Where a merge was cut off before git noted that it is in the middle of one, the
 * files are as they were before; where it was noted, it can go on or back, unless its commit was made already.
 */
export const tidyUpdate = operation<InRepo & Tidied>({
  name: "tidy_update",
  describe: ({ repo }) => `Tidy up ${repo}`,
  tidies: true,
  touches: ({ directory }) => [directory],
  act: () => Promise.resolve(),
  async undo(ctx, { repo, directory, head, ref }) {
    const repository = ctx.git.at(directory, repo);
    if (await repository.activity() === null) return;
    const branch = await repository.branches.current();
    const joint = branch === null ? null : await repository.refs.resolve(jointRef(branch));
    await tidyMerge(ctx, repository, { repo, head, ref: joint ?? ref });
    if (branch !== null && joint !== null) await repository.refs.delete(jointRef(branch), joint);
  },
});

/** Mends the files where a merge of `ref` into `head` was cut off. */
async function tidyMerge(
  ctx: ExecuteContext,
  repository: Repository,
  { repo, head, ref }: Tidied,
): Promise<void> {
  const activity = await repository.activity();
  if (activity === null) return;
  const middle = await repository.part(Joining).middle();
  if (middle?.doing === "merge" && await repository.history.isAncestor(middle.other, "HEAD")) {
    await repository.part(Joining).forgetMerge();
    return;
  }
  if (activity.inProgress !== null) {
    ctx.report.log("warn", `${repo}: a ${activity.inProgress} waits to go on or back`);
    return;
  }
  if (await repository.refs.resolve("HEAD") !== head) return;
  if (await repository.refs.resolve(ref) === null) return;
  const mended = await repository.part(Joining).mendMerge(
    ref,
    await repository.history.isAncestor(head, ref),
  );
  if (mended === 0) return;
  ctx.report.log(
    "warn",
    `${repo}: brought ${count(mended, "file")} back that a cut-off merge was writing`,
  );
}

/** Mends what a merge left that failed or was interrupted in this process. */
export async function mendNow(
  ctx: ExecuteContext,
  { repo, directory, head, ref }: {
    readonly repo: Repo;
    readonly directory: string;
    readonly head: string;
    readonly ref: string;
  },
): Promise<void> {
  const repository = ctx.git.until().at(directory, repo.name);
  if ((await repository.activity())?.inProgress !== null) return;
  await tidyUpdate.undo?.({ ...ctx, git: ctx.git.until() }, {
    repo: repo.name,
    directory,
    head,
    ref,
  });
}
