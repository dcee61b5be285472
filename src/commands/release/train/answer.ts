/** How the answers of trains look. */

import { NO_TICKET } from "../../../base/ids.ts";
import type { CommandContext, Rendered } from "../../../contract/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { table } from "../../../base/text/table.ts";
import { needLinesOf } from "../../advice/need_lines.ts";
import { count } from "../../../base/text/words.ts";
import { type TrainEntry, TRAINS } from "./record.ts";
import {
  allowing,
  type Guard,
  loadManifest,
  makeGuard,
  touches,
  touchText,
} from "../../../workspace/manifest/mod.ts";
import { inPoolOf, requireWorkspace } from "../../../workspace/mod.ts";
import { select } from "../../selection/mod.ts";
import { isOwnState } from "../../../workspace/tickets/mod.ts";
import { CONTROL } from "../answer.ts";
import { releaseFacts, type ReleaseOutline } from "../plan.ts";
import type { Finding } from "../judge.ts";
import { recordProblem } from "../record.ts";
import { memberOf, type TrainMember, type TrainWish } from "./member.ts";
import type { Outgoing } from "../outgoing.ts";
import { REMOTE } from "../state.ts";
import { Releases } from "../../../git/write/mod.ts";

// A release train as a plan: every repository of an ecosystem is looked at before the first one is touched
// (RELEASE-13).
//
// Costs what looking at each repository costs, seven or eight git processes, one of them a network call.

/** A problem of one repository, or of the control repository. */
interface TrainProblem extends Finding {
  readonly repo: string;
}

/** A train that could go now, if there are no problems. */
export interface Train {
  readonly members: readonly TrainMember[];
  readonly problems: readonly TrainProblem[];
  readonly warnings: readonly TrainProblem[];
  /** The branch of the control repository that will hold the record. */
  readonly branch: string;
  readonly author: string;
}

/** What keeps the control repository from taking the record, or the branch it goes to. */
async function lookAtControl(
  ctx: CommandContext,
  guard: Guard,
): Promise<{ branch: string; author: string; problems: TrainProblem[] }> {
  const repository = ctx.git.at(ctx.root);
  const branch = await repository.branches.current();
  const activity = await repository.activity();
  const author = await repository.part(Releases).author();
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

/** What takes all repositories of the active ticket back to their base branches. */
const LEAVE_TICKET = `Go back to the base branches: amof ticket switch ${NO_TICKET}`;

/** Works out a train; problems of all repositories are found, not only of the first. */
export async function planTrain(ctx: CommandContext, wish: TrainWish): Promise<Train> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const workspace = await requireWorkspace(ctx, ctx.root, manifest);
  const from = { manifest, workspace: workspace.directory, state: workspace.state };
  const repos = await select(ctx, from, wish.selecting);
  const { state } = workspace;
  const ticket = state === null || isOwnState(state)
    ? undefined
    : state.tickets[state.active_ticket ?? ""];
  const guard = allowing(await makeGuard(manifest.noTouchPaths), wish.allowed);
  const { branch, author, problems } = await lookAtControl(ctx, guard);
  const waits = wish.after === null
    ? []
    : await (await import("./landed.ts")).unlanded(ctx, wish.after);
  const members = await inPoolOf(
    ctx,
    "checking",
    repos,
    (repo) => memberOf(ctx, workspace.directory, repo, { wish, guard }),
  );
  return {
    members,
    branch,
    author,
    problems: [
      ...problems,
      ...waits.map((problem) => ({ ...problem, repo: problem.repo ?? CONTROL })),
      ...members.flatMap((member) =>
        member.kind === "refused"
          ? member.problems.map((problem) => ({
            ...problem,
            ...(problem.gate === "branch" && ticket?.repos[member.repo.name] !== undefined
              ? { fix: LEAVE_TICKET }
              : {}),
            repo: member.repo.name,
          }))
          : []
      ),
    ],
    warnings: members.flatMap((member) =>
      member.kind === "release"
        ? member.plan.validation.warnings.map((warning) => ({ ...warning, repo: member.repo.name }))
        : []
    ),
  };
}

/** What one repository of a preview shows. */
export type MemberFacts =
  & { readonly name: string }
  & (
    | { readonly action: "release" } & ReleaseOutline
    | {
      readonly action: "push";
      readonly current: string;
      readonly next: string;
      readonly branch: string;
      readonly commit: string;
      readonly remote: string;
      /** Tags of releases before it that go along. */
      readonly earlier: readonly string[];
    } & Outgoing
  );

/** What a confirmation of a train is bound to. */
export interface TrainFacts {
  readonly repos_affected: readonly string[];
  readonly repos: readonly MemberFacts[];
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

function factsOf(member: TrainMember): MemberFacts[] {
  if (member.kind === "release") {
    const { validation: _, ...facts } = releaseFacts(member.plan);
    return [{ name: member.repo.name, action: "release", ...facts }];
  }
  if (member.kind === "push") {
    const { tag, earlier, standing, repo, outgoing: { tip, commits, commit_subjects } } = member;
    return [{
      name: repo.name,
      action: "push",
      current: tag,
      next: tag,
      branch: repo.branch,
      commit: standing.current?.commit ?? "",
      remote: REMOTE,
      earlier,
      tip,
      commits,
      commit_subjects,
    }];
  }
  return [];
}

/** The facts of a train. */
export function trainFacts(train: Train, push: boolean): TrainFacts {
  const repos = train.members.flatMap(factsOf);
  return {
    repos_affected: repos.map(({ name }) => name),
    repos,
    left_out: train.members.flatMap((member) =>
      member.kind === "left_out"
        ? [{ name: member.repo.name, current: member.current, reason: cleanLine(member.reason) }]
        : []
    ),
    problems: train.problems,
    warnings: train.warnings,
    record_branch: train.branch,
    push,
  };
}

interface TrainRow extends TrainEntry {
  readonly name: string;
}

/** A repository that stayed as it is. */
interface LeftOut {
  readonly name: string;
  readonly current: string | null;
  readonly reason: string;
}

/** The answer of a train. */
export interface TrainData {
  /** The name of its record; null when nothing was released. */
  readonly train: string | null;
  /** The command that sends the record, which stays in the control repository; null where there is no remote. */
  readonly record_push: string | null;
  readonly repos: readonly TrainRow[];
  readonly left_out: readonly LeftOut[];
  readonly problems: readonly TrainProblem[];
}

/** Problems or warnings for readers, those of several repositories that are mended alike together. */
export function problemLines(sign: string, problems: readonly TrainProblem[]): string[] {
  const needs = problems.map(({ repo: name, gate, message, fix }) => ({
    name,
    problem: `${gate.replaceAll("_", " ")}: ${message}`,
    fix: fix ?? "",
  }));
  return needLinesOf(eachAlike(needs), { sign });
}

/** From so many on what is done alike in the clone of each is told of the first. */
const MANY_ALIKE = 4;

/** The needs, those of many whose commands differ by the place of the clone alone with those of the first. */
function eachAlike<T extends { readonly name: string; readonly problem: string; fix: string }>(
  needs: readonly T[],
): T[] {
  const kindOf = ({ name, problem, fix }: T) =>
    `${problem}\n${fix.replaceAll(`/${name}/`, "/\0/").replaceAll(`/${name} `, "/\0 ")}`;
  return [...Map.groupBy(needs, kindOf).values()].flatMap((same) => {
    const [first] = same;
    // What git alone does is told as one command for all.
    const isGit = first?.fix.split("\n").every((line) => line.startsWith("git -C "));
    if (first === undefined || same.length < MANY_ALIKE || isGit === true) return same;
    const isOne = same.every(({ fix }) => fix === first.fix);
    const fix = isOne ? first.fix : `In ${first.name}, and alike in the others\n${first.fix}`;
    return same.map((need) => ({ ...need, fix }));
  });
}

/** Those who stayed, for readers. */
export function leftOutLines(rows: readonly LeftOut[]): string[] {
  const needs = rows.map(({ name, reason }) => ({ name, problem: reason, fix: "" }));
  return needLinesOf(needs, { sign: "–" });
}

/** The answer for readers. */
export function renderTrain(data: TrainData): Rendered {
  const late = data.repos.filter((row) => row.push_error !== null);
  const made = data.repos.filter((row) => row.action === "release").length;
  const [first] = late;
  const rows = data.repos.map((row) => [
    row.name,
    row.previous_tag ?? "",
    row.tag,
    row.commit.slice(0, 12),
    row.pushed ? "yes" : row.push_error === null ? "no" : `✗ ${cleanLine(row.push_error, 60)}`,
  ]);
  return {
    summary: data.problems.length > 0
      ? `Released nothing: ${count(data.problems.length, "problem")} in the way.`
      : data.repos.length === 0
      ? "Released nothing: no repository has anything to release."
      : first === undefined
      ? `Released ${count(made, "repo")}${
        made === data.repos.length ? "" : `, pushed ${data.repos.length - made} more`
      }.`
      : `Released ${count(made, "repo")}; ${first.name} was not pushed.`,
    details: [
      ...(rows.length === 0 ? [] : [table(["repo", "before", "now", "commit", "pushed"], rows)]),
      ...problemLines("✗", data.problems),
      ...leftOutLines(data.left_out),
      ...(data.train === null ? [] : [`Record: releases/trains/${data.train}.json`]),
      ...(data.record_push === null ? [] : [`It is only here; send it: ${data.record_push}`]),
    ],
  };
}
