/**
 * Brings the base branch into the branch of one repository, or leads on or back where that stopped.
 *
 * @module
 */

import { AmofError, type ErrorCode, toAmofError } from "../error.ts";
import { sha } from "../ids.ts";
import { logLines, type Middle, type OnLine, type Repository } from "../git/mod.ts";
import { operation } from "../steps/mod.ts";
import type { ExecuteContext } from "../contract/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count, few, shellWord } from "../text/words.ts";
import { inspectRepos, type Repo, type Transfers, whyOf } from "../workspace/mod.ts";
import type { InRepo } from "./kept.ts";
import { type Aside, giveBack, type Given, keptFor, putAside } from "./update_kept.ts";
import type { TicketPlace } from "./preflight.ts";
import {
  dirty,
  type HeldFact,
  type How,
  inTheWay,
  keptAlready,
  look,
  remoteBase,
  unready,
  type UpdateFact,
} from "./update_plan.ts";

/** What came of one repository. */
export interface UpdateRow {
  readonly name: string;
  readonly branch: string;
  readonly result:
    | "updated"
    | "up_to_date"
    | "conflict"
    | "taken_back"
    | "given_back"
    | "skipped"
    | "failed";
  readonly how: How | null;
  /** How many commits came in; 0 where that is not known. */
  readonly commits: number;
  readonly detail: string;
  /** Files with conflicts. */
  readonly files: readonly string[];
  readonly code: ErrorCode | null;
  readonly fix: string | null;
  /** The name in the list of stashes under which its changes still stand aside, or null. */
  readonly kept: string | null;
}

/** A row, where nothing else is said one of success. */
function rowOf(
  { name, branch }: { readonly name: string; readonly branch: string },
  fields: Partial<UpdateRow> & Pick<UpdateRow, "result">,
): UpdateRow {
  return {
    name,
    branch,
    how: null,
    commits: 0,
    detail: "",
    files: [],
    code: null,
    fix: null,
    kept: null,
    ...fields,
  };
}

/** The row of a repository that was left out. */
export function heldRow(fact: HeldFact): UpdateRow {
  const { name, branch, detail, code, fix } = fact;
  const result = fact.up_to_date ? "up_to_date" : "skipped";
  return rowOf({ name, branch }, { result, detail, code, fix });
}

/**
 * Does nothing while all goes well. Where a merge was cut off before git noted that it is in the middle of one, the
 * files are as they were before; where it was noted, it can go on or back, unless its commit was made already.
 */
export const tidyUpdate = operation<
  InRepo & {
    readonly head: string;
    /** The full name of the base branch. */
    readonly ref: string;
  }
>({
  name: "tidy_update",
  describe: ({ repo }) => `Tidy up ${repo}`,
  tidies: true,
  touches: ({ directory }) => [directory],
  act: () => Promise.resolve(),
  async undo(ctx, { repo, directory, head, ref }) {
    const repository = ctx.git.at(directory, repo);
    const activity = await repository.activity();
    if (activity === null) return;
    const middle = await repository.joining.middle();
    if (middle?.doing === "merge" && await repository.history.isAncestor(middle.other, "HEAD")) {
      await repository.joining.forgetMerge();
      return;
    }
    if (activity.inProgress !== null) {
      ctx.report.log("warn", `${repo}: a ${activity.inProgress} waits to go on or back`);
      return;
    }
    if (await repository.refs.resolve("HEAD") !== head) return;
    if (await repository.refs.resolve(ref) === null) return;
    const mended = await repository.joining.mendMerge(
      ref,
      await repository.history.isAncestor(head, ref),
    );
    if (mended === 0) return;
    ctx.report.log(
      "warn",
      `${repo}: brought ${count(mended, "file")} back that a cut-off merge was writing`,
    );
  },
});

/** What working on one repository needs. */
export interface Site {
  readonly place: TicketPlace;
  readonly repo: Repo;
  readonly directory: string;
  /** The name under which uncommitted work stands aside. */
  readonly kept: string;
}

function asideOf({ repo, directory, kept }: Site, branch: string): Aside {
  return { repo: repo.name, directory, branch, name: kept };
}

/** A row of success, with what came of the work that stood aside. */
function withGiven(row: UpdateRow, given: Given, { kept, directory }: Site): UpdateRow {
  if (given.result === "nothing") return row;
  const and = row.detail === "" ? "" : `${row.detail}; `;
  if (given.result === "given_back") return { ...row, detail: `${and}its changes are back` };
  const { code, details, hint } = given.error;
  const paths = Array.isArray(details["paths"]) ? details["paths"].map(String) : [];
  return {
    ...row,
    result: "conflict",
    detail: `${and}its changes are kept as ${kept}, since they do not go together with ${
      paths.length === 0 ? "what is there" : few(paths.map((path) => cleanLine(path, 80)), 3)
    }`,
    files: paths,
    code,
    fix: row.result === "updated"
      ? `take the update back: amof ticket update --abort --repo ${row.name}; or ${
        hint.slice(0, 1).toLowerCase()
      }${hint.slice(1)}`
      : hint === ""
      ? `look at it: git -C ${shellWord(directory)} stash list`
      : hint,
    kept,
  };
}

/** How somebody goes on behind a conflict, or back. */
function waysOn(directory: string, files: readonly string[]): string {
  const add = files.length === 0
    ? ""
    : `resolve it and say so: git -C ${shellWord(directory)} add ${
      files.slice(0, 5).map(shellWord).join(" ")
    }${files.length > 5 ? " …" : ""}; then `;
  return `${add}go on: amof ticket update --continue; or back: amof ticket update --abort`;
}

/** The row of a repository that is in the middle of something now; null where it is not. */
async function stoppedRow(
  repository: Repository,
  { repo, directory, kept: name }: Site,
  branch: string,
  error: AmofError,
): Promise<UpdateRow | null> {
  const middle = await repository.joining.middle();
  if (middle === null) return null;
  const kept = await keptFor(repository, name) === null ? null : name;
  const files = (await repository.status()).changes.filter(({ conflicted }) => conflicted)
    .map(({ path }) => path);
  const shown = few(files.map((path) => cleanLine(path, 80)), 3);
  return rowOf({ name: repo.name, branch }, {
    result: "conflict",
    how: middle.doing,
    detail: `${
      files.length > 0 ? `conflicts in ${shown}` : `stopped: ${cleanLine(whyOf(error), 200)}`
    }${kept === null ? "" : `; its changes are kept as ${kept} until it went on or back`}`,
    files,
    kept,
    code: error.code === "cancelled" ? "cancelled" : "repo_in_progress",
    fix: waysOn(directory, files),
  });
}

/** A row for whatever work on a repository threw; never throws itself. */
async function guarded(
  ctx: ExecuteContext,
  site: Site,
  branch: string,
  work: (repository: Repository, onLine: OnLine) => Promise<UpdateRow>,
): Promise<UpdateRow> {
  const { repo, directory } = site;
  const log = (row: UpdateRow) => {
    ctx.report.log(
      row.code === null ? "info" : "error",
      `${repo.name}: ${row.result.replaceAll("_", " ")}${
        row.detail === "" ? "" : `, ${row.detail}`
      }`,
      { type: "repo", payload: { repo: repo.name, result: row.result } },
    );
    return row;
  };
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
    const onLine = logLines(ctx.report.log, repo.name, { stdout: "debug", stderr: "info" });
    return log(await work(ctx.git.at(directory, repo.name), onLine));
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    // An interrupt must not keep anybody from seeing what it left.
    const repository = ctx.git.until().at(directory, repo.name);
    const stopped = await stoppedRow(repository, site, branch, error).catch(() => null);
    return log(
      stopped ?? rowOf({ name: repo.name, branch }, {
        result: "failed",
        detail: cleanLine(whyOf(error), 300),
        code: error.code,
        fix: error.hint,
      }),
    );
  }
}

/** Fetches, and brings the base branch in. Never throws: what failed is in the row. */
export function updateOne(
  ctx: ExecuteContext,
  site: Site,
  fact: UpdateFact,
  { transfers, asked, stash }: {
    /** Null where nothing is fetched. */
    readonly transfers: Transfers | null;
    readonly asked: How | undefined;
    /** Whether uncommitted work stands aside meanwhile. */
    readonly stash: boolean;
  },
): Promise<UpdateRow> {
  const { place, repo, directory } = site;
  const { branch, base } = fact;
  return guarded(ctx, site, branch, async (repository, onLine) => {
    if (transfers !== null) {
      await transfers.turn(ctx, repo, () => repository.remotes.fetch(onLine));
    }
    const [snapshot] = await inspectRepos(ctx, {
      workspace: place.workspace.directory,
      repos: [repo],
      state: place.state,
    });
    if (snapshot?.git?.head !== fact.head) {
      throw new AmofError(
        "repo_changed",
        `Left "${repo.name}" alone: it changed since the preview`,
      );
    }
    const held = unready(snapshot, branch);
    if (held !== null) return heldRow(held);
    const now = await look(ctx, place, { snapshot, base, asked });
    const { behind, how } = now;
    if (behind === null) {
      return rowOf(fact, {
        result: "failed",
        detail: `the remote has no branch ${cleanLine(base, 60)}`,
        code: "git_failed",
        fix: "name a branch that is there in the manifest",
      });
    }
    if (behind === 0) return rowOf(fact, { result: "up_to_date" });
    const files = inTheWay(snapshot.git);
    if (files > 0 && !stash) return heldRow(dirty(snapshot, files, behind));
    const aside = asideOf(site, branch);
    if (files > 0 && snapshot.git.stashes > 0 && await keptFor(repository, aside.name) !== null) {
      return heldRow(keptAlready(snapshot, aside.name));
    }
    if (how === "rebase" && now.published > fact.published) {
      throw new AmofError(
        "repo_changed",
        `Left "${repo.name}" alone: more of its commits were published since the preview`,
      );
    }
    const ref = remoteBase(base);
    // Without commits of its own a branch only moves forward, whatever was asked for.
    const forward = now.own === 0;
    if (files > 0) await putAside(ctx, aside);
    try {
      if (how === "merge" || forward) {
        await repository.joining.merge(ref, `Merge origin/${base} into ${branch}`, onLine);
      } else await repository.joining.rebase(ref, onLine);
    } catch (error) {
      if (how === "merge" || forward) await mendNow(ctx, { repo, directory, head: fact.head, ref });
      if (files > 0) await giveBack({ ...ctx, git: ctx.git.until() }, aside);
      throw error;
    }
    const row = rowOf(fact, {
      result: "updated",
      how,
      commits: behind,
      detail: `${count(behind, "commit")} of ${cleanLine(base, 60)}, ${
        forward ? "moved forward" : how === "merge" ? "merged" : "rebased onto"
      }${now.why === null ? "" : `; merged because ${now.why}`}`,
    });
    // An interrupt must not keep anybody's work from coming back.
    return stash && (files > 0 || snapshot.git.stashes > 0)
      ? withGiven(row, await giveBack({ ...ctx, git: ctx.git.until() }, aside), site)
      : row;
  });
}

/** Mends what a merge left that failed or was interrupted in this process. */
async function mendNow(
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

/** A repository that is in the middle of an update. */
export interface MiddleFact {
  readonly name: string;
  readonly branch: string;
  /** `return` where the update is complete and only the changes wait that stood aside. */
  readonly doing: Middle["doing"] | "return";
  readonly head: string | null;
  /** Ties a consent to what was resolved so far. */
  readonly changes_digest: string;
  readonly changed_files: number;
  /** The commit of the changes that stand aside, or null. */
  readonly kept: string | null;
  /** Where the branch goes back to so that they fit; null where it stays. */
  readonly back_to: string | null;
}

/** Goes back to before an update, if that is wanted, and gives the work back that stood aside. */
async function settleKept(
  ctx: ExecuteContext,
  site: Site,
  fact: MiddleFact,
  repository: Repository,
): Promise<UpdateRow> {
  const entry = await keptFor(repository, site.kept);
  const { head, branch } = await repository.status();
  if (entry?.commit !== fact.kept || head !== fact.head || branch !== fact.branch) {
    throw new AmofError(
      "repo_changed",
      `Left "${fact.name}" alone: it changed since the preview`,
    );
  }
  if (fact.back_to !== null) await repository.branches.putAt(branch, sha(fact.back_to));
  return withGiven(
    rowOf(fact, {
      result: fact.back_to === null ? "given_back" : "taken_back",
      detail: fact.back_to === null ? "" : "the update is undone",
    }),
    await giveBack({ ...ctx, git: ctx.git.until() }, asideOf(site, fact.branch)),
    site,
  );
}

/** Goes on behind conflicts, or back to before. Never throws: what failed is in the row. */
export function settleOne(
  ctx: ExecuteContext,
  site: Site,
  fact: MiddleFact,
  step: "continue" | "abort",
): Promise<UpdateRow> {
  return guarded(ctx, site, fact.branch, async (repository, onLine) => {
    const { doing } = fact;
    if (doing === "return") return await settleKept(ctx, site, fact, repository);
    const middle = await repository.joining.middle();
    if (middle?.doing !== fact.doing) {
      throw new AmofError(
        "repo_changed",
        `Left "${fact.name}" alone: it changed since the preview`,
      );
    }
    if (step === "abort") await repository.joining.abort(doing, onLine);
    else await repository.joining.goOn(doing, onLine);
    const row = rowOf(fact, {
      result: step === "abort" ? "taken_back" : "updated",
      how: doing,
      detail: step === "abort" ? `the ${doing} is undone` : `the ${doing} is complete`,
    });
    return fact.kept === null ? row : withGiven(
      row,
      await giveBack({ ...ctx, git: ctx.git.until() }, asideOf(site, fact.branch)),
      site,
    );
  });
}
