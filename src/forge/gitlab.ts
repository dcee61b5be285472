/** GitLab, by its REST interface. A pull request is called a merge request there. */

import { fieldsOf } from "../base/object.ts";
import {
  bestOf,
  checksOf,
  namesAt,
  numberAt,
  pageAt,
  queryOf,
  type Rest,
  rowsAt,
  shaAt,
  textAt,
  unmerged,
} from "./answers.ts";
import {
  type ChangeEdit,
  type ChangeState,
  type ChangeWish,
  type Checks,
  DraftTitle,
  type Forge,
  type MergeAnswer,
  type Method,
  type PullRequest,
} from "./port.ts";

const DRAFT = new DraftTitle("Draft: ", /^(?:(?:\[draft\]|\(draft\)|draft:)\s*)+/i);

function pipelineOf(row: unknown): Checks {
  const status = textAt(row, "head_pipeline", "status");
  if (status === "") return checksOf([]);
  const passed = ["success", "skipped", "manual"].includes(status)
    ? true
    : ["failed", "canceled"].includes(status)
    ? false
    : null;
  return checksOf([{ name: "pipeline", passed }]);
}

/** A repository at GitLab. */
export class GitLab implements Forge {
  readonly kind = "gitlab";
  readonly methods: readonly Method[] = ["merge", "squash"];
  readonly #rest: Rest;
  readonly #path: string;

  constructor(rest: Rest) {
    const { owner, name } = rest.slug;
    this.#rest = rest;
    this.#path = `projects/${encodeURIComponent(`${owner}/${name}`)}`;
  }

  get slug(): Forge["slug"] {
    return this.#rest.slug;
  }

  #change(row: unknown): PullRequest {
    const { owner, name, site } = this.slug;
    const number = numberAt(row, "iid");
    const fields = fieldsOf(row);
    const state = textAt(row, "state");
    const known = `${site}/${owner}/${name}/-/merge_requests/${number}`;
    const labels = fields["labels"];
    return {
      number,
      url: pageAt(textAt(row, "web_url"), this.slug, known),
      state: state === "merged" ? "merged" : state === "closed" ? "closed" : "open",
      draft: fields["draft"] === true,
      title: DRAFT.plain(textAt(row, "title")),
      body: textAt(row, "description"),
      head: { branch: textAt(row, "source_branch"), sha: shaAt(row, "sha") },
      base: { branch: textAt(row, "target_branch"), sha: shaAt(row, "diff_refs", "base_sha") },
      merge_sha: state === "merged"
        ? shaAt(row, "merge_commit_sha") || shaAt(row, "squash_commit_sha") || shaAt(row, "sha") ||
          null
        : null,
      labels: Array.isArray(labels) ? labels.map(String) : [],
      reviewers: namesAt(row, "reviewers", "username"),
    };
  }

  async find(head: string, base: string): Promise<PullRequest | null> {
    const query = queryOf({
      source_branch: head,
      target_branch: base,
      state: "all",
      order_by: "created_at",
      sort: "desc",
      per_page: 20,
    });
    const rows = await this.#rest.get(`${this.#path}/merge_requests?${query}`);
    return bestOf(rowsAt({ rows }, "rows").map((row) => this.#change(row)), { head, base });
  }

  async create({ head, base, title, body, draft }: ChangeWish): Promise<PullRequest> {
    return this.#change(
      await this.#rest.must("open a merge request", {
        method: "POST",
        path: `${this.#path}/merge_requests`,
        body: {
          source_branch: head,
          target_branch: base,
          title: DRAFT.of(title, draft),
          description: body,
        },
      }),
    );
  }

  async read(number: number): Promise<PullRequest> {
    return this.#change(await this.#rest.get(`${this.#path}/merge_requests/${number}`));
  }

  async standing({ number }: PullRequest): Promise<ChangeState> {
    const path = `${this.#path}/merge_requests/${number}`;
    const [row, approvals] = await Promise.all([
      this.#rest.get(path),
      this.#rest.peek(`${path}/approvals`),
    ]);
    const change = this.#change(row);
    const by = rowsAt(approvals, "approved_by").map((one) => textAt(one, "user", "username"));
    const status = textAt(row, "detailed_merge_status");
    const isConflict = status === "conflict" || fieldsOf(row)["has_conflicts"] === true;
    const isUnknown = ["", "unchecked", "checking", "preparing"].includes(status);
    return {
      change: { ...change, reviewers: [...new Set([...change.reviewers, ...by])] },
      mergeable: isConflict ? false : isUnknown ? null : true,
      queued: false,
      checks: pipelineOf(row),
      review: {
        state: status === "requested_changes"
          ? "changes_requested"
          : status === "not_approved" || numberAt(approvals, "approvals_left") > 0
          ? "required"
          : by.length > 0
          ? "approved"
          : "none",
        approvals: by.length,
        stale: 0,
      },
      protected: ["not_open", "policies_denied", "discussions_not_resolved", "need_rebase"]
        .includes(status),
    };
  }

  async edit(change: PullRequest, { draft, title, body, state }: ChangeEdit): Promise<PullRequest> {
    const fields = {
      ...DRAFT.edited(change, { draft, title }),
      ...(body === undefined ? {} : { description: body }),
      ...(state === undefined ? {} : { state_event: state === "closed" ? "close" : "reopen" }),
    };
    if (Object.keys(fields).length === 0) return change;
    const path = `${this.#path}/merge_requests/${change.number}`;
    const request = { method: "PUT", path, body: fields } as const;
    return this.#change(await this.#rest.must(`change !${change.number}`, request));
  }

  /** The number of an account; 0 where there is none of that name. */
  async #account(name: string): Promise<number> {
    const rows = await this.#rest.get(`users?${queryOf({ username: name })}`);
    return numberAt(rowsAt({ rows }, "rows")[0], "id");
  }

  async invite(
    { number }: PullRequest,
    { labels, reviewers }: {
      readonly labels: readonly string[];
      readonly reviewers: readonly string[];
    },
  ): Promise<void> {
    const ids = await Promise.all(reviewers.map((name) => this.#account(name)));
    const body = {
      ...(labels.length === 0 ? {} : { add_labels: labels.join(",") }),
      ...(ids.length === 0 ? {} : { reviewer_ids: ids.filter((id) => id > 0) }),
    };
    if (Object.keys(body).length === 0) return;
    const path = `${this.#path}/merge_requests/${number}`;
    await this.#rest.must(`ask for a review of !${number}`, { method: "PUT", path, body });
  }

  async queues(): Promise<boolean> {
    const project = await this.#rest.get(this.#path, "read the project");
    return fieldsOf(project)["merge_trains_enabled"] === true;
  }

  async merge(
    { number }: PullRequest,
    { sha, method, queue }: {
      readonly sha: string;
      readonly method: Method;
      readonly queue: boolean;
    },
  ): Promise<MergeAnswer> {
    const answer = await this.#rest.ask(
      queue
        ? {
          method: "POST",
          path: `${this.#path}/merge_trains/merge_requests/${number}`,
          body: { sha, squash: method === "squash" },
        }
        : {
          method: "PUT",
          path: `${this.#path}/merge_requests/${number}/merge`,
          body: { sha, squash: method === "squash", should_remove_source_branch: false },
          aboutRights: true,
        },
    );
    const { status, body } = answer;
    if (status >= 300) return { state: "refused", status, why: unmerged(this.kind, answer) };
    if (queue) return { state: "queued" };
    return { state: "merged", sha: this.#change(body).merge_sha };
  }
}
