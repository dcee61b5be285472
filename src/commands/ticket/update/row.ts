/** Rows of an update: what came of one repository, also where the work on it threw. */

import type { ExecuteContext } from "../../../contract/mod.ts";
import { AmofError, toAmofError } from "../../../base/error.ts";
import type { OnLine, Repository } from "../../../git/mod.ts";
import { logLines } from "../../../git/changing.ts";
import { Joining } from "../../../git/write/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../../base/text/words.ts";
import { type Repo } from "../../../workspace/manifest/mod.ts";
import { rebaseCommand } from "../../advice/command_lines.ts";
import { defaultInstead } from "../../../workspace/clones/changing.ts";
import type { RepoRow } from "../../../contract/outcome.ts";
import { whyOf } from "../../../workspace/mod.ts";
import { baseOf } from "../../../workspace/tickets/mod.ts";
import { type TicketPlace, ticketPlace } from "../preflight.ts";
import { type Given, type KeptWork, ReturnRefused } from "../steps/update_kept.ts";
import type { HeldFact, How, UpdateFact } from "./plan.ts";

/** What came of one repository. */
export interface UpdateRow extends RepoRow {
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
  /** Files with conflicts. */
  readonly files: readonly string[];
  /** The name in the list of stashes under which its changes still stand aside, or null. */
  readonly kept: string | null;
}

/** A row, where nothing else is said one of success. */
export function updateRow(
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

/** The error of a repository in which something is no longer as it was shown. */
export function changed(name: string, what = "it changed"): AmofError {
  return new AmofError("repo_changed", `Left "${name}" alone: ${what} since the preview`);
}

/** The row of a repository that was left out. */
export function heldRow(fact: HeldFact): UpdateRow {
  const { name, branch, detail, code, fix } = fact;
  const result = fact.up_to_date ? "up_to_date" : "skipped";
  return updateRow({ name, branch }, { result, detail, code, fix });
}

/** The base branch of a ticket in a repository as the last fetch has shown it, which may be another than before (TICKET-19). */
export async function baseByNow(
  ctx: ExecuteContext,
  repo: Repo,
  id: string,
): Promise<{ readonly usual: Repo; readonly now: string | null }> {
  const { manifest, state } = await ticketPlace(ctx);
  const usual = manifest.repos.find(({ name }) => name === repo.name) ?? repo;
  const ticket = state.tickets[id];
  return { usual, now: ticket === undefined ? null : baseOf(ticket, usual) };
}

/** The row of a repository whose base branch the remote does not have. */
export async function withoutBase(
  ctx: ExecuteContext,
  { repo, directory }: Pick<Site, "repo" | "directory">,
  { branch, base }: UpdateFact,
  id: string,
): Promise<UpdateRow> {
  const { usual, now: found } = await baseByNow(ctx, repo, id);
  const now = found ?? base;
  const its = await ctx.git.at(directory, repo.name).refs.base(usual.branch);
  return updateRow({ name: repo.name, branch }, {
    result: "failed",
    detail: `the remote has no branch ${cleanLine(base, 60)}`,
    code: now === base ? "git_failed" : "repo_changed",
    fix: now !== base
      ? `bring in ${cleanLine(now, 60)} instead: amof ticket update ${shellWord(id)}`
      : base === usual.branch
      ? `name the one that it has: ${
        rebaseCommand(repo.name, await defaultInstead(ctx, usual, directory))
      }`
      // Another branch than the one that somebody chose is theirs to bring in.
      : `bring in another branch by hand: git -C ${shellWord(directory)} merge ${
        shellWord(its.name)
      }`,
  });
}

/** What working on one repository needs. */
export interface Site {
  readonly place: TicketPlace;
  readonly repo: Repo;
  readonly directory: string;
  /** The name under which uncommitted work stands aside. */
  readonly kept: string;
  /** Leaves what is to be given back or put in order there to the next command. */
  readonly later: () => void;
}

/** What stands aside of a repository meanwhile. */
export function keptOf({ repo, directory, kept }: Site, branch: string): KeptWork {
  return { repo: repo.name, directory, branch, name: kept };
}

/** A row of success, with what came of the work that stood aside. */
export function withGiven(row: UpdateRow, given: Given, { kept, directory }: Site): UpdateRow {
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
      ? `take the update back: amof ticket update --abort --repo ${row.name}\n${hint}`
      : hint === ""
      ? `look at it: git -C ${shellWord(directory)} stash list`
      : hint,
    kept,
  };
}

/** The same row, with how many submodules came along. */
export function withBrought(row: UpdateRow, brought: number): UpdateRow {
  return brought === 0
    ? row
    : { ...row, detail: `${row.detail}; ${count(brought, "submodule")} brought along` };
}

/** How somebody goes on behind a conflict, or back. */
function waysOn(directory: string, files: readonly string[]): string {
  const add = files.length === 0
    ? ""
    : `resolve it and say so: git -C ${shellWord(directory)} add ${
      files.slice(0, 5).map(shellWord).join(" ")
    }${files.length > 5 ? " …" : ""}\n`;
  return `${add}go on: amof ticket update --continue\ngo back: amof ticket update --abort`;
}

/** The row of a repository that is in the middle of something now; null where it is not. */
async function stoppedRow(
  repository: Repository,
  { repo, directory, kept: name }: Site,
  branch: string,
  error: AmofError,
): Promise<UpdateRow | null> {
  const middle = await repository.part(Joining).middle();
  if (middle === null) return null;
  const kept = await repository.stashes.find(name, branch) === null ? null : name;
  const files = (await repository.status()).changes.filter(({ conflicted }) => conflicted)
    .map(({ path }) => path);
  const shown = few(files.map((path) => cleanLine(path, 80)), 3);
  return updateRow({ name: repo.name, branch }, {
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
export async function guarded(
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
    const kept = error instanceof ReturnRefused ? error.kept : null;
    if (kept !== null) site.later();
    const stopped = await stoppedRow(repository, site, branch, error).catch(() => null);
    return log(
      stopped ?? updateRow({ name: repo.name, branch }, {
        result: "failed",
        detail: cleanLine(whyOf(error), 300),
        code: error.code,
        fix: error.hint,
        kept,
      }),
    );
  }
}
