/**
 * What is asked of a forge, whichever it is: pull requests, which GitLab calls merge requests (CHANGE-1).
 *
 * Titles, bodies and names are texts of others: they decide nothing, and are cleaned before anybody reads them.
 */

import type { Fields } from "../base/object.ts";

/** The kinds of forges that are spoken to; Forgejo is spoken to as Gitea. */
export type ForgeKind = "github" | "gitlab" | "gitea";

/** How a pull request becomes a part of its base branch. */
export type Method = "merge" | "squash" | "rebase";

/** A repository at its forge. */
export interface Slug {
  /** With a port where it has one. */
  readonly host: string;
  /** Where its pages begin: `https://github.com`, without a slash at the end. */
  readonly site: string;
  /** The owner, for GitLab with all groups: `shop` or `shop/core`. */
  readonly owner: string;
  readonly name: string;
}

/** A call of the interface of a forge. */
export interface ForgeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the root of the interface, with its query: `repos/shop/api/pulls?state=all`. */
  readonly path: string;
  readonly body?: Fields;
  /** The mark of the answer that is at hand: 304 says that it is still the one. Only for what is read. */
  readonly known?: string;
  /** Whether a 401 is about rights, as GitLab means it of a merge, and not about who is signed in. */
  readonly aboutRights?: true;
}

/** What a forge answered, whatever its status is. */
export interface ForgeAnswer {
  readonly status: number;
  /** By lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/**
 * The way to one host. Answers for every status; throws `auth_failed` where nobody is signed in, `forge_limited`,
 * `forge_failed` where the program is missing or the host gives no answer, `cancelled`.
 */
export interface ForgeTransport {
  call(request: ForgeRequest): Promise<ForgeAnswer>;
}

/** A pull request. */
export interface PullRequest {
  readonly number: number;
  /** Its page, on the site of its forge. */
  readonly url: string;
  readonly state: "open" | "merged" | "closed";
  readonly draft: boolean;
  readonly title: string;
  readonly body: string;
  readonly head: { readonly branch: string; readonly sha: string };
  readonly base: { readonly branch: string; readonly sha: string };
  /** The commit that it came to on its base branch; null where it is not merged, or the forge does not say it. */
  readonly merge_sha: string | null;
  readonly labels: readonly string[];
  /** Who was asked for a review or has given one. */
  readonly reviewers: readonly string[];
}

/** What the programs that watch a commit have found. */
export interface Checks {
  readonly state: "success" | "failure" | "pending" | "none";
  readonly total: number;
  readonly failed: readonly string[];
  readonly pending: readonly string[];
}

/** What people who have looked say. */
interface Review {
  readonly state: "approved" | "changes_requested" | "required" | "none";
  readonly approvals: number;
  /** Approvals of commits that are not the newest one. */
  readonly stale: number;
}

/** How an open pull request stands. */
export interface ChangeState {
  /** As it is now. */
  readonly change: PullRequest;
  /** Whether it goes together with its base branch; null while the forge finds out. */
  readonly mergeable: boolean | null;
  readonly queued: boolean;
  readonly checks: Checks;
  readonly review: Review;
  /** Whether rules of the forge keep it from being merged, whatever they are. */
  readonly protected: boolean;
}

/** A pull request that is to be made. */
export interface ChangeWish {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

/** What of a pull request is to be another one. */
export interface ChangeEdit {
  readonly title?: string;
  readonly body?: string;
  readonly state?: "open" | "closed";
  readonly draft?: boolean;
}

/** What came of a merge that was asked for. After `refused` the pull request is read again, and its state decides. */
export type MergeAnswer =
  | { readonly state: "merged"; readonly sha: string | null }
  | { readonly state: "queued" }
  | { readonly state: "refused"; readonly status: number; readonly why: string };

/** The pull requests of one repository. Everything throws as {@linkcode ForgeTransport} does, or `forge_failed`. */
export interface Forge {
  readonly kind: ForgeKind;
  readonly slug: Slug;
  readonly methods: readonly Method[];
  /** The pull request from a branch to another one: the open one, else the newest; null where there never was any. */
  find(head: string, base: string): Promise<PullRequest | null>;
  create(wish: ChangeWish): Promise<PullRequest>;
  read(number: number): Promise<PullRequest>;
  /** How an open pull request stands, read at once. */
  standing(change: PullRequest): Promise<ChangeState>;
  edit(change: PullRequest, fields: ChangeEdit): Promise<PullRequest>;
  /** Adds labels, and asks people for a review. */
  invite(
    change: PullRequest,
    what: { readonly labels: readonly string[]; readonly reviewers: readonly string[] },
  ): Promise<void>;
  /** Whether the base branch takes pull requests only in a queue. */
  queues(base: string): Promise<boolean>;
  /** Merges exactly the commit `sha`; in a queue where `queue` says so. */
  merge(
    change: PullRequest,
    how: { readonly sha: string; readonly method: Method; readonly queue: boolean },
  ): Promise<MergeAnswer>;
}

/** How a forge marks a draft in its title. */
export class DraftTitle {
  readonly #mark: string;
  readonly #marks: RegExp;

  /** `mark` is what is written, `marks` what is taken for it at the beginning. */
  constructor(mark: string, marks: RegExp) {
    this.#mark = mark;
    this.#marks = marks;
  }

  /** A title without what makes a draft of it. */
  plain(title: string): string {
    return title.replace(this.#marks, "");
  }

  /** A title as it is written. */
  of(title: string, draft: boolean): string {
    return `${draft ? this.#mark : ""}${title}`;
  }

  /** The title that an edit comes to; nothing where it stays as it is. */
  edited(
    change: Pick<PullRequest, "title" | "draft">,
    { draft, title }: { readonly draft?: boolean | undefined; readonly title?: string | undefined },
  ): { readonly title?: string } {
    const isNew = title !== undefined || (draft !== undefined && draft !== change.draft);
    return isNew
      ? { title: this.of(this.plain(title ?? change.title), draft ?? change.draft) }
      : {};
  }
}
