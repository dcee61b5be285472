/** How the answers of releases look. */

import type { Rendered } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";
import { findingLines, type Validation } from "./judge.ts";
import type { FinalRecord } from "./record.ts";

/** What the control repository is called where repositories are named. */
export const CONTROL = "control";

/** The answer of a release: its record, or what stood in its way. */
export type ReleaseData =
  | { readonly released: true } & FinalRecord
  | {
    readonly released: false;
    readonly tag: string;
    readonly validation: Validation;
  };

function isMade(data: ReleaseData): data is { readonly released: true } & FinalRecord {
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
  return {
    summary: `Released ${data.tag}${data.pushed ? " and pushed it" : ", not pushed"}.`,
    details: keyValues([
      ["Previous", data.previous_tag],
      ["Branch", cleanLine(data.branch)],
      ["Commit", data.release_commit.slice(0, 12)],
      ["Commits", String(data.commits_since_previous)],
      ["Files", data.files_updated.map((file) => cleanLine(file, 60)).join(", ")],
      ["Record", `releases/${data.tag}.json`],
      ["Push", data.push_error === null ? null : `failed: ${cleanLine(data.push_error)}`],
    ]),
  };
}
