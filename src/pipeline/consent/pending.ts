/**
 * Settling a pending request: what `amof approve`, `amof deny` and the server's pages do (CONFIRM-12, SIGN-3).
 *
 * The preview is made again where the person sits, so that they decide about what would happen now and about
 * nothing else.
 */

import type { Fields } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import type { Door } from "../../base/policy/mode.ts";
import {
  MOST_WRONG_TRIES,
  type PasskeyEvidence,
  TOKEN_LIFETIME_MS,
} from "../../base/policy/consent.ts";
import { recheck } from "../../base/policy/changes.ts";
import type { Mutation, Preview, Reporter } from "../../contract/mod.ts";
import { Session } from "../session.ts";
import type { Place } from "../../contract/place.ts";
import type { PendingApproval } from "../../state/store/mod.ts";
import { requirePending } from "../../commands/approvals/pending.ts";
import { maskValue } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { App } from "../app.ts";
import { type ApprovalDecision, type ApprovalRequest, requestFor } from "./approver.ts";
import { note } from "../audit.ts";
import { applicableCommand, asking } from "../execute.ts";
import { makePreview } from "../preview.ts";
import { loadCommand } from "../registry.ts";
import type { Part } from "../../base/text/parts.ts";
import { Brief } from "../../base/text/table.ts";

/** A pending request and what it would do now. */
export interface Review {
  readonly pending: PendingApproval;
  readonly command: Mutation;
  readonly preview: Preview<Fields, Fields>;
}

/** The request that waits under this id or unique beginning of one; throws when it does not wait any more. */
export async function findPending(app: App, id: string): Promise<PendingApproval> {
  const store = await app.store();
  const pending = requirePending(store.approvals, id);
  const { request } = pending;
  const { decision, decidedBy } = request.approval ?? { decision: "pending", decidedBy: null };
  const over = decision !== "pending"
    ? `it was ${decision} by ${cleanLine(decidedBy ?? "somebody", 60)}`
    : request.outcome !== null
    ? `it was ${request.outcome}`
    : request.expiresAt <= app.system.clock.now()
    ? "it has expired"
    : null;
  if (over === null) return pending;
  throw new AmofError("invalid_transition", `Cannot decide request ${pending.id}: ${over}`, {
    hint: "List what waits: amof approvals",
    details: { id: pending.id },
  });
}

/**
 * Makes the preview of a pending request again. Throws `confirmation_stale` when it is no longer what was asked
 * for. The caller gets the same error when it polls, and a request for the present state.
 */
export async function review(
  app: App,
  pending: PendingApproval,
  signal: AbortSignal,
  report: Reporter,
): Promise<Review> {
  const { request } = pending;
  const command = await loadCommand(request.tool);
  if (command?.kind !== "mutation") {
    throw new AmofError(
      "tool_not_available",
      `Cannot decide request ${pending.id}: this program has no ${request.tool}`,
      { hint: "Use the version of amof that the server has" },
    );
  }
  const session = new Session({
    id: pending.sessionId,
    owner: request.owner,
    mode: "execute",
    maxMode: "execute",
  });
  // Arguments that the call left out were taken from the place of its session.
  session.enter(pending.place as Place);
  const target = { root: pending.root, ecosystem: request.ecosystem, ticket: request.ticket };
  const before: Mutation = { ...command, ...command.raised?.(request.args) };
  const raised = await applicableCommand(app, target, before, request.args);
  const caller = { session, door: "mcp" as const, client: pending.client, signal, report };
  const { preview, ...now } = await makePreview({
    app,
    caller,
    target,
    command: raised,
    input: request.args,
  });
  recheck(
    { fingerprint: request.fingerprint, facts: request.preview },
    now,
    "Things changed since this was asked for; nothing was approved",
    `The program that asked is told so, and has to ask again\nTake this one off the list: amof deny ${pending.id}`,
  );
  return { pending, command: asking(raised, preview), preview };
}

/** Who decides: at a terminal, or in a page of the server. */
export interface Decider {
  readonly door: Door;
  /** As the audit log names them: "alice@cli". */
  readonly client: string;
  /** The signature of a passkey over this approval; absent without one. */
  readonly evidence?: PasskeyEvidence | undefined;
}

/** Whether an approval through a door takes a passkey: in the pages once there is one, elsewhere where that is set. */
export async function needsPasskey(app: App, door: Door): Promise<boolean> {
  if (app.settings.passkeyOnly) return true;
  return door === "http" && (await app.store()).passkeys.list().length > 0;
}

/** Throws `passkey_required` for an approval that lacks the signature it takes. */
export async function requirePasskey(app: App, id: string, by: Decider): Promise<void> {
  if (by.evidence !== undefined || !await needsPasskey(app, by.door)) return;
  throw new AmofError(
    "passkey_required",
    `Cannot approve request ${id} without a passkey: nothing was approved`,
    { details: { id } },
  );
}

/** The person at the terminal of this process. */
export function terminalUser({ system }: Pick<App, "system">): Decider {
  return { door: "cli", client: `${system.env.user}@cli` };
}

/**
 * Records what a person decided, even when that settles nothing. Answers an error for everything that is not an
 * approval; throws when somebody else was faster.
 */
export async function decide(
  app: App,
  pending: PendingApproval,
  { decision, by: decider, report }: {
    readonly decision: ApprovalDecision;
    readonly by: Decider;
    readonly report: Pick<Reporter, "log">;
  },
): Promise<void> {
  if (decision === "accepted") await requirePasskey(app, pending.id, decider);
  const { door, client: by, evidence = null } = decider;
  const { approvals, confirmations } = await app.store();
  const now = app.system.clock.now();
  let counts = true;
  if (decision === "accepted") {
    counts = approvals.decide(pending.id, {
      decision: "approved",
      by,
      now,
      expiresAt: now + TOKEN_LIFETIME_MS,
    });
  } else if (decision === "declined") {
    counts = approvals.decide(pending.id, { decision: "declined", by, now, expiresAt: now });
  } else if (decision === "wrong_name") {
    const tries = confirmations.countWrongTry(pending.request.tokenHash);
    if (tries >= MOST_WRONG_TRIES) {
      approvals.decide(pending.id, { decision: "declined", by, now, expiresAt: now });
    }
  }
  await note(app, report, {
    at: now,
    door,
    client: by,
    sessionId: pending.sessionId,
    root: pending.root,
    ecosystem: pending.request.ecosystem,
    ticket: pending.request.ticket,
    tool: pending.request.tool,
    args: maskValue(pending.request.args),
    mode: "execute",
    decision,
    way: "human",
    fingerprint: pending.request.fingerprint,
    outcome: !counts ? "invalid_transition" : decision === "accepted" ? "approved" : "not_approved",
    runId: null,
    evidence,
  });
  if (counts) return;
  throw new AmofError(
    "invalid_transition",
    `Cannot decide request ${pending.id}: it has been decided meanwhile`,
    { hint: "List what waits: amof approvals" },
  );
}

// What a person is shown who decides about a pending request, wherever they sit (CONFIRM-12, SIGN-3).

/** Who asked, for what, and where: what the person is shown before the preview. */
function askerOf({ pending, command }: Review): readonly Part[] {
  const { request } = pending;
  const tool = `Tool       ${command.name} `;
  const args = cleanLine(JSON.stringify(maskValue(request.args)), Infinity);
  const shown = cleanLine(args, 300);
  return [
    `Asked by   ${cleanLine(pending.client, 60)} (${pending.sessionId})`,
    shown === args ? `${tool}${args}` : new Brief(`${tool}${args}`, `${tool}${shown}`),
    `Where      ${cleanLine(pending.root)}${
      request.ecosystem === "" ? "" : `, ecosystem ${request.ecosystem}`
    }`,
  ];
}

/** The question about a request as it stands now. */
export function questionOf(shown: Review, signal: AbortSignal): ApprovalRequest {
  const { request } = shown.pending;
  return requestFor(shown.command, shown.preview, {
    ecosystem: request.ecosystem,
    typed: request.typedValue,
    signal,
    asker: askerOf(shown),
  });
}
