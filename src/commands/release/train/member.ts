/** One repository of a release train: whether it is released, pushed, left out or refused (RELEASE-13). */

import type { CommandContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { type Guard, type Repo, touchedBy, touchText } from "../../../workspace/manifest/mod.ts";
import { repoDirectory } from "../../../workspace/mod.ts";
import {
  misnamedRemote,
  otherAddress,
  otherAddressWords,
  requireAbsent,
} from "../../../workspace/clones/mod.ts";
import type { Selecting } from "../../selection/mod.ts";
import { planRelease, type ReleasePlan } from "../plan.ts";
import type { Finding } from "../judge.ts";
import { ladderTags, nextVersion, type Stage, STAGES, type Step, type Version } from "../ladder.ts";
import { type Outgoing, outgoing } from "../outgoing.ts";
import { type ReleaseState, releaseStateOf, REMOTE } from "../state.ts";

/** What a train is asked to do. */
export interface TrainWish {
  readonly step: Step;
  /** Which repositories take part; all of the ecosystem when it is empty. */
  readonly selecting: Selecting;
  /** The version for repositories that have none yet, or null. */
  readonly initial: Version | null;
  readonly message: string | null;
  readonly push: boolean;
  readonly strict: boolean;
  /** The ticket whose pull requests have to have landed; null for none. */
  readonly after: string | null;
  /** No-touch paths or globs that somebody lets go. */
  readonly allowed: readonly string[];
}

/** What happens to one repository. */
export type TrainMember =
  | { readonly kind: "release"; readonly repo: Repo; readonly plan: ReleasePlan }
  /** Its current version was made by a train that could not push it. */
  | {
    readonly kind: "push";
    readonly repo: Repo;
    readonly standing: ReleaseState;
    readonly tag: string;
    /** Tags of releases before it that its remote lacks, too, and that go along. */
    readonly earlier: readonly string[];
    readonly outgoing: Outgoing;
  }
  | {
    readonly kind: "left_out";
    readonly repo: Repo;
    readonly current: string | null;
    readonly reason: string;
  }
  | { readonly kind: "refused"; readonly repo: Repo; readonly problems: readonly Finding[] };

function refused(repo: Repo, gate: string, message: string, fix: string): TrainMember {
  return { kind: "refused", repo, problems: [{ gate, message, fix }] };
}

function rank(stage: Stage): number {
  return STAGES.indexOf(stage);
}

/** Why a repository has no part in the step, or null. */
function whyLeftOut(step: Step, standing: ReleaseState): string | null {
  const { current, commits } = standing;
  if (current === null) return null;
  const idle = commits === 0 ? `no commits since ${current.tag}` : null;
  if (step.kind === "bump") return idle;
  const { stage } = current.version;
  if (stage === "stable") return `${current.tag} is stable`;
  if (rank(stage) > rank(step.target)) return `${current.tag} is beyond ${step.target}`;
  return stage === step.target ? idle : null;
}

/**
 * The tags of amof's own releases before the current one that a remote lacks, and whose commits it has then. A git
 * process for each that it lacks.
 */
async function earlierOf(
  ctx: CommandContext,
  { name, directory, tags, current, remote }: ReleaseState,
  tip: string,
): Promise<string[]> {
  const { history } = ctx.git.at(directory, name);
  const earlier: string[] = [];
  for (const { tag } of ladderTags(tags.map((one) => one.name))) {
    const found = tags.find((one) => one.name === tag);
    const isOurs = tag !== current?.tag && found?.subject === `Release ${tag}`;
    if (!isOurs || remote?.refs?.has(`refs/tags/${tag}`)) continue;
    if (await history.isAncestor(found.commit, tip)) earlier.push(tag);
  }
  return earlier;
}

/** What becomes of a repository whose current version is not pushed yet: it only pushes it. Null when it is. */
async function pushMember(
  ctx: CommandContext,
  repo: Repo,
  standing: ReleaseState,
): Promise<TrainMember | null> {
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
  // The branch that is checked out may not be the one that is released.
  const there = remote.refs.get(`refs/heads/${repo.branch}`);
  const touched = goes.tip === null
    ? []
    : await touchedBy(ctx.git.at(directory, repo.name), guard, {
      head: goes.tip,
      without: there === undefined ? { remote: REMOTE } : { ref: there },
    });
  const earlier = await earlierOf(ctx, standing, goes.tip ?? current.commit);
  return touched.length === 0
    ? { kind: "push", repo, standing, tag: current.tag, earlier, outgoing: goes }
    : refused(
      repo,
      "no_touch",
      `${current.tag} is not pushed, and no-touch paths would change: ${touchText(touched)}`,
      "Take them out of what is pushed\nSee what lets them go at a terminal: amof release train bump --help",
    );
}

/** What helps with one release as a train of that repository alone. */
export function ofTrain(hint: string, repo: string, push = true): string {
  return hint.replace(
    /amof release (?:(promote)|(?=(?:patch|minor|major)\b))([^\n]*)/g,
    (_, promote: string | undefined, rest: string) =>
      `amof release train ${promote ?? "bump "}${rest} --repo ${repo}${
        push || rest.includes("--no-push") ? "" : " --no-push"
      }`,
  );
}

/** What becomes of a repository that was looked at. */
async function decide(
  ctx: CommandContext,
  repo: Repo,
  standing: ReleaseState,
  wish: TrainWish,
): Promise<TrainMember> {
  const { step, initial, push, message, strict } = wish;
  const { current } = standing;
  const waiting = push ? await pushMember(ctx, repo, standing) : null;
  if (waiting !== null) return waiting;
  const reason = whyLeftOut(step, standing);
  if (reason !== null) {
    return { kind: "left_out", repo, current: current?.tag ?? null, reason };
  }
  if (current === null && (initial === null || step.kind === "promote")) {
    return refused(
      repo,
      "version",
      "It has no version yet",
      step.kind === "bump"
        ? `Name one for it: the same command with --initial 0.1.0${
          step.stage === null ? "" : `-${step.stage}.1`
        }`
        : "Begin with one: amof release train bump minor --initial 0.1.0",
    );
  }
  try {
    const next = current === null ? initial : nextVersion(current.version, step);
    if (next === null) throw new TypeError("There is no version to begin with");
    const plan = await planRelease(ctx, standing, {
      action: current === null ? "init" : step.kind,
      part: step.kind === "bump" && current !== null ? step.part : null,
      next,
      message,
      push,
      strict,
      mayBeEmpty: true,
      expectedBranch: repo.branch,
    });
    return plan.validation.ok
      ? { kind: "release", repo, plan }
      : { kind: "refused", repo, problems: plan.validation.errors };
  } catch (error) {
    if (!(error instanceof AmofError) || error.code !== "invalid_transition") throw error;
    return refused(repo, "ladder", error.message, ofTrain(error.hint, repo.name, push));
  }
}

/** The same, where a remote that does not answer is led to the address that the manifest has. */
async function withAddress(
  ctx: CommandContext,
  { directory, name, remote }: ReleaseState,
  member: TrainMember,
): Promise<TrainMember> {
  if (member.kind !== "refused" || remote === null || remote.refs !== null) return member;
  const { repo, problems } = member;
  const repository = ctx.git.at(directory, name);
  const address = await otherAddress(repository, repo.url);
  if (address === null) return member;
  const misnamed = address === "" ? await misnamedRemote(repository, repo.url) : null;
  const [said, fix] = otherAddressWords(repo, directory, address, misnamed);
  return {
    ...member,
    problems: problems.map((one) =>
      one.gate === "remote"
        ? { ...one, message: `${one.message}; ${said}`, fix: `Mend its address: ${fix}` }
        : one
    ),
  };
}

/** Looks at one repository; one that cannot be looked at is a problem and hides no other. */
export async function memberOf(
  ctx: CommandContext,
  workspace: string,
  repo: Repo,
  { wish, guard }: {
    readonly wish: TrainWish;
    readonly guard: Guard;
  },
): Promise<TrainMember> {
  if (repo.readonly) return { kind: "left_out", repo, current: null, reason: "read-only" };
  try {
    const directory = await repoDirectory(ctx.system, workspace, repo);
    if (await ctx.git.at(directory).activity() === null) {
      await requireAbsent(ctx.system, workspace, { repo, directory });
      return refused(repo, "cloned", "It is not cloned", "Clone it: amof sync");
    }
    const standing = await releaseStateOf(ctx, directory, repo.name, {
      askRemote: wish.push,
      guard,
      branch: repo.branch,
    });
    return await withAddress(ctx, standing, await decide(ctx, repo, standing, wish));
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return refused(repo, "readable", error.message, error.hint ?? "Look at it: amof status");
  }
}
