/**
 * Gitea and Forgejo, by their REST interface.
 *
 * @module
 */

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
  pageAt,
  queryOf,
  reviewOf,
  rowsAt,
  shaAt,
  textAt,
  type Verdict,
} from "./read.ts";
import type { Rest } from "./rest.ts";

/** A title that begins so makes a draft. */
const DRAFT = "WIP: ";
const PAGE = 50;
/** So many of the newest pull requests of a repository are looked through for one. */
const MOST_PAGES = 10;

const VERDICTS: Readonly<Record<string, Verdict["verdict"]>> = {
  APPROVED: "approved",
  REQUEST_CHANGES: "changes_requested",
};

/** A title without what makes a draft of it. */
function plain(title: string): string {
  return title.replace(/^(?:(?:\[?WIP\]?|draft):?\s*)+/i, "");
}

/** A repository at Gitea or Forgejo. */
export class Gitea implements Forge {
  readonly kind = "gitea";
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
    const fields = fieldsOf(row);
    const merged = fields["merged"] === true;
    const title = textAt(row, "title");
    return {
      number,
      url: pageAt(textAt(row, "html_url"), this.slug, `${site}/${owner}/${name}/pulls/${number}`),
      state: merged ? "merged" : textAt(row, "state") === "open" ? "open" : "closed",
      draft: fields["draft"] === true || plain(title) !== title,
      title: plain(title),
      body: textAt(row, "body"),
      head: { branch: textAt(row, "head", "ref"), sha: shaAt(row, "head", "sha") },
      base: { branch: textAt(row, "base", "ref"), sha: shaAt(row, "base", "sha") },
      merge_sha: merged ? shaAt(row, "merge_commit_sha") || null : null,
      labels: namesAt(row, "labels", "name"),
      reviewers: namesAt(row, "requested_reviewers", "login"),
    };
  }

  async find(head: string, base: string): Promise<Change | null> {
    for (let page = 1; page <= MOST_PAGES; page++) {
      const query = queryOf({ state: "all", sort: "recentupdate", limit: PAGE, page });
      const rows = rowsAt({ rows: await this.#rest.get(`${this.#path}/pulls?${query}`) }, "rows");
      const found = bestOf(
        rows.map((row) => this.#change(row)).filter((change) =>
          change.head.branch === head && change.base.branch === base
        ),
      );
      if (found !== null || rows.length < PAGE) return found;
    }
    return null;
  }

  async create({ title, draft, ...wish }: ChangeWish): Promise<Change> {
    const body = { ...wish, title: draft ? `${DRAFT}${title}` : title };
    const request = { method: "POST", path: `${this.#path}/pulls`, body } as const;
    return this.#change(await this.#rest.must("open a pull request", request));
  }

  async read(number: number): Promise<Change> {
    return this.#change(await this.#rest.get(`${this.#path}/pulls/${number}`));
  }

  async standing({ number, head }: Change): Promise<ChangeStanding> {
    const [row, statuses, reviews] = await Promise.all([
      this.#rest.get(`${this.#path}/pulls/${number}`),
      this.#rest.peek(`${this.#path}/commits/${head.sha}/status?limit=${PAGE}`),
      this.#rest.get(`${this.#path}/pulls/${number}/reviews?limit=${PAGE}`),
    ]);
    const change = this.#change(row);
    const verdicts = rowsAt({ reviews }, "reviews").flatMap((review): Verdict[] => {
      const verdict = fieldsOf(review)["dismissed"] === true
        ? "dismissed"
        : VERDICTS[textAt(review, "state")];
      const who = textAt(review, "user", "login");
      return verdict === undefined ? [] : [{ who, verdict, sha: shaAt(review, "commit_id") }];
    });
    const mergeable = fieldsOf(row)["mergeable"];
    return {
      change: {
        ...change,
        reviewers: [...new Set([...change.reviewers, ...verdicts.map(({ who }) => who)])],
      },
      mergeable: typeof mergeable === "boolean" ? mergeable : null,
      queued: false,
      checks: checksOf(
        rowsAt(statuses, "statuses").map((status) => ({
          name: textAt(status, "context"),
          passed: textAt(status, "status") === "pending"
            ? null
            : ["success", "warning"].includes(textAt(status, "status")),
        })),
      ),
      review: reviewOf(verdicts, change.head.sha, false),
      protected: false,
    };
  }

  async edit(change: Change, { draft, title, ...fields }: ChangeEdit): Promise<Change> {
    const isDraft = draft ?? change.draft;
    const isNew = title !== undefined || (draft !== undefined && draft !== change.draft);
    const body = {
      ...fields,
      ...(isNew ? { title: `${isDraft ? DRAFT : ""}${plain(title ?? change.title)}` } : {}),
    };
    if (Object.keys(body).length === 0) return change;
    const path = `${this.#path}/pulls/${change.number}`;
    const request = { method: "PATCH", path, body } as const;
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
    await this.#rest.must(`ask for a review of #${number}`, {
      method: "POST",
      path: `${this.#path}/pulls/${number}/requested_reviewers`,
      body: { reviewers },
    });
  }

  queues(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async merge(
    { number }: Change,
    { sha, method }: { readonly sha: string; readonly method: Method },
  ): Promise<MergeAnswer> {
    const answer = await this.#rest.ask({
      method: "POST",
      path: `${this.#path}/pulls/${number}/merge`,
      body: { Do: method, head_commit_id: sha },
    });
    if (answer.status >= 300) {
      return { state: "refused", status: answer.status, why: wordsOf(answer) };
    }
    return { state: "merged", sha: null };
  }
}
