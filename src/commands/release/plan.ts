/** A release as a plan: which version, what it writes, and the steps that make it. */

import { join } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { replaceFile } from "../../workspace/changing.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import { changedLines, withSection, withStatus } from "./documents.ts";
import { RELEASE_SUBJECT } from "./current.ts";
import { judge, type Validation } from "./judge.ts";
import { formatVersion, tagOf, type Version } from "./ladder.ts";
import { commitRelease, type ReleaseCommit, tagRelease } from "./operations.ts";
import type { ReleaseRecord } from "./record.ts";
import { type ReleaseState, REMOTE, says } from "./state.ts";
import { replaceVersion, VersionFileProblem } from "./version_file.ts";

/** Subjects that a tag's message and a preview hold. */
const SHOWN_SUBJECTS = 20;
/** Lines of a file's changes that a preview holds. */
const SHOWN_LINES = 40;

/** What is to be released, and how. */
export interface Order {
  readonly action: "init" | "bump" | "promote";
  /** The part that is raised; null unless the action is `bump`. */
  readonly part: string | null;
  readonly next: Version;
  /** Added to the message of commit and tag, or null. */
  readonly message: string | null;
  readonly push: boolean;
  readonly strict: boolean;
  readonly mayBeEmpty: boolean;
  /** The branch that must be checked out, with a clean tree; null for the usual gates. */
  readonly expectedBranch: string | null;
}

/** A file as it is and as the release makes it. */
interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** A release that could be made now. */
export interface ReleasePlan {
  readonly standing: ReleaseState;
  readonly order: Order;
  readonly tag: string;
  readonly edits: readonly Edit[];
  readonly validation: Validation;
}

/** Works out a release of a repository. */
export async function planRelease(
  ctx: CommandContext,
  standing: ReleaseState,
  order: Order,
): Promise<ReleasePlan> {
  const { action, next, push, strict, mayBeEmpty, expectedBranch } = order;
  const judged = judge({
    standing,
    next,
    stage: next.stage,
    push,
    strict,
    mayBeEmpty,
    baseline: action === "init",
    expectedBranch,
  });
  const { edits, problems } = await edit(standing, order, timestamp(ctx.system.clock.now()));
  return {
    standing,
    order,
    tag: tagOf(next),
    edits,
    validation: problems.length === 0 ? judged : {
      ...judged,
      ok: false,
      errors: [
        ...judged.errors,
        ...problems.map((message) => ({
          gate: "version_files",
          message,
          fix: "Fix the file, or release.version_files in amof.yaml",
        })),
      ],
    },
  };
}

/** What the release writes. The first one takes the files as they are, but for versions that are other ones. */
async function edit(
  standing: ReleaseState,
  { action, next }: Order,
  now: string,
): Promise<{ edits: Edit[]; problems: string[] }> {
  const edits: Edit[] = [];
  const problems: string[] = [];
  const isFirst = action === "init";
  const { changelog, readme, subjects } = standing;
  const texts = new Map<string, Edit>();
  const put = (path: string, before: string, change: (text: string) => string) => {
    const known = texts.get(path);
    texts.set(path, {
      path,
      before: known?.before ?? before,
      after: change(known?.after ?? before),
    });
  };
  for (const { spec, text, problem, path, version } of standing.versionFiles) {
    // A file with a problem already fails a gate.
    if (text === null || problem !== null || (isFirst && says(version, next))) continue;
    try {
      const after = await replaceVersion(
        spec,
        texts.get(path)?.after ?? text,
        formatVersion(next),
      );
      put(path, text, () => after);
    } catch (error) {
      if (!(error instanceof VersionFileProblem)) throw error;
      problems.push(`${path} ${error.message}`);
    }
  }
  if (changelog.text !== null && !isFirst) {
    put(
      changelog.path,
      changelog.text,
      (text) => withSection(text, next, now.slice(0, 10), subjects),
    );
  }
  if (readme.text !== null && !isFirst && !standing.untracked.includes(readme.path)) {
    put(readme.path, readme.text, (text) => withStatus(text, next));
  }
  edits.push(...[...texts.values()].filter(({ before, after }) => before !== after));
  return { edits, problems };
}

/** What a release is, for a preview. */
export interface ReleaseOutline {
  readonly current: string | null;
  /** A higher version that the branch does not have; absent where there is none. */
  readonly beyond?: string;
  readonly next: string;
  readonly branch: string;
  readonly head: string;
  /** Commits since the current version. */
  readonly commits: number;
  /** The newest of their subjects, at most 20. */
  readonly commit_subjects: readonly string[];
  readonly files: readonly { readonly path: string; readonly diff: string }[];
  /** Where branch and tag go; null when they stay. */
  readonly push: { readonly remote: string; readonly url: string } | null;
  readonly message: string | null;
  /** Changes with everything the release would write. */
  readonly digest: string;
}

/** The same with its gates: what a confirmation is bound to (RELEASE-11). */
export interface ReleaseFacts extends ReleaseOutline {
  readonly validation: Validation;
}

/** The facts of a release. */
export function releaseFacts(planned: ReleasePlan): ReleaseFacts {
  const { standing, order, tag, edits, validation } = planned;
  return {
    current: standing.current?.tag ?? null,
    ...(standing.beyond === null ? {} : { beyond: standing.beyond }),
    next: tag,
    branch: standing.branch ?? "",
    head: standing.head ?? "",
    commits: standing.commits,
    commit_subjects: standing.subjects.slice(0, SHOWN_SUBJECTS),
    files: edits.map(({ path, before, after }) => ({ path, diff: diffOf(before, after) })),
    validation,
    push: order.push ? { remote: REMOTE, url: standing.remote?.url ?? "" } : null,
    message: order.message,
    digest: digest(planned),
  };
}

function diffOf(before: string, after: string): string {
  // The diff is shown to a person before they agree, so control characters in it are removed.
  const lines = changedLines(before, after).map((line) => stripUnsafe(line).slice(0, 200));
  return (lines.length <= SHOWN_LINES ? lines : [
    ...lines.slice(0, SHOWN_LINES),
    `… and ${count(lines.length - SHOWN_LINES, "more line")}`,
  ]).join("\n");
}

/** Changes with everything that the release would do here. */
export function digest({ standing, tag, edits, order }: ReleasePlan): string {
  return sha256(JSON.stringify([
    tag,
    standing.branch,
    standing.head,
    standing.current?.tag ?? null,
    order.message,
    edits,
  ]));
}

function releaseCommit({ standing, tag, edits }: ReleasePlan): ReleaseCommit {
  return {
    repo: standing.name,
    directory: standing.directory,
    branch: standing.branch ?? "",
    parent: standing.head ?? "",
    subject: `${RELEASE_SUBJECT}${tag}`,
    files: edits.map(({ path }) => path),
  };
}

function withMessage(title: string, message: string | null): string {
  return `${title}\n${message === null ? "" : `\n${message}\n`}`;
}

/** The steps from the files to the tag; all of them can be taken back. */
export function localSteps(planned: ReleasePlan): JournalStep[] {
  const { standing, order, tag, edits } = planned;
  const commit = releaseCommit(planned);
  const subjects = standing.subjects.slice(0, SHOWN_SUBJECTS);
  return [
    ...edits.map(({ path, before, after }) =>
      replaceFile.step({
        file: join(standing.directory, path),
        before,
        after,
        what: `Write ${path} of ${standing.name}`,
        keep: null,
      })
    ),
    ...(edits.length === 0
      ? []
      : [commitRelease.step({ ...commit, message: withMessage(commit.subject, order.message) })]),
    tagRelease.step({
      ...commit,
      tag,
      tagMessage: [
        withMessage(`Release ${tag}`, order.message),
        `Previous: ${standing.current?.tag ?? "none"}`,
        `Branch: ${standing.branch ?? ""}`,
        `Commits: ${standing.commits}`,
        ...(subjects.length === 0 ? [] : ["", ...subjects.map((subject) => `- ${subject}`)]),
        "",
      ].join("\n"),
    }),
  ];
}

/** The record of a release, without what only the push will tell. */
export function recordOf(
  ctx: CommandContext,
  { standing, order, tag, edits }: ReleasePlan,
): ReleaseRecord {
  const { next } = order;
  return {
    schema_version: 1,
    version: formatVersion(next),
    tag,
    previous_tag: standing.current?.tag ?? null,
    timestamp: timestamp(ctx.system.clock.now()),
    action: order.action,
    bump_part: order.part,
    stage: next.stage === "stable" ? null : next.stage,
    stage_num: next.num,
    branch: standing.branch ?? "",
    commit: standing.head ?? "",
    author: standing.author ?? "",
    commits_since_previous: standing.commits,
    commit_subjects: standing.subjects,
    files_updated: edits.map(({ path }) => path),
    origin: ctx.door,
    dry_run: false,
  };
}
