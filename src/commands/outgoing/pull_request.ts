/** What rows of pushes tell of pull requests. */

import type { PushOutcome } from "../../git/mod.ts";
import { type PullRequest, pullRequestIn } from "../../git/changing.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { layOut } from "../../base/text/table.ts";

/** What a row has where the remote told of a pull request. */
export interface OfPullRequest {
  /** Where it can be begun, or is: an address of the remote's own host. */
  readonly pull_request_url?: string;
  /** What the remote said of one where its link leads to another host. */
  readonly pull_request_text?: string;
}

/** What the remote told of a pull request in answer to a push to `url`. */
export function pullRequestOf({ result }: PushOutcome, url: string): OfPullRequest {
  const found: PullRequest | null = pullRequestIn(result.stderr, url);
  if (found === null) return {};
  return "url" in found
    ? { pull_request_url: maskSecrets(found.url) }
    : { pull_request_text: maskSecrets(found.text) };
}

/** The links of rows, one line each, behind an empty one; nothing where no remote told of any. */
export function pullRequestLines(
  rows: readonly (OfPullRequest & { readonly name: string })[],
): readonly string[] {
  const told = rows.flatMap(({ name, pull_request_url: url, pull_request_text: text }) =>
    url !== undefined
      ? [[name, "pull request", url]]
      : text !== undefined
      ? [[name, "the remote says", text]]
      : []
  );
  return told.length === 0 ? [] : ["", ...layOut(told)];
}
