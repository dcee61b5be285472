/** Commits of remotes in a private repository that is gone afterwards: no working copy has a part in it. */

import { join } from "@std/path";
import type { Sha } from "../../base/ids.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import type { Repository } from "../../git/mod.ts";
import { privateFiles } from "../../git/changing.ts";
import type { Member } from "./set.ts";

/** Does work in an empty private repository whose `origin` is the remote of a repository; `like` is a commit there. */
export async function inPrivate<T>(
  ctx: ExecuteContext,
  { name, repo }: Pick<Member, "name" | "repo">,
  like: string,
  work: (repository: Repository) => Promise<T>,
): Promise<T> {
  const empty = privateFiles("clone", { like, origin: repo.url });
  return await ctx.system.files.scratch(
    empty,
    (directory) => work(ctx.git.bare(join(directory, "clone"), name)),
  );
}

/** The commit of a branch of a remote, as the remote itself says; null where it does not have it. */
export function remoteTip(
  ctx: ExecuteContext,
  { repo }: Pick<Member, "repo">,
  branch: string,
): Promise<Sha | null> {
  return ctx.git.at(ctx.root).remoteRefs.branch(repo.url, branch);
}
