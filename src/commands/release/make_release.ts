/**
 * What `release init`, `bump` and `promote` have in common: one release of the control repository, from its
 * preview to its answer.
 */

import { allowing } from "../../workspace/manifest/mod.ts";
import { guardOfControl } from "../outgoing/contents.ts";
import { AmofError } from "../../base/error.ts";
import { isOvertaken } from "../../git/mod.ts";
import { recheck } from "../../base/policy/changes.ts";
import type { CommandContext, ExecuteContext, Preview, Result } from "../../contract/mod.ts";
import { blocks } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, shellWord } from "../../base/text/words.ts";
import {
  digest,
  localSteps,
  type Order,
  planRelease,
  recordOf,
  type ReleaseFacts,
  releaseFacts,
  type ReleasePlan,
} from "./plan.ts";
import { findingLines, type Readiness, readinessOf } from "./judge.ts";
import { nextVersion, STAGES, type Step } from "./ladder.ts";
import { readReleaseRecord, recordPath, recordsInOrder } from "./record.ts";
import { CONTROL, type ReleaseData } from "./answer.ts";
import { beyondLine } from "./current.ts";
import { commitRecords } from "./gates.ts";
import { mergeCommand } from "./outgoing.ts";
import { type ReleaseState, releaseStateOf, REMOTE, requireCurrent } from "./state.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { publishRelease } from "./publish.ts";

/** What a caller wants, whichever version that is. */
export interface Wish {
  /** The order for a repository as it stands; throws where there is none. */
  readonly order: (ctx: CommandContext, standing: ReleaseState) => Order | Promise<Order>;
  /** No-touch paths or globs that somebody lets go. */
  readonly allowed: readonly string[];
}

/** The wish to take a step on the ladder. */
export function stepWish(
  step: Step,
  options: Pick<Order, "message" | "push" | "strict">,
  allowed: readonly string[],
): Wish {
  return {
    allowed,
    async order(ctx, standing) {
      const { version } = await requireCurrent(ctx, standing);
      const next = nextVersion(version, step);
      return {
        action: step.kind,
        part: step.kind === "bump" ? step.part : null,
        next,
        ...options,
        mayBeEmpty: STAGES.indexOf(next.stage) > STAGES.indexOf(version.stage) &&
          version.stage !== "stable",
        expectedBranch: null,
      };
    },
  };
}

/** Whether the stage behind the release that was just made could follow; the remote is not asked. */
export async function nextStageReadiness(given: CommandContext): Promise<Readiness> {
  // What was released is told also where the push was stopped.
  const ctx = { ...given, git: given.git.until() };
  const guard = await guardOfControl(ctx.system, ctx.root);
  const standing = await releaseStateOf(ctx, ctx.root, CONTROL, { askRemote: false, guard });
  return readinessOf(standing, (await requireCurrent(ctx, standing)).version);
}

async function plan(ctx: CommandContext, wish: Wish, push: boolean): Promise<ReleasePlan> {
  const guard = allowing(await guardOfControl(ctx.system, ctx.root), wish.allowed);
  const standing = await releaseStateOf(ctx, ctx.root, CONTROL, { askRemote: push, guard });
  return await planRelease(ctx, standing, await wish.order(ctx, standing));
}

/** A sentence as the end of another one; names such as `CHANGELOG.md` stay as they are. */
function lowered(sentence: string): string {
  return /^[A-Z][a-z]*[ -]/.test(sentence)
    ? sentence.charAt(0).toLowerCase() + sentence.slice(1)
    : sentence;
}

/** The refusal of a release that gates stand in the way of, with all of them. */
export function blocked(
  what: string,
  { errors, warnings }: Pick<ReleaseFacts["validation"], "errors" | "warnings">,
): AmofError {
  const [first] = errors;
  return new AmofError(
    "release_blocked",
    `Cannot release ${what}: ${lowered(first?.message ?? "unknown")}${
      errors.length > 1 ? ` (and ${errors.length - 1} more)` : ""
    }`,
    {
      hint: first?.fix ?? "See all problems: amof release validate",
      details: { errors, warnings },
    },
  );
}

/** What a release would do, for readers. */
function releaseDetails(facts: ReleaseFacts): string {
  const { validation } = facts;
  const more = facts.commits - facts.commit_subjects.length;
  return [
    ...(facts.commit_subjects.length === 0 ? [] : [
      [
        `${count(facts.commits, "commit")} since ${facts.current ?? "the beginning"}:`,
        ...facts.commit_subjects.map((subject) => `  - ${subject}`),
        ...(more > 0 ? [`  … and ${more} more`] : []),
      ].join("\n"),
    ]),
    ...facts.files.map(({ path, diff }) =>
      `${cleanLine(path, 100)}:\n${diff.replace(/^/gm, "  ")}`
    ),
    ...(validation.errors.length + validation.warnings.length === 0
      ? []
      : [findingLines(validation).join("\n")]),
  ].join("\n\n");
}

/** The preview of one release. */
export async function previewRelease(
  ctx: CommandContext,
  wish: Wish,
  push: boolean,
): Promise<Preview<ReleaseFacts, ReleaseData>> {
  const planned = await plan(ctx, wish, push);
  const facts = releaseFacts(planned);
  const { validation, next, current } = facts;
  const problems = validation.errors.length;
  const branch = cleanLine(facts.branch, 60);
  return {
    facts,
    summary: problems === 0
      ? `Would release ${next}${current === null ? "" : `, after ${current}`}.`
      : `Would release ${next}, but ${count(problems, "problem")} stand${
        problems === 1 ? "s" : ""
      } in the way.`,
    effects: [
      ...facts.files.map(({ path }) => `Write ${cleanLine(path, 100)}`),
      ...(facts.files.length === 0 ? [] : [`Commit "chore(release): ${next}" on ${branch}`]),
      `Tag ${next}`,
      ...(facts.push === null ? [] : [
        `Push ${branch} and ${next} to ${facts.push.remote}${
          facts.push.url === "" ? "" : ` (${facts.push.url})`
        }`,
      ]),
      `Write and commit the record releases/${next}.json`,
    ],
    details: blocks(
      `${current ?? "no version"} → ${next} on ${branch}${
        facts.push === null ? ", not pushed" : `, pushed to ${facts.push.remote}`
      }`,
      facts.beyond === undefined ? "" : beyondLine(facts.beyond, branch),
      releaseDetails(facts),
    ),
    ...(facts.push === null ? {} : { irreversible: "What is pushed cannot be taken back." }),
    current: current === null ? "There is no release yet" : `The current version is ${current}`,
    alternatives: [
      current === null
        ? "Read what releases are: amof release --help"
        : "See what else can follow: amof release status",
    ],
    ...(validation.ok ? {} : {
      settled: {
        data: { released: false, tag: next, validation },
        failure: blocked(next, validation),
      },
    }),
  };
}

/** The step that pushes and records a release; from it on there is no way back. */
function publishStep(ctx: CommandContext, planned: ReleasePlan): JournalStep {
  const { standing, order, tag } = planned;
  return publishRelease.step({
    repo: standing.name,
    directory: standing.directory,
    remote: REMOTE,
    branch: standing.branch ?? "",
    tag,
    push: order.push,
    record: recordOf(ctx, planned),
  });
}

/** The failure of a release whose record no commit took, such as one that a hook refused. */
function unrecorded({ tag, standing }: ReleasePlan, pushed: boolean): AmofError {
  const file = recordPath(tag);
  return new AmofError(
    "partial_failure",
    `Released ${tag}${pushed ? "" : " here"}, but its record ${file} is not committed`,
    {
      hint: `${commitRecords(standing.directory, [file])}${
        pushed ? "\nThen: amof release push" : ""
      }`,
      details: { tag, file },
    },
  );
}

/** Makes a release that was agreed to. */
export async function executeRelease(
  ctx: ExecuteContext,
  wish: Wish,
  facts: ReleaseFacts,
): Promise<Result<ReleaseData>> {
  // The remote was asked a moment ago; what would be written here must be exactly what was shown.
  const planned = await plan(ctx, wish, false);
  recheck({ fingerprint: facts.digest }, { fingerprint: digest(planned) });
  const steps = localSteps(planned);
  await ctx.perform([...steps, publishStep(ctx, planned)], steps.length);
  const record = await readReleaseRecord(ctx.system, planned.standing.directory, planned.tag);
  if (record === null) {
    const file = recordPath(planned.tag);
    throw new AmofError(
      "partial_failure",
      `Released ${planned.tag} here, but a hook left nothing in ${file} that can be read`,
      {
        hint: `See what hooks made of it: git -C ${
          shellWord(planned.standing.directory)
        } log -p -- ${file}`,
      },
    );
  }
  const records = await recordsInOrder(ctx.system, planned.standing.directory);
  const tags = new Set([planned.tag, ...planned.standing.tags.map(({ name }) => name)]);
  const unpushed = !planned.order.push ? [] : records
    .filter((one) => one.pushed === false && tags.has(one.tag)).map(({ tag }) => tag);
  const data: ReleaseData = {
    released: true,
    ...record,
    unpushed,
    ready: await nextStageReadiness(ctx),
  };
  const file = recordPath(planned.tag);
  if (await ctx.git.until().at(planned.standing.directory).commits.fileAt("HEAD", file) === null) {
    return { data, failure: unrecorded(planned, record.pushed) };
  }
  return record.pushed || !planned.order.push ? { data } : {
    data,
    failure: new AmofError(
      "partial_failure",
      `Released ${planned.tag} here, but it was not pushed: ${record.push_error ?? "unknown"}`,
      {
        hint: isOvertaken(record.push_error ?? "")
          ? `Merge what is new there: ${
            mergeCommand(planned.standing.directory, REMOTE, record.branch)
          }\nThen: amof release push`
          : "Fix the cause, then: amof release push",
        details: { tag: planned.tag, push_error: record.push_error },
      },
    ),
  };
}
