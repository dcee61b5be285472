/**
 * Sends the person behind a client to the page in which they decide (MCP-14), where the client opens addresses.
 *
 * That somebody agreed to open a page decides nothing: the request waits as it does without this.
 */

import type { App } from "../../pipeline/app.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { fieldsOf } from "../../base/object.ts";
import type { ElicitResult } from "./sdk.ts";

/** How long a person may take to open a page: as long as for a form. */
const PATIENCE_MS = 5 * 60 * 1000;
/** How often is looked whether they have decided. */
const LOOK_MS = 500;

/** What is sent to the client. */
interface PageToOpen {
  readonly mode: "url";
  readonly elicitationId: string;
  readonly url: string;
  readonly message: string;
}

/** What a client that opens addresses can be told. */
export interface PageOpener {
  /** Asks it to open a page. */
  open(
    page: PageToOpen,
    options: { readonly timeout: number; readonly signal: AbortSignal },
  ): Promise<ElicitResult>;
  /** Tells it that what was to be done there is done. */
  done(elicitationId: string): void;
}

/** The page of the request that an answer consists of; null where it is none, or nobody can decide in a page. */
function pageIn({ envelope }: Outcome): (PageToOpen & { readonly id: string }) | null {
  if (envelope["error"] === "approval_pending") return null;
  const { approval, summary } = fieldsOf(envelope["confirmation"]);
  const { id, page } = fieldsOf(approval);
  if (typeof id !== "string" || typeof page !== "string") return null;
  return {
    id,
    mode: "url",
    elicitationId: `approval-${id}`,
    url: page,
    message: `${typeof summary === "string" ? summary : "A change"} Decide in the browser?`,
  };
}

/** Waits until a request is decided or over. */
async function decided({ system, store }: App, id: string): Promise<void> {
  const { approvals } = await store();
  for (;;) {
    const [pending] = approvals.byPrefix(id);
    const request = pending?.request;
    const waits = request !== undefined && request.outcome === null &&
      request.approval?.decision === "pending" && request.expiresAt > system.clock.now();
    if (!waits) return;
    await system.clock.sleep(LOOK_MS);
  }
}

/** Asks the client to open the page of the request that an answer consists of, if it is one. */
export async function askToOpen(
  app: App,
  outcome: Outcome,
  opener: PageOpener,
  signal: AbortSignal,
): Promise<void> {
  const asked = pageIn(outcome);
  if (asked === null) return;
  const { id, ...page } = asked;
  try {
    const { action } = await opener.open(page, { timeout: PATIENCE_MS, signal });
    if (action !== "accept") return;
  } catch {
    // The answer says the same in words.
    return;
  }
  decided(app, id).then(() => opener.done(page.elicitationId), () => {});
}
