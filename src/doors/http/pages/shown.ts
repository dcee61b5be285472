/** What a view answers, before the layout is put around it. */

import type { PageParts } from "./layout.tsx";

/** A view: the parts of a page that are its own. */
export interface Shown extends Pick<PageParts, "title" | "active" | "body" | "live"> {
  /** The status of the answer; 200 when absent. */
  readonly status?: number | undefined;
}
