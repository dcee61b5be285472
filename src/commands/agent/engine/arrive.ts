/**
 * Brings the commits of an agent home from an engine (BOX-11). They are taken for a stranger's and looked at apart
 * from everything. Then they go on the ticket's branch where it has not moved, else on a branch beside it.
 */

import { join } from "@std/path";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { shaOf } from "../../../engine/mod.ts";
import { AmofError } from "../../../base/error.ts";
import type { Repository } from "../../../git/mod.ts";
import { privateFiles } from "../../../git/changing.ts";
import { Bundles } from "../../../git/write/mod.ts";
import { type Sha, sha } from "../../../base/ids.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, shellWord } from "../../../base/text/words.ts";

/** What the objects of a repository's pack have at most together when they are unpacked, in bytes. */
const MOST_UNPACKED = 1024 * 1024 * 1024;
/** No repository brings more commits home. */
const MOST_COMMITS = 10_000;
/** What branches begin with that keep what could not be put on the ticket's own. */
const KEPT = "amof-agent/";

/** What became of one repository. */
export interface AgentArrival {
  readonly repo: string;
  /** The branch of the ticket. */
  readonly branch: string;
  /** The commit it was at when the work was submitted. */
  readonly base: string;
  /**
   * `taken`: the branch has the commits; `kept`: another branch has them; `waiting`: they are here and could not be put
   * anywhere yet; `refused`: they are not what was agreed to; `lost`: nothing arrived.
   */
  readonly state: "unchanged" | "taken" | "kept" | "waiting" | "too_large" | "refused" | "lost";
  readonly commits: number;
  /** The last of them; null where there are none. */
  readonly commit: string | null;
  /** The branch that keeps them; null where they are on the ticket's own, or nowhere. */
  readonly kept: string | null;
  /** Why it stands so, and what to do; empty where its state says all. */
  readonly detail: string;
}

/** A repository of which something comes home. */
interface Homeward {
  readonly repo: string;
  /** The clone, absolute. */
  readonly directory: string;
  readonly branch: string;
  readonly base: string;
  /** The run that sent it. */
  readonly run: string;
}

function wrong(why: string): AmofError {
  return new AmofError("git_failed", `What came home is not what was agreed to: ${why}`, {
    details: { kind: "refused" },
  });
}

/** Whether an error says that a pack is wrong, whoever looks at it again. */
function isWrong(error: AmofError): boolean {
  return error.details["kind"] === "refused";
}

/** Looks at a pack in a place of its own; answers how many commits there are, and a pack of them and nothing besides. */
async function lookAt(
  ctx: ExecuteContext,
  pack: Uint8Array,
  { repository, base, commit }: {
    readonly repository: Repository;
    readonly base: Sha;
    readonly commit: Sha;
  },
): Promise<{ readonly commits: number; readonly pack: Uint8Array }> {
  const { files } = ctx.system;
  const common = await repository.commonDirectory();
  if (common === null) {
    throw new AmofError("git_failed", "Cannot take it in: the clone of the ticket is not there");
  }
  return await files.scratch(privateFiles("quarantine", { like: base }), async (directory) => {
    const place = join(directory, "quarantine");
    const bundles = ctx.git.bare(place).part(Bundles);
    try {
      await bundles.take(pack, false);
      const objects = await bundles.objects();
      if (objects.some(({ type }) => type === "tag")) throw wrong("there is a tag beside it");
      if (objects.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_UNPACKED) {
        throw wrong("its files are too large");
      }
      if (!objects.some(({ type, id }) => type === "commit" && id === commit)) {
        throw wrong("its last commit is not in the pack");
      }
      // The parents of the new commits are read from the clone, which this repository cannot change.
      await files.write(join(place, "objects/info/alternates"), `${join(common, "objects")}\n`);
      const shallow = await files.readText(join(common, "shallow"));
      if (shallow !== null) await files.write(join(place, "shallow"), shallow);
      const chain = await bundles.chain(base, commit, MOST_COMMITS);
      if (chain === null || chain.length === 0) {
        throw wrong("its commits do not all follow the one that was agreed to");
      }
      const clean = await bundles.packSince(base, commit, MOST_UNPACKED);
      if (clean === null) throw wrong("its files are too large");
      return { commits: chain.length, pack: clean };
    } catch (error) {
      if (!(error instanceof AmofError) || isWrong(error)) throw error;
      if (error.code !== "git_failed") throw error;
      throw wrong(`git refuses it (${cleanLine(error.message, 200)})`);
    }
  });
}

/** Puts the ticket's branch at the commit, where it is as it was; else says why not. */
async function forward(
  repository: Repository,
  { branch, base, commit }: {
    readonly branch: string;
    readonly base: string;
    readonly commit: Sha;
  },
): Promise<string | null> {
  const now = await repository.status("all");
  if (now.branch === branch && now.head === commit) return null;
  if (now.branch !== branch) {
    return `the clone is on ${cleanLine(now.branch ?? "no branch", 60)} now`;
  }
  if (now.head !== base) return `${cleanLine(branch, 60)} has moved since`;
  if (now.changes.length > 0) return `${count(now.changes.length, "file")} not committed`;
  try {
    await repository.branches.fastForward(commit);
    return null;
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return cleanLine(error.message, 200);
  }
}

/** Takes the commits of one repository in. What throws nothing but {@linkcode AmofError} can be repeated. */
async function takeIn(
  ctx: ExecuteContext,
  { directory, repo, branch, base, run }: Homeward,
  { pack, commit }: { readonly pack: Uint8Array; readonly commit: Sha },
): Promise<Pick<AgentArrival, "state" | "commits" | "kept" | "detail">> {
  const repository = ctx.git.at(directory, repo);
  const looked = await lookAt(ctx, pack, { repository, base: sha(base), commit });
  const { commits } = looked;
  await repository.part(Bundles).take(looked.pack, true);
  // A name before anything else: nothing that git tidies up takes them away again.
  const name = `${KEPT}${run.slice(0, 8)}`;
  const ref = `refs/heads/${name}`;
  if (!await repository.refs.create(ref, commit)) {
    const there = await repository.refs.resolve(ref);
    if (there !== commit) {
      throw new AmofError("repo_changed", `Cannot keep the commits of "${repo}" as ${name}`, {
        hint: "Rename that branch, which has others",
        details: { repo },
      });
    }
  }
  const why = await forward(repository, { branch, base, commit });
  if (why === null) {
    await repository.refs.delete(ref, commit);
    return { state: "taken", commits, kept: null, detail: "" };
  }
  const detail = `${why}; take them: git -C ${shellWord(directory)} merge ${name}`;
  return { state: "kept", commits, kept: name, detail };
}

/** Brings one repository home; answers what became of it, whatever happened. */
export async function bringHome(
  ctx: ExecuteContext,
  home: Homeward,
  { pack, commit: told, note }: {
    readonly pack: Uint8Array;
    readonly commit: string;
    readonly note: string;
  },
): Promise<AgentArrival> {
  const { repo, branch, base } = home;
  const row = { repo, branch, base, commits: 0, commit: null, kept: null };
  const commit = shaOf(told);
  if (commit === null) {
    return { ...row, state: "refused", detail: "its shard told of no commit that could be one" };
  }
  try {
    const end = await takeIn(ctx, home, { pack, commit });
    const detail = [end.detail, cleanLine(note, 200)].filter((part) => part !== "").join("; ");
    return { ...row, ...end, commit, detail };
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    const state = isWrong(error) ? "refused" : "waiting";
    return { ...row, state, detail: cleanLine(error.message, 300) };
  }
}
