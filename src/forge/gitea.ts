/** Gitea and Forgejo, by their REST interface. */

import { fieldsOf } from "../base/object.ts";
import {
  bestOf,
  checksOf,
  queryOf,
  type Rest,
  reviewOf,
  rowsAt,
  textAt,
  unmerged,
  type Verdict,
} from "./answers.ts";
import {
  type ChangeEdit,
  type ChangeState,
  type ChangeWish,
  DraftTitle,
  type Forge,
  type MergeAnswer,
  type Method,
  type PullRequest,
} from "./port.ts";
import { Pulls } from "./pulls.ts";

const DRAFT = new DraftTitle("WIP: ", /^(?:(?:\[?WIP\]?|draft):?\s*)+/i);
const PAGE = 50;
/** So many of the newest pull requests of a repository are looked through for one. */
const MOST_PAGES = 10;

const VERDICTS: Readonly<Record<string, Verdict["verdict"]>> = {
  APPROVED: "approved",
  REQUEST_CHANGES: "changes_requested",
};

/** A repository at Gitea or Forgejo. */
export class Gitea extends Pulls implements Forge {
  readonly kind = "gitea";

  constructor(rest: Rest) {
    super(rest, "pulls");
  }

  protected override plain(title: string): string {
    return DRAFT.plain(title);
  }

  async find(head: string, base: string): Promise<PullRequest | null> {
    for (let page = 1; page <= MOST_PAGES; page++) {
      const query = queryOf({ state: "all", sort: "recentupdate", limit: PAGE, page });
      const listed = await this.list(query);
      const found = bestOf(listed, { head, base });
      if (found !== null || listed.length < PAGE) return found;
    }
    return null;
  }

  async create({ title, draft, ...wish }: ChangeWish): Promise<PullRequest> {
    return await this.open({ ...wish, title: DRAFT.of(title, draft) });
  }

  async standing({ number, head }: PullRequest): Promise<ChangeState> {
    const [row, statuses, reviews] = await Promise.all([
      this.rest.get(`${this.path}/pulls/${number}`),
      this.rest.peek(`${this.path}/commits/${head.sha}/status?limit=${PAGE}`),
      this.rest.get(`${this.path}/pulls/${number}/reviews?limit=${PAGE}`),
    ]);
    const { change, verdicts } = this.reviewed(
      row,
      reviews,
      (one) => fieldsOf(one)["dismissed"] === true ? "dismissed" : VERDICTS[textAt(one, "state")],
    );
    const mergeable = fieldsOf(row)["mergeable"];
    return {
      change,
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

  async edit(change: PullRequest, { draft, title, ...fields }: ChangeEdit): Promise<PullRequest> {
    const body = { ...fields, ...DRAFT.edited(change, { draft, title }) };
    return Object.keys(body).length === 0 ? change : await this.patch(change, body);
  }

  queues(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async merge(
    { number }: PullRequest,
    { sha, method }: { readonly sha: string; readonly method: Method },
  ): Promise<MergeAnswer> {
    const answer = await this.rest.ask({
      method: "POST",
      path: `${this.path}/pulls/${number}/merge`,
      body: { Do: method, head_commit_id: sha },
    });
    if (answer.status >= 300) {
      return { state: "refused", status: answer.status, why: unmerged(this.kind, answer) };
    }
    return { state: "merged", sha: null };
  }
}
