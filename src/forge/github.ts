/**
 * GitHub, by its REST interface.
 *
 * @module
 */

import { AmofError } from "../base/error.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { fieldsOf } from "../base/object.ts";
import { wordsOf } from "./errors.ts";
import type {
  Change,
  ChangeEdit,
  ChangeStanding,
  ChangeWish,
  Forge,
  MergeAnswer,
  Method,
} from "./port.ts";
import {
  bestOf,
  checksOf,
  namesAt,
  numberAt,
  type OneCheck,
  pageAt,
  queryOf,
  reviewOf,
  rowsAt,
  shaAt,
  textAt,
  type Verdict,
} from "./read.ts";
import type { Rest } from "./rest.ts";

/** Conclusions of checks that keep nothing from being merged. */
const FINE = ["success", "neutral", "skipped"];

const VERDICTS: Readonly<Record<string, Verdict["verdict"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes_requested",
  DISMISSED: "dismissed",
};

/** A repository at GitHub. */
export class GitHub implements Forge {
  readonly kind = "github";
  readonly methods: readonly Method[] = ["merge", "squash", "rebase"];
  readonly #rest: Rest;
  readonly #path: string;

  constructor(rest: Rest) {
    this.#rest = rest;
    this.#path = `repos/${rest.slug.owner}/${rest.slug.name}`;
  }

  get slug(): Forge["slug"] {
    return this.#rest.slug;
  }

  #change(row: unknown): Change {
    const { owner, name, site } = this.slug;
    const number = numberAt(row, "number");
    const mergedAt = textAt(row, "merged_at");
    const state = mergedAt !== "" ? "merged" : textAt(row, "state") === "open" ? "open" : "closed";
    return {
      number,
      url: pageAt(textAt(row, "html_url"), this.slug, `${site}/${owner}/${name}/pull/${number}`),
      state,
      draft: fieldsOf(row)["draft"] === true,
      title: textAt(row, "title"),
      body: textAt(row, "body"),
      head: { branch: textAt(row, "head", "ref"), sha: shaAt(row, "head", "sha") },
      base: { branch: textAt(row, "base", "ref"), sha: shaAt(row, "base", "sha") },
      merge_sha: state === "merged" ? shaAt(row, "merge_commit_sha") || null : null,
      labels: namesAt(row, "labels", "name"),
      reviewers: namesAt(row, "requested_reviewers", "login"),
    };
  }

  async find(head: string, base: string): Promise<Change | null> {
    const query = queryOf({
      head: `${this.slug.owner}:${head}`,
      base,
      state: "all",
      sort: "created",
      direction: "desc",
      per_page: 20,
    });
    const rows = rowsAt({ rows: await this.#rest.get(`${this.#path}/pulls?${query}`) }, "rows");
    // What an interface passes over in a question it would answer with all there are.
    return bestOf(
      rows.map((row) => this.#change(row)).filter((change) =>
        change.head.branch === head && change.base.branch === base
      ),
    );
  }

  async create(wish: ChangeWish): Promise<Change> {
    const request = { method: "POST", path: `${this.#path}/pulls`, body: { ...wish } } as const;
    return this.#change(await this.#rest.must("open a pull request", request));
  }

  async read(number: number): Promise<Change> {
    return this.#change(await this.#rest.get(`${this.#path}/pulls/${number}`));
  }

  async standing({ number, head }: Change): Promise<ChangeStanding> {
    const [row, runs, statuses, reviews] = await Promise.all([
      this.#rest.get(`${this.#path}/pulls/${number}`),
      this.#rest.peek(`${this.#path}/commits/${head.sha}/check-runs?per_page=100`),
      this.#rest.peek(`${this.#path}/commits/${head.sha}/status?per_page=100`),
      this.#rest.get(`${this.#path}/pulls/${number}/reviews?per_page=100`),
    ]);
    const change = this.#change(row);
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
    const verdicts = rowsAt({ reviews }, "reviews").flatMap((review): Verdict[] => {
      const verdict = VERDICTS[textAt(review, "state")];
      const who = textAt(review, "user", "login");
      return verdict === undefined ? [] : [{ who, verdict, sha: shaAt(review, "commit_id") }];
    });
    const mergeable = fieldsOf(row)["mergeable"];
    const isBlocked = textAt(row, "mergeable_state") === "blocked";
    const found = checksOf(checks);
    const review = reviewOf(verdicts, change.head.sha, false);
    // What else than checks and a review keeps it blocked GitHub does not say; a review that is missing is the usual.
    const waits = isBlocked && found.state !== "failure" && found.state !== "pending" &&
      review.state === "none";
    return {
      change: {
        ...change,
        reviewers: [...new Set([...change.reviewers, ...verdicts.map(({ who }) => who)])],
      },
      mergeable: typeof mergeable === "boolean" ? mergeable : null,
      queued: textAt(row, "mergeable_state") === "queued",
      checks: found,
      review: waits ? { ...review, state: "required" } : review,
      protected: isBlocked,
    };
  }

  /** Makes a draft of one, or makes it ready: the one thing that the REST interface does not have. */
  async #draft({ number }: Change, draft: boolean): Promise<void> {
    const row = await this.#rest.get(`${this.#path}/pulls/${number}`);
    const verb = draft ? "convertPullRequestToDraft" : "markPullRequestReadyForReview";
    const body = await this.#rest.must(`change #${number}`, {
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

  async edit(change: Change, { draft, ...fields }: ChangeEdit): Promise<Change> {
    if (draft !== undefined && draft !== change.draft) await this.#draft(change, draft);
    if (Object.keys(fields).length === 0) return { ...change, draft: draft ?? change.draft };
    const path = `${this.#path}/pulls/${change.number}`;
    const request = { method: "PATCH", path, body: fields } as const;
    return this.#change(await this.#rest.must(`change #${change.number}`, request));
  }

  async invite(
    { number }: Change,
    { labels, reviewers }: {
      readonly labels: readonly string[];
      readonly reviewers: readonly string[];
    },
  ): Promise<void> {
    if (labels.length > 0) {
      await this.#rest.must(`label #${number}`, {
        method: "POST",
        path: `${this.#path}/issues/${number}/labels`,
        body: { labels },
      });
    }
    if (reviewers.length === 0) return;
    const teams = reviewers.filter((name) => name.includes("/"));
    await this.#rest.must(`ask for a review of #${number}`, {
      method: "POST",
      path: `${this.#path}/pulls/${number}/requested_reviewers`,
      body: {
        reviewers: reviewers.filter((name) => !name.includes("/")),
        team_reviewers: teams.map((name) => name.replace(/^.*\//, "")),
      },
    });
  }

  async queues(base: string): Promise<boolean> {
    const path = `${this.#path}/rules/branches/${encodeURIComponent(base)}`;
    const rules = await this.#rest.peek(path);
    return rowsAt({ rules }, "rules").some((rule) => textAt(rule, "type") === "merge_queue");
  }

  async merge(
    { number }: Change,
    { sha, method, queue }: {
      readonly sha: string;
      readonly method: Method;
      readonly queue: boolean;
    },
  ): Promise<MergeAnswer> {
    const path = `${this.#path}/pulls/${number}`;
    const answer = await this.#rest.ask(
      queue
        ? { method: "PUT", path: `${path}/merge-async`, body: { sha, merge_action: "default" } }
        : { method: "PUT", path: `${path}/merge`, body: { sha, merge_method: method } },
    );
    const { status, body } = answer;
    if (status >= 300) return { state: "refused", status, why: wordsOf(answer) };
    return queue ? { state: "queued" } : { state: "merged", sha: shaAt(body, "sha") || null };
  }
}
