/** `amof approvals`: the confirmation requests that wait for a person at a terminal (CONFIRM-12). */

import { type CommandContext, query } from "../../contract/mod.ts";
import type { PendingApproval } from "../../state/store/mod.ts";
import { requirePending } from "./pending.ts";
import { timestamp } from "../../base/system/mod.ts";
import { maskValue } from "../../base/text/mask.ts";
import { blocks } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, duration } from "../../base/text/words.ts";

type Status = "pending" | "approved" | "declined" | "expired" | "settled";

interface ApprovalView {
  readonly id: string;
  readonly status: Status;
  /** How it ended, or null while it is open. */
  readonly outcome: string | null;
  readonly tool: string;
  readonly type: string;
  readonly root: string;
  readonly ecosystem: string | null;
  /** The ticket in whose own workspace it would work; null for the base workspace. */
  readonly ticket: string | null;
  readonly summary: string;
  readonly args: unknown;
  /** What it was asked for, of the one that was named. */
  readonly preview?: unknown;
  readonly requested_by: string;
  readonly session_id: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly expires_in_s: number | null;
  readonly decided_at: string | null;
  readonly decided_by: string | null;
}

/** Requests that wait for a person, or did. */
export interface ApprovalsData {
  readonly approvals: readonly ApprovalView[];
}

/** Where a request stands; `settled` are those that were spent, cancelled, replaced or became stale. */
function statusOf({ request }: PendingApproval, now: number): Status {
  if (request.outcome === "declined") return "declined";
  if (request.outcome !== null) return "settled";
  if (request.expiresAt <= now) return "expired";
  return request.approval?.decision === "approved" ? "approved" : "pending";
}

function view(pending: PendingApproval, now: number): ApprovalView {
  const { request } = pending;
  const status = statusOf(pending, now);
  return {
    id: pending.id,
    status,
    outcome: request.outcome,
    tool: request.tool,
    type: request.kind,
    root: pending.root,
    ecosystem: request.ecosystem === "" ? null : request.ecosystem,
    ticket: request.ticket,
    summary: cleanLine(pending.summary),
    args: maskValue(request.args),
    // As the program named itself.
    requested_by: cleanLine(pending.client, 60),
    session_id: pending.sessionId,
    created_at: timestamp(request.createdAt),
    expires_at: timestamp(request.expiresAt),
    expires_in_s: status === "pending" || status === "approved"
      ? Math.round((request.expiresAt - now) / 1000)
      : null,
    decided_at: pending.decidedAt === null ? null : timestamp(pending.decidedAt),
    decided_by: request.approval?.decidedBy ?? null,
  };
}

/** The request with this id or unique beginning of one, with its preview. */
async function one(ctx: CommandContext, id: string): Promise<ApprovalsData> {
  const { approvals } = await ctx.store();
  const now = ctx.system.clock.now();
  const pending = requirePending(approvals, id);
  return {
    approvals: [{ ...view(pending, now), preview: maskValue(pending.request.preview) }],
  };
}

async function find(ctx: CommandContext, all: boolean, limit: number): Promise<ApprovalsData> {
  const { approvals } = await ctx.store();
  const now = ctx.system.clock.now();
  return { approvals: approvals.list(now, all, limit).map((pending) => view(pending, now)) };
}

/** `amof approvals`. */
export const approvals = query({
  name: "amof_approvals",
  path: ["approvals"],
  mcp: "never",
  toolset: "session",
  scope: "global",
  needs: "nothing",
  title: "Approvals",
  summary: "List what waits for a person to approve it, whichever control repository it is about.",
  positionals: ["id"],
  description:
    "Requests come from a server that was started with --confirm human. `amof approve ID` shows the preview and asks; `amof deny ID` refuses.",
  examples: ["approvals", "approvals 3f0c6f4e --json", "approvals --all --json"],
  input: (z) => ({
    id: z.string().max(40).optional().describe("Only this one, waiting or not, with its preview"),
    all: z.boolean().default(false).describe("Also those of the last day that no longer wait"),
    limit: z.int().min(1).max(200).default(50).describe("At most"),
  }),
  async run(ctx, input) {
    return {
      data: input.id === undefined
        ? await find(ctx, input.all, input.limit)
        : await one(ctx, input.id),
    };
  },
  render: ({ approvals: found }: ApprovalsData, input) => {
    const withStatus = input.all || input.id !== undefined;
    return {
      summary: found.length === 0
        ? input.all ? "Found no requests." : "Found no requests that wait for approval."
        : `Found ${count(found.length, "request")}.`,
      details: found.length === 0
        ? "Requests appear here when a server started with --confirm human wants to change something."
        : blocks(
          table(
            [
              "id",
              "asked by",
              "ecosystem",
              "what",
              ...(withStatus ? ["status"] : []),
              "expires in",
            ],
            found.map((entry) => [
              entry.id,
              entry.requested_by,
              entry.ecosystem ?? "",
              entry.summary,
              ...(withStatus ? [entry.status] : []),
              entry.expires_in_s === null ? "" : duration(entry.expires_in_s),
            ]),
          ),
          ...found.flatMap(({ preview }) =>
            preview === undefined ? [] : [JSON.stringify(preview, null, 2)]
          ),
        ),
    };
  },
});
