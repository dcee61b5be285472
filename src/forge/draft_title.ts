/** Drafts at forges that tell them by the title. */

import type { PullRequest } from "./port.ts";

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
