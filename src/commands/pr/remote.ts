/** Commits of remotes in a private repository that is gone afterwards: no working copy has a part in it. */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { type Sha, sha, shortSha } from "../../base/ids.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import type { Repository } from "../../git/mod.ts";
import { privateFiles } from "../../git/changing.ts";
import { Bundles } from "../../git/write/mod.ts";
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

/** Deletes a branch of a remote where it is at a commit; a word about it. Throws `push_refused` where it is refused. */
export async function deleteRemoteBranch(
  ctx: ExecuteContext,
  member: Member,
  expected: string,
): Promise<"deleted" | "gone"> {
  const there = await remoteTip(ctx, member, member.branch);
  if (there === null) return "gone";
  if (there !== expected) {
    throw new AmofError(
      "change_moved",
      `${cleanLine(member.branch, 60)} of ${member.name} is at ${shortSha(there)} now and stays`,
    );
  }
  return await inPrivate(ctx, member, there, async (repository): Promise<"deleted"> => {
    const sent = await repository.part(Bundles).send({
      commit: null,
      branch: member.branch,
      expected: sha(expected),
    });
    if (sent.ok) return "deleted";
    throw new AmofError(
      "push_refused",
      `Cannot delete ${cleanLine(member.branch, 60)} of ${member.name}: ${
        maskSecrets(cleanLine(sent.reason ?? "the remote refuses it", 200))
      }`,
    );
  });
}
