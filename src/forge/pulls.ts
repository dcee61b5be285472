/** Pull requests by the REST interface that GitHub has, and that Gitea and Forgejo keep to. */

import { type Fields, fieldsOf } from "../base/object.ts";
import type { Forge, Method, PullRequest } from "./port.ts";
import {
  namesAt,
  numberAt,
  pageAt,
  type Rest,
  rowsAt,
  shaAt,
  textAt,
  type Verdict,
} from "./answers.ts";

/** What both kinds of forge have alike. */
export abstract class Pulls {
  readonly methods: readonly Method[] = ["merge", "squash", "rebase"];
  protected readonly rest: Rest;
  /** Where the repository is, below the interface. */
  protected readonly path: string;
  /** The word for a pull request in addresses of pages. */
  readonly #page: "pull" | "pulls";

  constructor(rest: Rest, page: "pull" | "pulls") {
    this.rest = rest;
    this.path = `repos/${rest.slug.owner}/${rest.slug.name}`;
    this.#page = page;
  }

  get slug(): Forge["slug"] {
    return this.rest.slug;
  }

  /** A title without what makes a draft of it, where that is in the title. */
  protected plain(title: string): string {
    return title;
  }

  /** A pull request as a row tells it. */
  protected change(row: unknown): PullRequest {
    const { owner, name, site } = this.slug;
    const number = numberAt(row, "number");
    const { draft, merged } = fieldsOf(row);
    const title = textAt(row, "title");
    // A list of GitHub's tells only when it was.
    const isMerged = merged === true || textAt(row, "merged_at") !== "";
    const page = `${site}/${owner}/${name}/${this.#page}/${number}`;
    return {
      number,
      url: pageAt(textAt(row, "html_url"), this.slug, page),
      state: isMerged ? "merged" : textAt(row, "state") === "open" ? "open" : "closed",
      draft: draft === true || this.plain(title) !== title,
      title: this.plain(title),
      body: textAt(row, "body"),
      head: { branch: textAt(row, "head", "ref"), sha: shaAt(row, "head", "sha") },
      base: { branch: textAt(row, "base", "ref"), sha: shaAt(row, "base", "sha") },
      merge_sha: isMerged ? shaAt(row, "merge_commit_sha") || null : null,
      labels: namesAt(row, "labels", "name"),
      reviewers: namesAt(row, "requested_reviewers", "login"),
    };
  }

  /** The pull requests of a page of their list. */
  protected async list(query: string): Promise<PullRequest[]> {
    const rows = await this.rest.get(`${this.path}/pulls?${query}`);
    return rowsAt({ rows }, "rows").map((row) => this.change(row));
  }

  /** Opens one with these fields. */
  protected async open(body: Fields): Promise<PullRequest> {
    const request = { method: "POST", path: `${this.path}/pulls`, body } as const;
    return this.change(await this.rest.must("open a pull request", request));
  }

  /** Changes these fields of one. */
  protected async patch({ number }: PullRequest, body: Fields): Promise<PullRequest> {
    const request = { method: "PATCH", path: `${this.path}/pulls/${number}`, body } as const;
    return this.change(await this.rest.must(`change #${number}`, request));
  }

  async read(number: number): Promise<PullRequest> {
    return this.change(await this.rest.get(`${this.path}/pulls/${number}`));
  }

  /** A pull request with those who were asked for a review and those who have given one, and what these say. */
  protected reviewed(
    row: unknown,
    reviews: unknown,
    verdictOf: (review: unknown) => Verdict["verdict"] | undefined,
  ): { readonly change: PullRequest; readonly verdicts: readonly Verdict[] } {
    const change = this.change(row);
    const verdicts = rowsAt({ reviews }, "reviews").flatMap((review): Verdict[] => {
      const verdict = verdictOf(review);
      const who = textAt(review, "user", "login");
      return verdict === undefined ? [] : [{ who, verdict, sha: shaAt(review, "commit_id") }];
    });
    const reviewers = [...new Set([...change.reviewers, ...verdicts.map(({ who }) => who)])];
    return { change: { ...change, reviewers }, verdicts };
  }

  /** Who is asked, as the fields of the question. */
  protected asked(reviewers: readonly string[]): Fields {
    return { reviewers };
  }

  async invite(
    { number }: PullRequest,
    { labels, reviewers }: {
      readonly labels: readonly string[];
      readonly reviewers: readonly string[];
    },
  ): Promise<void> {
    const post = (what: string, path: string, body: Fields) =>
      this.rest.must(what, { method: "POST", path: `${this.path}/${path}`, body });
    if (labels.length > 0) await post(`label #${number}`, `issues/${number}/labels`, { labels });
    if (reviewers.length === 0) return;
    await post(
      `ask for a review of #${number}`,
      `pulls/${number}/requested_reviewers`,
      this.asked(reviewers),
    );
  }
}
