/** `amof scope`: where the session stands (SESSION-1). */

import { navigation, type NavigationContext } from "../contract/mod.ts";
import { timestamp } from "../base/system/mod.ts";
import { blocks } from "../base/text/parts.ts";
import { keyValues, table } from "../base/text/table.ts";

/** Where a session stands, as answers say it. */
export interface ScopeData {
  readonly scope: string;
  readonly ecosystem: string | null;
  readonly run_id: string | null;
  readonly release_tag: string | null;
  readonly mode: string;
  readonly breadcrumb: string;
  readonly can_go_back: boolean;
  /** The ticket in whose own workspace it stands; absent in the base workspace. */
  readonly ticket?: string;
}

/** Where a session stands now. */
export function scopeData(ctx: NavigationContext): ScopeData {
  const { session } = ctx;
  return {
    scope: session.place.scope,
    ecosystem: session.place.ecosystem,
    ...(session.place.ticket === null ? {} : { ticket: session.place.ticket }),
    run_id: session.place.runId,
    release_tag: session.place.releaseTag,
    mode: session.mode,
    breadcrumb: session.breadcrumb,
    can_go_back: session.canGoBack,
  };
}

/** `amof scope`. */
export const scopeInfo = navigation({
  name: "amof_scope_info",
  path: ["scope"],
  inTicket: "no workspace",
  toolset: "session",
  scope: "session",
  needs: "nothing",
  title: "Scope info",
  summary: "Show the ecosystem, mode and pending confirmations.",
  examples: ["scope", "scope --json"],
  input: () => ({}),
  async run(ctx) {
    const onCommandLine = ctx.door === "cli";
    if (onCommandLine) {
      // There the working directory decides; the session, which is this call alone, goes where it leads.
      const ecosystem = await ctx.impliedEcosystem();
      if (ecosystem !== null) ctx.session.enter({ scope: "ecosystem", ecosystem });
    }
    const pending = ctx.confirmations.live(ctx.owner, ctx.system.clock.now()).map((request) => ({
      tool: request.tool,
      ecosystem: request.ecosystem === "" ? null : request.ecosystem,
      type: request.kind,
      expires_at: timestamp(request.expiresAt),
    }));
    return {
      data: {
        ...scopeData(ctx),
        ...(onCommandLine ? { root: ctx.root === "" ? null : ctx.root, can_go_back: false } : {}),
        max_mode: ctx.session.maxMode,
        pending_confirmations: pending,
      },
    };
  },
  render: (data, _input, say) => ({
    summary: data.root === undefined
      ? `Found the session at ${data.breadcrumb}, in mode ${data.mode}.`
      : `Found ${
        data.ecosystem === null ? "no ecosystem" : `ecosystem ${data.ecosystem}`
      } selected, in mode ${data.mode}.`,
    details: blocks(
      keyValues([
        ["Root", data.root ?? null],
        ["Scope", data.root === undefined ? data.scope : null],
        ["Ecosystem", data.ecosystem],
        ["Run", data.run_id],
        ["Release", data.release_tag],
        ["Mode", data.mode],
      ]),
      ...(data.pending_confirmations.length === 0 ? [] : [
        table(
          ["waits for confirmation", "ecosystem", "expires"],
          data.pending_confirmations.map((request) => [
            request.tool.replace(/^amof_/, "").replaceAll("_", " "),
            request.ecosystem ?? "",
            say.time(request.expires_at),
          ]),
        ),
      ]),
    ),
  }),
});
