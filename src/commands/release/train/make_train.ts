/**
 * What `release train bump` and `promote` have in common: one preview and one confirmation for all
 * repositories.
 *
 * Up to the first push everything in every repository can be taken back, and is when anything fails. From there
 * each repository is pushed for itself, after those it depends on. One that fails is named, and those that
 * depend on it wait. Repeating the command pushes them (RELEASE-14).
 */

import { AmofError } from "../../../base/error.ts";
import { isOvertaken } from "../../../git/mod.ts";
import { recheck } from "../../../base/policy/changes.ts";
import type { CommandContext, ExecuteContext, Preview, Result } from "../../../contract/mod.ts";
import type { JournalStep } from "../../../state/store/mod.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { type Details, foldedRepos } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, list } from "../../../base/text/words.ts";
import { loadManifest } from "../../../workspace/manifest/mod.ts";
import { controlPush } from "../../look/drift.ts";
import { layersOf, needsWithin } from "../../look/layers.ts";
import { digest, localSteps, recordOf } from "../plan.ts";
import { formatVersion, type Step } from "../ladder.ts";
import { blocked } from "../make_release.ts";
import { mergeCommand } from "../outgoing.ts";
import { REMOTE } from "../state.ts";
import {
  leftOutLines,
  type MemberFacts,
  planTrain,
  problemLines,
  type Train,
  type TrainData,
  type TrainFacts,
  trainFacts,
} from "./answer.ts";
import { pushMember, recordTrain } from "./operations.ts";
import type { TrainMember, TrainWish } from "./member.ts";
import { newestTrain, readTrain, type TrainRecord } from "./record.ts";
import { sha256 } from "../../../base/hash.ts";

/** The facts with what tells whether anything has changed since. */
export type BoundTrainFacts = TrainFacts & { readonly digest: string };

function describe(facts: MemberFacts): string {
  return facts.action === "push"
    ? `${facts.name}: push ${list([facts.next, ...facts.earlier])}, made before${
      facts.tip === null
        ? `; ${cleanLine(facts.branch, 60)} is there`
        : `, and ${cleanLine(facts.branch, 60)} at ${facts.tip.slice(0, 12)} (${
          count(facts.commits, "commit")
        })`
    }`
    : `${step(facts)}, ${count(facts.commits, "commit")}${
      facts.push === null
        ? ", not pushed"
        : `, pushed with ${cleanLine(facts.branch, 60)} to ${facts.push.remote}`
    }`;
}

/** The versions between which a repository goes. */
function step({ name, current, next }: Pick<MemberFacts, "name" | "current" | "next">): string {
  return `${name}: ${current ?? "no version"} → ${next}`;
}

/** The repositories of a preview with their commits and files, for readers; of many the versions between which they go. */
function details(facts: TrainFacts): Details {
  const say = (member: MemberFacts) =>
    [
      describe(member),
      ...member.commit_subjects.slice(0, 5).map((subject) => `    - ${subject}`),
      ...(member.commits > 5 ? [`    … and ${member.commits - 5} more`] : []),
      ...(member.action === "release"
        ? member.files.map(({ path }) => `    writes ${cleanLine(path, 100)}`)
        : []),
    ].join("\n");
  return [
    ...foldedRepos(facts.repos, say, {
      onlyAsked: true,
      brief: step,
      isPlain: ({ action }) => action === "release",
    }),
    ...leftOutLines(facts.left_out),
    ...problemLines("✗", facts.problems),
    ...problemLines("⚠", facts.warnings),
  ];
}

function notStarted(facts: TrainFacts): TrainData {
  return {
    train: null,
    record_push: null,
    repos: [],
    left_out: facts.left_out,
    problems: facts.problems,
  };
}

/** The refusal of a train, with the problems of all repositories. */
function refusal(facts: TrainFacts): AmofError {
  const [first] = facts.problems;
  return blocked(
    first === undefined ? "the train" : `the train: "${first.repo}"`,
    { errors: facts.problems, warnings: facts.warnings },
  );
}

/** Changes with everything the train would do here. */
function trainDigest({ members, branch }: Train): string {
  return sha256(JSON.stringify([
    branch,
    members.map((member) => [
      member.repo.name,
      member.kind,
      member.kind === "release"
        ? digest(member.plan)
        : member.kind === "push"
        ? [member.tag, member.earlier, member.standing.current?.commit, member.outgoing.tip]
        : null,
    ]),
  ]));
}

/** The preview of a train. */
export async function previewTrain(
  ctx: CommandContext,
  wish: TrainWish,
): Promise<Preview<BoundTrainFacts, TrainData>> {
  const train = await planTrain(ctx, wish);
  const facts = trainFacts(train, wish.push);
  const repos = facts.repos.length;
  const problems = facts.problems.length;
  return {
    facts: { ...facts, digest: trainDigest(train) },
    summary: `Would release ${repos === 0 ? "nothing" : count(repos, "repo")}${
      problems === 0
        ? repos === 0 ? ": no repository has anything to release" : ""
        : `${repos === 0 ? ": " : ", but "}${
          count(problems, "problem stands", "problems stand")
        } in the way`
    }.`,
    effects: [
      ...facts.repos.map(describe),
      `Commit the train's record in the control repository on ${
        cleanLine(facts.record_branch, 60)
      }`,
    ],
    details: details(facts),
    ...(wish.push ? { irreversible: "What is pushed cannot be taken back." } : {}),
    current: `${count(repos, "repo")} to release, ${count(facts.left_out.length, "repo")} left out`,
    alternatives: ["See how each repository stands: amof release train status"],
    ...(problems > 0 ? { settled: { data: notStarted(facts), failure: refusal(facts) } } : {}),
    ...(problems === 0 && repos === 0 ? { settled: { data: notStarted(facts) } } : {}),
  };
}

/** A name for a train that sorts by time. */
function nameOf(ctx: ExecuteContext, now: string): string {
  return `${now.slice(0, 23).replace(/[-:.]/g, "")}Z-${ctx.ecosystem}-${ctx.system.ids.hex(4)}`;
}

function newRecord(
  ctx: ExecuteContext,
  train: Train,
  facts: TrainFacts,
  { step, message }: {
    readonly step: Step;
    readonly message: string | null;
  },
): TrainRecord {
  const now = timestamp(ctx.system.clock.now());
  return {
    schema_version: 1,
    train: nameOf(ctx, now),
    ecosystem: ctx.ecosystem,
    timestamp: now,
    action: step.kind,
    bump_part: step.kind === "bump" ? step.part : null,
    stage: step.kind === "bump" ? step.stage ?? "stable" : step.target,
    author: train.author,
    origin: ctx.door,
    message,
    repos: {},
    left_out: Object.fromEntries(facts.left_out.map(({ name, reason }) => [name, reason])),
  };
}

/** The step that pushes one repository and notes what came of it. */
function pushStep(
  ctx: ExecuteContext,
  member: TrainMember,
  record: TrainRecord,
  { push, needs }: { readonly push: boolean; readonly needs: readonly string[] },
): JournalStep[] {
  if (member.kind !== "release" && member.kind !== "push") return [];
  const standing = member.kind === "release" ? member.plan.standing : member.standing;
  const common = {
    root: ctx.root,
    repo: member.repo.name,
    directory: standing.directory,
    remote: REMOTE,
    push,
    needs,
    record,
  };
  if (member.kind === "release") {
    const { version, tag, previous_tag, branch } = recordOf(ctx, member.plan);
    return [
      pushMember.step({
        ...common,
        branch,
        tag,
        entry: { version, tag, previous_tag, branch, action: "release" },
      }),
    ];
  }
  const version = standing.current === null ? "" : formatVersion(standing.current.version);
  const { tag, repo: { branch } } = member;
  return [
    pushMember.step({
      ...common,
      branch,
      tag,
      tip: member.outgoing.tip,
      earlier: member.earlier,
      entry: { version, tag, previous_tag: null, branch, action: "push" },
    }),
  ];
}

/** Runs a train that was agreed to. */
export async function executeTrain(
  ctx: ExecuteContext,
  wish: TrainWish,
  facts: BoundTrainFacts,
): Promise<Result<TrainData>> {
  const train = await planTrain(ctx, wish);
  recheck({ fingerprint: facts.digest }, { fingerprint: trainDigest(train) });
  const record = newRecord(ctx, train, facts, { step: wish.step, message: wish.message });
  const local = train.members.flatMap((member) =>
    member.kind === "release" ? localSteps(member.plan) : []
  );
  const { repos: all } = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const needs = needsWithin(all, facts.repos_affected);
  const layers = layersOf(needs);
  const layer = ({ repo: { name } }: TrainMember) => layers.get(name) ?? 0;
  // What others need goes first.
  const ordered = train.members.toSorted((a, b) => layer(a) - layer(b));
  await ctx.perform(
    [
      ...local,
      ...ordered.flatMap((member) =>
        pushStep(ctx, member, record, {
          push: wish.push,
          needs: needs.get(member.repo.name) ?? [],
        })
      ),
      recordTrain.step({ root: ctx.root, branch: train.branch, train: record.train }),
    ],
    local.length,
  );
  const places = new Map(train.members.flatMap((member) => {
    if (member.kind !== "release" && member.kind !== "push") return [];
    const { directory } = member.kind === "release" ? member.plan.standing : member.standing;
    return [[member.repo.name, directory] as const];
  }));
  const hasRemote = await ctx.git.until().at(ctx.root).remotes.pushUrl(REMOTE) !== null;
  // What only repeats a failure was not recorded again.
  const made = await readTrain(ctx.system, ctx.root, record.train) ??
    await newestTrain(ctx.system, ctx.root, ctx.ecosystem) ?? record;
  const send = wish.push && hasRemote
    ? await controlPush({ git: ctx.git.until(), root: ctx.root }, train.branch)
    : null;
  return conclude(made, { facts, places, layers, send });
}

/** The answer of a train that has arrived, or of which some repositories have not. */
function conclude(
  record: TrainRecord,
  { facts, places, layers, send }: {
    readonly facts: TrainFacts;
    readonly places: ReadonlyMap<string, string>;
    readonly layers: ReadonlyMap<string, number>;
    readonly send: string | null;
  },
): Result<TrainData> {
  const repos = facts.repos.flatMap(({ name, action }) => {
    const entry = record.repos[name];
    return entry === undefined ? [] : [{ name, ...entry, action }];
  });
  const data: TrainData = {
    train: record.train,
    record_push: send,
    repos,
    left_out: facts.left_out,
    problems: [],
  };
  // Behind what failed comes what waits for it.
  const late = repos.filter((row) => row.push_error !== null)
    .toSorted((a, b) => (layers.get(a.name) ?? 0) - (layers.get(b.name) ?? 0));
  const [first] = late;
  if (first === undefined) return { data };
  const made = facts.repos.filter(({ action }) => action === "release").length;
  const merges = late.filter((row) => isOvertaken(row.push_error ?? ""))
    .map(({ name, branch }) => mergeCommand(places.get(name) ?? name, REMOTE, branch));
  return {
    data,
    failure: new AmofError(
      "partial_failure",
      `${
        made === 0 ? "Released nothing new" : `Released ${count(made, "repo")} here`
      }, but ${first.name} was not pushed${
        late.length > 1 ? ` (and ${late.length - 1} more)` : ""
      }: ${first.push_error ?? "unknown"}`,
      {
        hint: merges.length === 0
          ? "Fix the cause first\nTo push what is left, repeat the same command"
          : [
            ...merges.map((merge) => `Merge what is new there: ${merge}`),
            "To push what is left, repeat the same command",
          ],
        details: {
          repos: late.map(({ name, tag, push_error }) => ({ name, tag, push_error })),
        },
      },
    ),
  };
}
