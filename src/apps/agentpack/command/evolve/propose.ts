/**
 * `evolve propose`: turns edits of deployed files into a branch of the config repo (PACK-49).
 *
 * The branch is made in a working copy of its own, so that the user's checkout is never touched.
 */

import { filterWarnings } from "../../config/select.ts";
import {
  type Act,
  choice,
  declare,
  DRY_RUN,
  EVERY_SELECTOR,
  type InputOf,
  type Look,
  MAY_SAY_YES,
  members,
  text,
} from "../../declare/command.ts";
import { lines, shownPath } from "../../declare/show.ts";
import { type Preparation, prepareDesired } from "../../engine/deployment.ts";
import { type Candidate, type Edits, findEdits, type Skipped } from "../../engine/edited.ts";
import { type Home, sanitizeName } from "../../identity.ts";
import { posix, type Twins, withPosix } from "../../io.ts";
import { nowNanos, OVERLAY_SCOPES, type OverlayScope, type TargetName } from "../../names.ts";
import { type Answer, type Pack, type Selection, viaGit } from "../../pack.ts";
import { count, shellWord } from "../../../../base/text/words.ts";
import { commandLine } from "../../engine/next_action.ts";
import { commitOnBranch, planProposal, type RepoEdit } from "./propose_branch.ts";
import { isBranchName } from "../../../../base/ids.ts";
import { AgentpackError } from "../../error.ts";

interface ShownCandidate extends Twins<"path"> {
  readonly module_id: string;
  readonly target: TargetName;
}

/** What was skipped, why, and what would help. */
interface ShownSkip extends Twins<"path"> {
  readonly target: TargetName;
  readonly reason: Skipped["reason"];
  readonly reason_code: Skipped["reason"];
  readonly reason_message: string;
  readonly module_id?: string;
  readonly module_ids?: readonly string[];
  readonly next_actions: readonly string[];
  readonly suggestions: readonly { readonly action: string; readonly reason: string }[];
}

function shownCandidate({ moduleId, target, path }: Candidate): ShownCandidate {
  return { module_id: moduleId, target, ...withPosix("path", path) };
}

/** What was skipped, with what would help. */
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
    ...withPosix("path", one.path),
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

interface EvolveSummary {
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

const OPTIONS = {
  module_id: text({
    help: "Only edits of this module",
    value: "ID",
    schema: { type: "string", description: "Only propose changes for a single module id." },
  }),
  scope: choice(OVERLAY_SCOPES, "global", {
    help: "The overlay to write into",
    schema: {
      type: "string",
      default: "global",
      enum: ["global", "machine", "project"],
      description: "Overlay scope to write into.",
    },
  }),
  branch: text({
    help: "The branch to make",
    value: "NAME",
    schema: {
      type: "string",
      description: "Branch name to create (default: evolve/propose-<timestamp>).",
    },
  }),
};

/** What to propose. */
export type EvolveProposeOptions = InputOf<typeof OPTIONS>;

/** Refuses a config repo that is none, has changes, or has the branch already. */
async function requireCleanRepo(
  pack: Pack,
  { repo }: Home,
  branch: string | undefined,
): Promise<void> {
  const about = { command: "evolve propose", ...withPosix("repo", repo) };
  const required = (): AgentpackError =>
    new AgentpackError(
      "E_GIT_REPO_REQUIRED",
      `The config repo "${repo}" is not a git repository with a commit`,
      { ...about, hint: "Run git init there, and commit" },
    );
  if (await pack.git.at(repo).gitDirectory() === null) throw required();
  const { changes, head } = await viaGit(repo, () => pack.git.at(repo, "config repo").status());
  if (changes.length > 0) {
    throw new AgentpackError(
      "E_GIT_WORKTREE_DIRTY",
      `The config repo "${repo}" has ${count(changes.length, "uncommitted change")}`,
      { ...about, hint: "Commit or stash them first" },
    );
  }
  if (head === null) throw required();
  if (branch === undefined) return;
  const problem = !isBranchName(branch)
    ? "cannot be the name of a branch"
    : await pack.git.at(repo).refs.resolve(`refs/heads/${branch}`) !== null
    ? "exists already"
    : null;
  if (problem === null) return;
  throw new AgentpackError("E_USAGE", `The branch "${branch}" ${problem}`, { branch });
}

/** Proposes the edits of deployed files. Throws `E_GIT_REPO_REQUIRED`, `E_GIT_WORKTREE_DIRTY`, `E_USAGE`. */
async function propose(
  { pack, selection }: Look,
  options: EvolveProposeOptions,
  act: Act | null,
): Promise<Answer<EvolveProposeData>> {
  const prepared = await prepareDesired(pack, selection);
  const edits = await findEdits(prepared.session, prepared.desired, options.module_id);
  const warnings = [
    ...filterWarnings(prepared.session.config, options.module_id),
    ...prepared.warnings,
    ...edits.warnings,
  ];
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
  if (act === null) return { data: planned, warnings };
  await act.approve(planned);
  const branch = options.branch ?? defaultBranch(pack, options, edits.candidates);
  await requireCleanRepo(pack, prepared.session.home, branch);
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

/** `evolve/propose-<scope>-<module>-<time>`; the time has nanoseconds, so that names do not collide. */
function defaultBranch(
  pack: Pack,
  options: EvolveProposeOptions,
  candidates: readonly Candidate[],
): string {
  const ids = [...new Set(candidates.map((candidate) => candidate.moduleId))];
  const [only, ...others] = ids;
  const named = options.module_id ?? (others.length === 0 ? only : undefined);
  const module = named === undefined ? "multi" : sanitizeName(named);
  const nanos = nowNanos(pack.system.clock);
  const time = new Date(Number(nanos / 1_000_000n)).toISOString().slice(0, 19)
    .replace(/[-:]/g, "");
  const fraction = (nanos % 1_000_000_000n).toString().padStart(9, "0");
  return `evolve/propose-${options.scope}-${module}-${time}Z-${fraction}`;
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

/** What was proposed, and for people where the branch is. */
type Proposed = Answer<EvolveProposeData> & { readonly repo?: string };

/** `evolve propose`. */
export const evolvePropose = declare({
  path: ["evolve", "propose"],
  summary: "Turn edits of deployed files into a branch of the config repo.",
  description: "The branch is committed beside your checkout, which is never touched.",
  options: OPTIONS,
  examples: ["evolve propose --dry-run", "evolve propose --module-id skill:tidy --scope machine"],
  changes: { asks: "late" },
  look: (call, input): Promise<Proposed> => propose(call, input, null),
  act: async (call, input): Promise<Proposed> => ({
    ...await propose(call, input, call),
    repo: call.home.repo,
  }),
  answers: members<EvolveProposeData>(
    "created",
    "reason",
    "candidates",
    "skipped",
    "summary",
    "branch",
    "scope",
    "files",
    "files_posix",
    "committed",
    "worktree",
  ),
  render: ({ data, repo }) => {
    if (data.created) {
      const merge = `git -C ${shellWord(repo ?? ".")} merge ${data.branch}`;
      const files = data.files.map((file) => `  ${shownPath(file)}`);
      if (data.committed) {
        return lines(
          `Committed on the branch ${data.branch}:`,
          files,
          `\nLook at it, then merge it: ${merge}`,
        );
      }
      const there = `git -C ${shellWord(data.worktree ?? ".")}`;
      return lines(
        `The commit failed. The changes wait in ${
          shownPath(data.worktree ?? ".")
        }, on the branch ${data.branch}:`,
        files,
        `\nPut right what kept it from being made, then commit and merge:\n  ${there} add --all\n  ${there} commit -m "Propose what was edited"\n  ${merge}`,
      );
    }
    return lines(
      data.reason === "no_drift"
        ? "Nothing was edited"
        : data.reason === "no_proposeable_drift"
        ? "Nothing can be proposed"
        : "Would propose:",
      "candidates" in data
        ? data.candidates.map((one) => `  ${one.module_id}  ${one.target}  ${shownPath(one.path)}`)
        : null,
      data.skipped.map((one) => `  skipped (${one.reason})  ${one.target}  ${shownPath(one.path)}`),
    );
  },
  refuse: async ({ pack, home }, { branch }, planned) => {
    if (planned !== null && "candidates" in planned.data) {
      await requireCleanRepo(pack, home, branch);
    }
  },
  isIdle: ({ data }) => !data.created && data.reason !== "dry_run",
  tools: [{
    name: "evolve_propose",
    title: "Propose edits as a branch",
    description:
      "Turns edits of deployed files into a branch of the config repo for review. Needs yes=true once the person has agreed; dry_run=true lists the candidates.",
    selecting: EVERY_SELECTOR,
    takes: ["module_id", "scope", "branch"],
    more: { dry_run: DRY_RUN, yes: MAY_SAY_YES },
    hints: { reads: false, destroys: true, idempotent: false, openWorld: true },
  }],
});
