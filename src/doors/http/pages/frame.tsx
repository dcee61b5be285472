/** Puts the layout around a view: what all pages tell besides their own content. */

import type { ApprovalsData } from "../../../commands/approvals.ts";
import type { Asking } from "../core.ts";
import { page, type Shown } from "./layout.tsx";
import { Failure } from "./parts.tsx";
import type { Reader } from "./reader.ts";

/** What a page may load: only what this server has, and no script or style that stands in a page (PAGE-3). */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** A page as an answer. */
function pageAnswer(text: string, status = 200): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY },
  });
}

/** Answers a request with a view; what the view throws becomes a page as well. */
export type Show = (asking: Asking, view: () => Promise<Shown>) => Promise<Response>;

/** How views are shown; `where` is what the control repository is called. */
export function framing(reader: Reader, where: string): Show {
  return async (asking, view) => {
    const [waiting, shown] = await Promise.all([
      reader.ask<ApprovalsData>("amof_approvals", { limit: 200 }),
      view().catch((thrown): Shown => {
        const error = reader.failureOf(thrown);
        return {
          title: "Error",
          active: null,
          status: error.status,
          body: (
            <>
              <h1>This page cannot be shown</h1>
              <Failure error={error} />
            </>
          ),
        };
      }),
    ]);
    const pending = waiting.data?.approvals.filter(({ status }) => status === "pending").length;
    const csrf = asking.kind === "person" ? asking.session.csrf : null;
    return pageAnswer(page({ ...shown, where, pending: pending ?? null, csrf }), shown.status);
  };
}
