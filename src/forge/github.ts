/** GitHub, by its REST interface. */

import { AmofError } from "../base/error.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { type Fields, fieldsOf } from "../base/object.ts";
import {
  bestOf,
  checksOf,
  type OneCheck,
  queryOf,
  type Rest,
  reviewOf,
  rowsAt,
  shaAt,
  textAt,
  unmerged,
  type Verdict,
} from "./answers.ts";
import type {
  ChangeEdit,
  ChangeState,
  ChangeWish,
  Forge,
  MergeAnswer,
  Method,
  PullRequest,
} from "./port.ts";
import { Pulls } from "./pulls.ts";

/** Conclusions of checks that keep nothing from being merged. */
const FINE = ["success", "neutral", "skipped"];

const VERDICTS: Readonly<Record<string, Verdict["verdict"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes_requested",
  DISMISSED: "dismissed",
};

/** A repository at GitHub. */
export class GitHub extends Pulls implements Forge {
  readonly kind = "github";

  constructor(rest: Rest) {
    super(rest, "pull");
  }

  async find(head: string, base: string): Promise<PullRequest | null> {
    const query = queryOf({
      head: `${this.slug.owner}:${head}`,
      base,
      state: "all",
      sort: "created",
      direction: "desc",
      per_page: 20,
    });
    // What an interface passes over in a question it would answer with all there are.
    return bestOf(await this.list(query), { head, base });
  }

  async create(wish: ChangeWish): Promise<PullRequest> {
    return await this.open({ ...wish });
  }

  async standing({ number, head }: PullRequest): Promise<ChangeState> {
    const [row, runs, statuses, reviews] = await Promise.all([
      this.rest.get(`${this.path}/pulls/${number}`),
      this.rest.peek(`${this.path}/commits/${head.sha}/check-runs?per_page=100`),
      this.rest.peek(`${this.path}/commits/${head.sha}/status?per_page=100`),
      this.rest.get(`${this.path}/pulls/${number}/reviews?per_page=100`),
    ]);
    const checks: OneCheck[] = [
      ...rowsAt(runs, "check_runs").map((run) => ({
        name: textAt(run, "name"),
        passed: textAt(run, "status") === "completed"
          ? FINE.includes(textAt(run, "conclusion"))
          : null,
      })),
      ...rowsAt(statuses, "statuses").map((status) => ({
        name: textAt(status, "context"),
        passed: textAt(status, "state") === "pending"
          ? null
          : textAt(status, "state") === "success",
      })),
    ];
    const { change, verdicts } = this.reviewed(
      row,
      reviews,
      (one) => VERDICTS[textAt(one, "state")],
    );
    const mergeable = fieldsOf(row)["mergeable"];
    const isBlocked = textAt(row, "mergeable_state") === "blocked";
    const found = checksOf(checks);
    const review = reviewOf(verdicts, change.head.sha, false);
    // What else than checks and a review keeps it blocked GitHub does not say; a review that is missing is the usual.
    const waits = isBlocked && found.state !== "failure" && found.state !== "pending" &&
      review.state === "none";
    return {
      change,
      mergeable: typeof mergeable === "boolean" ? mergeable : null,
      queued: textAt(row, "mergeable_state") === "queued",
      checks: found,
      review: waits ? { ...review, state: "required" } : review,
      protected: isBlocked,
    };
  }

  /** Makes a draft of one, or makes it ready: the one thing that the REST interface does not have. */
  async #draft({ number }: PullRequest, draft: boolean): Promise<void> {
    const row = await this.rest.get(`${this.path}/pulls/${number}`);
    const verb = draft ? "convertPullRequestToDraft" : "markPullRequestReadyForReview";
    const body = await this.rest.must(`change #${number}`, {
      method: "POST",
      path: "graphql",
      body: {
        query: `mutation($id: ID!) { ${verb}(input: {pullRequestId: $id}) { clientMutationId } }`,
        variables: { id: textAt(row, "node_id") },
      },
    });
    const [refused] = rowsAt(body, "errors");
    if (refused === undefined) return;
    throw new AmofError(
      "forge_failed",
      `Cannot change #${number} of ${this.slug.name}: ${
        cleanLine(textAt(refused, "message"), 200)
      }`,
      { details: { host: this.slug.host } },
    );
  }

  async edit(change: PullRequest, { draft, ...fields }: ChangeEdit): Promise<PullRequest> {
    if (draft !== undefined && draft !== change.draft) await this.#draft(change, draft);
    if (Object.keys(fields).length === 0) return { ...change, draft: draft ?? change.draft };
    return await this.patch(change, fields);
  }

  /** Teams are asked by another field than people. */
  protected override asked(names: readonly string[]): Fields {
    return {
      reviewers: names.filter((name) => !name.includes("/")),
      team_reviewers: names.filter((name) => name.includes("/"))
        .map((name) => name.replace(/^.*\//, "")),
    };
  }

  async queues(base: string): Promise<boolean> {
    const path = `${this.path}/rules/branches/${encodeURIComponent(base)}`;
    const rules = await this.rest.peek(path);
    return rowsAt({ rules }, "rules").some((rule) => textAt(rule, "type") === "merge_queue");
  }

  async merge(
    { number }: PullRequest,
    { sha, method, queue }: {
      readonly sha: string;
      readonly method: Method;
      readonly queue: boolean;
    },
  ): Promise<MergeAnswer> {
    const path = `${this.path}/pulls/${number}`;
    const answer = await this.rest.ask(
      queue
        ? { method: "PUT", path: `${path}/merge-async`, body: { sha, merge_action: "default" } }
        : { method: "PUT", path: `${path}/merge`, body: { sha, merge_method: method } },
    );
    const { status, body } = answer;
    if (status >= 300) return { state: "refused", status, why: unmerged(this.kind, answer) };
    return queue ? { state: "queued" } : { state: "merged", sha: shaAt(body, "sha") || null };
  }
}
