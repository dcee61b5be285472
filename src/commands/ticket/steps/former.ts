/** Steps of older versions, which may stand in a journal that one of those left open: they are only taken back. */

import { AmofError } from "../../../base/error.ts";
import { Snapshots, stashSubject } from "../../../git/snapshot/mod.ts";
import { operation } from "../../../runs/steps/mod.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import type { InRepo } from "./kept.ts";

type Named = InRepo & { readonly name: string };

const touches = ({ directory }: InRepo) => [directory];

function cannotDo(): Promise<never> {
  return Promise.reject(new TypeError("Steps of an older version are not done any more"));
}

/** Brings a stash to one end; throws where anything else is in the way. */
async function move(ctx: ExecuteContext, args: Named, end: "head" | "kept"): Promise<boolean> {
  const { repo, directory, name } = args;
  const repository = ctx.git.at(directory, repo);
  const stash = await repository.stashes.find(name);
  if (stash === null) return false;
  const { conflicts, strangers } = await repository.part(Snapshots).apply(
    stash.commit,
    end,
  );
  if (conflicts.length + strangers.length > 0) {
    throw new AmofError(
      "would_lose_work",
      `Left "${repo}" alone: its files are neither as before nor as kept in ${name}`,
      {
        hint: `Put it in order by hand, then drop stash@{${stash.number}} there`,
        details: { repo, paths: [...conflicts, ...strangers] },
      },
    );
  }
  if (end === "kept") await repository.stashes.drop(stash.commit);
  return true;
}

/** `git stash push` under a name. */
const stashSave = operation<Named>({
  name: "stash_save",
  describe: ({ repo, name }) => `Stash the changes of ${repo} as ${name}`,
  touches,
  act: cannotDo,
  async undo(ctx, args) {
    await move(ctx, args, "kept");
  },
});

/** `git stash pop` of a name. */
const stashRestore = operation<Named>({
  name: "stash_restore",
  describe: ({ repo, name }) => `Restore the changes of ${repo} from ${name}`,
  touches,
  act: cannotDo,
  async undo(ctx, args) {
    if (await move(ctx, args, "head")) return;
    const { repo, directory, name } = args;
    const repository = ctx.git.at(directory, repo);
    const branch = await repository.branches.current();
    const title = { id: ctx.system.ids.hex(16), branch, name, at: ctx.system.clock.now() };
    const taken = await repository.part(Snapshots).take(title);
    if (taken === null) return;
    await repository.stashes.store(taken.commit, stashSubject(title));
    await move(ctx, args, "head");
  },
});

/** The operations of older versions. */
export const FORMER_OPERATIONS = [stashSave, stashRestore];
