/**
 * A release train as a plan: every repository of an ecosystem is looked at before the first one is touched
 * (RELEASE-13).
 *
 * Costs what looking at each repository costs, seven or eight git processes, one of them a network call.
 *
 * @module
 */

import { sha256 } from "../../hash.ts";
import {
  allowing,
  type Guard,
  loadManifest,
  makeGuard,
  type Repo,
  repoDirectory,
  requireWorkspace,
  selectRepos,
  touchedBy,
  touches,
  touchText,
} from "../../workspace/mod.ts";
import { AmofError } from "../../error.ts";
import { inPool } from "../../async/pool.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../text/sanitize.ts";
import { CONTROL } from "../answer.ts";
import { type Cut, cutFacts, type CutOutline, digest, planCut } from "../cut.ts";
import type { Finding } from "../finding.ts";
import { nextVersion, type Stage, STAGES, type Step, type Version } from "../ladder.ts";
import { recordProblem } from "../record.ts";
import { type Outgoing, outgoing } from "../outgoing.ts";
import { look, REMOTE, type Standing } from "../standing.ts";
import { TRAINS } from "./record.ts";

/** What a train is asked to do. */
export interface TrainWish {
  readonly step: Step;
  /** Only these repositories; all of the ecosystem when absent. */
  readonly repos: readonly string[] | undefined;
  /** The version for repositories that have none yet, or null. */
  readonly initial: Version | null;
  readonly message: string | null;
  readonly push: boolean;
  readonly strict: boolean;
  /** No-touch paths or globs that somebody lets go. */
  readonly allowed: readonly string[];
}

/** What happens to one repository. */
export type Car =
  | { readonly kind: "release"; readonly repo: Repo; readonly cut: Cut }
  /** Its current version was made by a train that could not push it. */
  | {
    readonly kind: "push";
    readonly repo: Repo;
    readonly standing: Standing;
    readonly tag: string;
    readonly outgoing: Outgoing;
  }
  | {
    readonly kind: "left_out";
    readonly repo: Repo;
    readonly current: string | null;
    readonly reason: string;
  }
  | { readonly kind: "refused"; readonly repo: Repo; readonly problems: readonly Finding[] };

/** A problem of one repository, or of the control repository. */
export interface TrainProblem extends Finding {
  readonly repo: string;
}

/** A train that could go now, if there are no problems. */
export interface Train {
  readonly cars: readonly Car[];
  readonly problems: readonly TrainProblem[];
  readonly warnings: readonly TrainProblem[];
  /** The branch of the control repository that will hold the record. */
  readonly branch: string;
  readonly author: string;
}

function refused(repo: Repo, gate: string, message: string, fix: string): Car {
  return { kind: "refused", repo, problems: [{ gate, message, fix }] };
}

function rank(stage: Stage): number {
  return STAGES.indexOf(stage);
}

/** Why a repository has no part in the step, or null. */
function reasonToStay(step: Step, standing: Standing): string | null {
  const { current, commits } = standing;
  if (current === null) return null;
  const idle = commits === 0 ? `no commits since ${current.tag}` : null;
  if (step.kind === "bump") return idle;
  const { stage } = current.version;
  if (stage === "stable") return `${current.tag} is stable`;
  if (rank(stage) > rank(step.target)) return `${current.tag} is beyond ${step.target}`;
  return stage === step.target ? idle : null;
}

/** What becomes of a repository whose current version is not pushed yet: it only pushes it. Null when it is. */
async function pushCar(
  ctx: CommandContext,
  repo: Repo,
  standing: Standing,
): Promise<Car | null> {
  const { current, remote, guard, directory } = standing;
  if (current === null || !remote?.refs || remote.refs.has(`refs/tags/${current.tag}`)) {
    return null;
  }
  const goes = await outgoing(ctx, {
    repo: repo.name,
    directory,
    remote: REMOTE,
    branch: repo.branch,
    tag: current.tag,
    commit: current.commit,
    refs: remote.refs,
  });
  if ("problem" in goes) {
    return refused(repo, "pushed", `${current.tag} is not pushed, and ${goes.problem}`, goes.fix);
  }
  // What is checked out may be another branch than the one that goes.
  const there = remote.refs.get(`refs/heads/${repo.branch}`);
  const touched = goes.tip === null ? [] : await touchedBy(ctx.git, guard, directory, repo.name, {
    head: goes.tip,
    without: there === undefined ? { remote: REMOTE } : { ref: there },
  });
  return touched.length === 0
    ? { kind: "push", repo, standing, tag: current.tag, outgoing: goes }
    : refused(
      repo,
      "no_touch",
      `${current.tag} is not pushed, and no-touch paths would change: ${touchText(touched)}`,
      "Take them out of what is pushed; what lets them go at a terminal: amof release train bump --help",
    );
}

/** What becomes of a repository that was looked at. */
async function decide(
  ctx: CommandContext,
  repo: Repo,
  standing: Standing,
  wish: TrainWish,
): Promise<Car> {
  const { step, initial, push, message, strict } = wish;
  const { current } = standing;
  const waiting = push ? await pushCar(ctx, repo, standing) : null;
  if (waiting !== null) return waiting;
  const reason = reasonToStay(step, standing);
  if (reason !== null) {
    return { kind: "left_out", repo, current: current?.tag ?? null, reason };
  }
  if (current === null && (initial === null || step.kind === "promote")) {
    return refused(
      repo,
      "version",
      "It has no version yet",
      "Name one for it: amof release train bump PART --initial 0.1.0",
    );
  }
  try {
    const next = current === null ? initial : nextVersion(current.version, step);
    if (next === null) throw new TypeError("There is no version to begin with");
    const cut = await planCut(ctx, standing, {
      action: current === null ? "init" : step.kind,
      part: step.kind === "bump" && current !== null ? step.part : null,
      next,
      message,
      push,
      strict,
      mayBeEmpty: true,
      expectedBranch: repo.branch,
    });
    return cut.validation.ok
      ? { kind: "release", repo, cut }
      : { kind: "refused", repo, problems: cut.validation.errors };
  } catch (error) {
    if (!(error instanceof AmofError) || error.code !== "invalid_transition") throw error;
    return refused(repo, "ladder", error.message, error.hint ?? "See: amof release train status");
  }
}

/** Looks at one repository; one that cannot be looked at is a problem and hides no other. */
async function carOf(
  ctx: CommandContext,
  workspace: string,
  repo: Repo,
  wish: TrainWish,
  guard: Guard,
): Promise<Car> {
  if (repo.readonly) return { kind: "left_out", repo, current: null, reason: "read-only" };
  try {
    const directory = await repoDirectory(ctx.system, workspace, repo);
    if (await ctx.git.at(directory).activity() === null) {
      return refused(repo, "cloned", "It is not cloned", "Clone it: amof sync");
    }
    return await decide(ctx, repo, await look(ctx, directory, repo.name, wish.push, guard), wish);
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return refused(repo, "readable", error.message, error.hint ?? "Look at it: amof status");
  }
}

/** What keeps the control repository from taking the record, or the branch it goes to. */
async function lookAtControl(
  ctx: CommandContext,
  guard: Guard,
): Promise<{ branch: string; author: string; problems: TrainProblem[] }> {
  const branch = await ctx.git.at(ctx.root).branches.current();
  const activity = await ctx.git.at(ctx.root).activity();
  const author = await ctx.git.at(ctx.root).releases.author();
  const problems: TrainProblem[] = [];
  if (branch === null) {
    problems.push({
      repo: CONTROL,
      gate: "branch",
      message: "No branch is checked out to take the record",
      fix: "Switch to one in the control repository",
    });
  }
  const misplaced = await recordProblem(ctx.system, ctx.root, TRAINS);
  if (misplaced !== null) {
    problems.push({
      repo: CONTROL,
      gate: "records",
      message: misplaced,
      fix: "Make it a directory in the control repository",
    });
  }
  const kept = touches(guard, [`${TRAINS}/train.json`]);
  if (kept.length > 0) {
    problems.push({
      repo: CONTROL,
      gate: "no_touch",
      message: `The record of the train would lie in a no-touch path: ${touchText(kept)}`,
      fix: "Leave releases/ out of guardrails.no_touch_paths",
    });
  }
  if (activity?.inProgress) {
    problems.push({
      repo: CONTROL,
      gate: "in_progress",
      message: `A ${activity.inProgress} is in progress`,
      fix: "Finish or abort it in the control repository",
    });
  }
  return { branch: branch ?? "", author: author ?? "", problems };
}

/** Works out a train; problems of all repositories are found, not only of the first. */
export async function planTrain(ctx: CommandContext, wish: TrainWish): Promise<Train> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const repos = selectRepos(manifest, wish.repos);
  const guard = allowing(await makeGuard(manifest.noTouchPaths), wish.allowed);
  const { branch, author, problems } = await lookAtControl(ctx, guard);
  const cars = await inPool(
    ctx.jobs,
    repos,
    (repo) => carOf(ctx, workspace.directory, repo, wish, guard),
  );
  return {
    cars,
    branch,
    author,
    problems: [
      ...problems,
      ...cars.flatMap((car) =>
        car.kind === "refused"
          ? car.problems.map((problem) => ({ ...problem, repo: car.repo.name }))
          : []
      ),
    ],
    warnings: cars.flatMap((car) =>
      car.kind === "release"
        ? car.cut.validation.warnings.map((warning) => ({ ...warning, repo: car.repo.name }))
        : []
    ),
  };
}

/** What one repository of a preview shows. */
export type CarFacts =
  & { readonly name: string }
  & (
    | { readonly action: "release" } & CutOutline
    | {
      readonly action: "push";
      readonly current: string;
      readonly next: string;
      readonly branch: string;
      readonly commit: string;
      readonly remote: string;
    } & Outgoing
  );

/** What a confirmation of a train is bound to. */
export interface TrainFacts {
  readonly repos_affected: readonly string[];
  readonly repos: readonly CarFacts[];
  readonly left_out: readonly {
    readonly name: string;
    readonly current: string | null;
    readonly reason: string;
  }[];
  readonly problems: readonly TrainProblem[];
  readonly warnings: readonly TrainProblem[];
  /** The branch of the control repository that takes the record. */
  readonly record_branch: string;
  readonly push: boolean;
}

function factsOf(car: Car): CarFacts[] {
  if (car.kind === "release") {
    const { validation: _, ...facts } = cutFacts(car.cut);
    return [{ name: car.repo.name, action: "release", ...facts }];
  }
  if (car.kind === "push") {
    const { tag, standing, repo, outgoing: { tip, commits, commit_subjects } } = car;
    return [{
      name: repo.name,
      action: "push",
      current: tag,
      next: tag,
      branch: repo.branch,
      commit: standing.current?.commit ?? "",
      remote: REMOTE,
      tip,
      commits,
      commit_subjects,
    }];
  }
  return [];
}

/** The facts of a train. */
export function trainFacts(train: Train, push: boolean): TrainFacts {
  const repos = train.cars.flatMap(factsOf);
  return {
    repos_affected: repos.map(({ name }) => name),
    repos,
    left_out: train.cars.flatMap((car) =>
      car.kind === "left_out"
        ? [{ name: car.repo.name, current: car.current, reason: cleanLine(car.reason) }]
        : []
    ),
    problems: train.problems,
    warnings: train.warnings,
    record_branch: train.branch,
    push,
  };
}

/** Changes with everything the train would do here. */
export function trainDigest({ cars, branch }: Train): string {
  return sha256(JSON.stringify([
    branch,
    cars.map((car) => [
      car.repo.name,
      car.kind,
      car.kind === "release"
        ? digest(car.cut)
        : car.kind === "push"
        ? [car.tag, car.standing.current?.commit, car.outgoing.tip]
        : null,
    ]),
  ]));
}
