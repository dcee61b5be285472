/** How the answers of releases look, and what undo cannot take back of one, said before it is made (UNDO-7). */

import type { Rendered } from "../../contract/mod.ts";
import { type Fields, fieldsOf } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues } from "../../base/text/table.ts";
import { count, few } from "../../base/text/words.ts";
import { findingLines, type Readiness, type Validation } from "./judge.ts";
import type { ReleaseFacts } from "./plan.ts";
import type { FinalRecord } from "./record.ts";
import { shortSha } from "../../base/ids.ts";

/**
 * What undo cannot take back of a release that is pushed, and of one that is not or could not be. No command of
 * git is named: it would also remove what is committed later, or not yet.
 */
export function releaseIrreversible(
  { push, next, branch, head }: Pick<ReleaseFacts, "push" | "next" | "branch" | "head">,
  _input?: unknown,
  data?: Fields,
): string {
  return push !== null && data?.["pushed"] !== false
    ? "what is pushed"
    : `a release; as nothing is pushed, git can: the tag ${next}, and on ${
      cleanLine(branch, 60)
    } what comes after ${shortSha(head)}`;
}

/**
 * The repositories whose commits, tags and files undo brings back after a train: those that it releases and does not
 * push. Nobody takes back what others may have fetched.
 */
export function trainChanges(
  { push, repos }: {
    readonly push: boolean;
    readonly repos: readonly { readonly name: string; readonly action: "release" | "push" }[];
  },
): { readonly repos: readonly string[]; readonly what: "names" } {
  const released = repos.filter(({ action }) => action === "release");
  return { repos: push ? [] : released.map(({ name }) => name), what: "names" };
}

/** What stays of a train, for one that is pushed, one that is not, and one of which nothing could be. */
export function trainIrreversible(
  { push }: { readonly push: boolean },
  _input?: unknown,
  data?: Fields,
): string {
  if (!push) return "the train's record in the control repository";
  const repos = data?.["repos"];
  return !Array.isArray(repos) || repos.some((repo) => fieldsOf(repo)["pushed"] === true)
    ? "what is pushed"
    : "a train that could not be pushed; see its tags: amof release train status";
}

/** What the control repository is called where repositories are named. */
export const CONTROL = "control";

/** The record of a release that was made, and whether the next stage could follow. */
type Made = {
  readonly released: true;
  readonly ready: Readiness;
  /** Tags of all releases whose records say that they were not pushed, where this one was to be. */
  readonly unpushed: readonly string[];
} & FinalRecord;

/** The answer of a release: its record, or what stood in its way. */
export type ReleaseData =
  | Made
  | {
    readonly released: false;
    readonly tag: string;
    readonly validation: Validation;
  };

function isMade(data: ReleaseData): data is Made {
  return data.released;
}

/** The answer for readers. */
export function renderRelease(data: ReleaseData): Rendered {
  if (!isMade(data)) {
    return {
      summary: `Released nothing: ${
        count(data.validation.errors.length, "problem")
      } in the way of ${data.tag}.`,
      details: findingLines(data.validation).join("\n"),
    };
  }
  const others = data.unpushed.filter((tag) => tag !== data.tag);
  return {
    summary: `Released ${data.tag}${data.pushed ? " and pushed it" : ", not pushed"}.`,
    details: keyValues([
      ["Previous", data.previous_tag],
      ["Branch", cleanLine(data.branch)],
      ["Commit", data.release_commit.slice(0, 12)],
      ["Commits", String(data.commits_since_previous)],
      ["Files", data.files_updated.map((file) => cleanLine(file, 60)).join(", ")],
      ["Record", `releases/${data.tag}.json`],
      ["Unpushed", others.length === 0 ? null : `${few(others, 3)}: amof release push`],
      ["Push", data.push_error === null ? null : `failed: ${cleanLine(data.push_error)}`],
    ]),
  };
}
