/**
 * `evolve propose`: turns edits of deployed files into a branch of the config repo (PACK-49).
 *
 * The branch is made in a working copy of its own, so that the user's checkout is never touched.
 *
 * @module
 */

import { AgentpackError } from "../error.ts";
import { type Preparation, prepareDesired } from "../engine/deployment.ts";
import { type Candidate, type Edits, findEdits, type Skipped } from "../engine/edited.ts";
import { withHomeLock } from "../engine/lock.ts";
import { commandLine } from "../engine/next_action.ts";
import { isBranchName } from "../../git/mod.ts";
import { sanitizeName } from "../identity/fs_key.ts";
import { homeOf } from "../identity/home.ts";
import { posix } from "../io.ts";
import type { OverlayScope, TargetName } from "../names.ts";
import { planProposal, type RepoEdit } from "../overlay/propose.ts";
import { type Answer, type Approve, type Pack, type Selection, viaGit } from "../pack.ts";
import { nowNanos } from "../time.ts";
import { commitOnBranch } from "./evolve_branch.ts";
import { count } from "../../text/words.ts";

/** A candidate as the answer shows it. */
export interface ShownCandidate {
  readonly module_id: string;
  readonly target: TargetName;
  readonly path: string;
  readonly path_posix: string;
}

/** What was skipped, why, and what would help. */
export interface ShownSkip {
  readonly target: TargetName;
  readonly path: string;
  readonly path_posix: string;
  readonly reason: Skipped["reason"];
  readonly reason_code: Skipped["reason"];
  readonly reason_message: string;
  readonly module_id?: string;
  readonly module_ids?: readonly string[];
  readonly next_actions: readonly string[];
  readonly suggestions: readonly { readonly action: string; readonly reason: string }[];
}

/** Counts of what differs. */
export interface EvolveSummary {
  readonly drifted_proposeable: number;
  readonly drifted_skipped: number;
  readonly skipped_missing: number;
  readonly skipped_multi_module: number;
  readonly skipped_read_error: number;
  readonly skipped_generated: number;
  readonly skipped_conflicting: number;
}

/** `data` of `evolve propose`. */
export type EvolveProposeData =
  | {
    readonly created: false;
    readonly reason: "no_drift" | "no_proposeable_drift";
    readonly summary: EvolveSummary;
    readonly skipped: readonly ShownSkip[];
  }
  | {
    readonly created: false;
    readonly reason: "dry_run";
    readonly candidates: readonly ShownCandidate[];
    readonly skipped: readonly ShownSkip[];
    readonly summary: EvolveSummary;
  }
  | {
    readonly created: true;
    readonly branch: string;
    readonly scope: OverlayScope;
    /** Relative to the config repo. */
    readonly files: readonly string[];
    readonly files_posix: readonly string[];
    readonly committed: boolean;
    /** Where the uncommitted changes are, when the commit failed. */
    readonly worktree?: string;
  };

/** What to propose. */
export interface EvolveProposeOptions {
  readonly moduleId?: string | undefined;
  readonly scope: OverlayScope;
  readonly branch?: string | undefined;
  readonly dryRun: boolean;
  readonly approve: Approve;
}

/** Proposes the edits of deployed files. Throws `E_GIT_REPO_REQUIRED`, `E_GIT_WORKTREE_DIRTY`, `E_USAGE`. */
export async function evolvePropose(
  pack: Pack,
  selection: Selection,
  options: EvolveProposeOptions,
): Promise<Answer<EvolveProposeData>> {
  if (options.dryRun) return await propose(pack, selection, options, []);
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(
    pack.system,
    home,
    (held) => propose(pack, selection, options, held.warnings),
  );
}

async function propose(
  pack: Pack,
  selection: Selection,
  options: EvolveProposeOptions,
  before: readonly string[],
): Promise<Answer<EvolveProposeData>> {
  const prepared = await prepareDesired(pack, selection);
  const edits = await findEdits(prepared.session, prepared.desired, options.moduleId);
  const warnings = [...before, ...prepared.warnings, ...edits.warnings];
  const summary = summaryOf(edits);
  const skipped = edits.skipped.map((one) => shownSkip(pack, selection, one));
  const nothing = (reason: "no_drift" | "no_proposeable_drift"): Answer<EvolveProposeData> => ({
    data: { created: false, reason, summary, skipped },
    warnings,
  });
  if (edits.candidates.length === 0) {
    return nothing(skipped.length === 0 ? "no_drift" : "no_proposeable_drift");
  }
  const planned = {
    created: false,
    reason: "dry_run",
    candidates: edits.candidates.map(shownCandidate),
    skipped,
    summary,
  } as const;
  if (options.dryRun) return { data: planned, warnings };
  await options.approve("evolve propose", planned);
  const branch = options.branch ?? defaultBranch(pack, options, edits.candidates);
  await requireCleanRepo(pack, prepared, branch);
  const files = await repoEdits(prepared, options.scope, edits.candidates, warnings);
  if (files.length === 0) return nothing("no_proposeable_drift");
  const ids = [...new Set(edits.candidates.map((candidate) => candidate.moduleId))];
  const done = await commitOnBranch(pack, prepared.session.home, {
    branch,
    message: `evolve: propose ${ids.join(", ")}\n`,
    edits: files,
  });
  warnings.push(...done.warnings);
  return {
    data: {
      created: true,
      branch,
      scope: options.scope,
      files: done.files,
      files_posix: done.files.map(posix),
      committed: done.worktree === null,
      ...(done.worktree === null ? {} : { worktree: done.worktree }),
    },
    warnings,
  };
}

function summaryOf({ candidates, skipped }: Edits): EvolveSummary {
  const count = (...reasons: Skipped["reason"][]) =>
    skipped.filter((one) => reasons.includes(one.reason)).length;
  return {
    drifted_proposeable: candidates.length,
    drifted_skipped: skipped.length,
    skipped_missing: count("missing"),
    skipped_multi_module: count("multi_module_output"),
    skipped_read_error: count("read_error"),
    skipped_generated: count("generated_header_edited", "generated_output"),
    skipped_conflicting: count("conflicting_edits"),
  };
}

function shownCandidate({ moduleId, target, path }: Candidate): ShownCandidate {
  return { module_id: moduleId, target, path, path_posix: posix(path) };
}

function shownSkip(pack: Pack, selection: Selection, one: Skipped): ShownSkip {
  const [only, ...others] = one.moduleIds;
  const line = (...words: string[]) => commandLine(pack, selection, words);
  const about = others.length === 0 && only !== undefined ? ["--module-id", only] : [];
  const isMissing = one.reason === "missing";
  const suggestions = isMissing
    ? [
      { action: `${pack.prefix} evolve restore`, reason: "Write the missing file again" },
      { action: `${pack.prefix} deploy --apply`, reason: "Deploy everything that is configured" },
    ]
    : one.reason === "multi_module_output"
    ? [
      { action: "edit the modules", reason: "Change the module that the text belongs to" },
      { action: "restore the markers", reason: "Edit only between the markers of a module" },
    ]
    : [];
  return {
    target: one.target,
    path: one.path,
    path_posix: posix(one.path),
    reason: one.reason,
    reason_code: one.reason,
    reason_message: one.message,
    ...(others.length > 0
      ? { module_ids: one.moduleIds }
      : only === undefined
      ? {}
      : { module_id: only }),
    next_actions: isMissing
      ? [line("evolve", "restore", ...about, "--yes"), line("deploy", "--apply", "--yes")]
      : [],
    suggestions,
  };
}

/** `evolve/propose-<scope>-<module>-<time>`; the time has nanoseconds, so that names do not collide. */
function defaultBranch(
  pack: Pack,
  options: EvolveProposeOptions,
  candidates: readonly Candidate[],
): string {
  const ids = [...new Set(candidates.map((candidate) => candidate.moduleId))];
  const [only, ...others] = ids;
  const named = options.moduleId ?? (others.length === 0 ? only : undefined);
  const module = named === undefined ? "multi" : sanitizeName(named);
  const nanos = nowNanos(pack.system.clock);
  const time = new Date(Number(nanos / 1_000_000n)).toISOString().slice(0, 19)
    .replace(/[-:]/g, "");
  const fraction = (nanos % 1_000_000_000n).toString().padStart(9, "0");
  return `evolve/propose-${options.scope}-${module}-${time}Z-${fraction}`;
}

async function requireCleanRepo(
  pack: Pack,
  { session }: Preparation,
  branch: string,
): Promise<void> {
  const { repo } = session.home;
  const about = { command: "evolve propose", repo, repo_posix: posix(repo) };
  const required = (): AgentpackError =>
    new AgentpackError(
      "E_GIT_REPO_REQUIRED",
      `The config repo "${repo}" is no git repository with a commit`,
      { ...about, hint: "Run git init there, and commit" },
    );
  if (await pack.git.gitDirectory(repo) === null) throw required();
  const { changes, head } = await viaGit(repo, () => pack.git.status(repo, "config repo"));
  if (changes.length > 0) {
    throw new AgentpackError(
      "E_GIT_WORKTREE_DIRTY",
      `The config repo "${repo}" has ${count(changes.length, "uncommitted change")}`,
      { ...about, hint: "Commit or stash them first" },
    );
  }
  if (head === null) throw required();
  const problem = !isBranchName(branch)
    ? "is no name for a branch"
    : await pack.git.refs.resolve(repo, `refs/heads/${branch}`) !== null
    ? "exists already"
    : null;
  if (problem === null) return;
  throw new AgentpackError("E_USAGE", `The branch "${branch}" ${problem}`, { branch });
}

/** The changes of the config repo, module by module. */
async function repoEdits(
  { session }: Preparation,
  scope: OverlayScope,
  candidates: readonly Candidate[],
  warnings: string[],
): Promise<RepoEdit[]> {
  const edits: RepoEdit[] = [];
  for (const module of session.modules) {
    const wishes = candidates.filter((candidate) => candidate.moduleId === module.id);
    if (wishes.length === 0) continue;
    const proposal = await planProposal(session, module, scope, wishes);
    edits.push(...proposal.edits);
    warnings.push(...proposal.warnings);
  }
  return edits;
}
