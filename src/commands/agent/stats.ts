/** `amof agent stats`: the newest agent sessions and what they cost (STATE-3). */

import { query } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, duration } from "../../base/text/words.ts";
import { type AgentSession, readSessions } from "../look/sessions.ts";

interface StatsData {
  readonly sessions: readonly Omit<AgentSession, "modified">[];
  /** The sum of the known costs, or null when none is known. */
  readonly total_cost: number | null;
  readonly unknown_cost_sessions: number;
}

/** `amof agent stats`. */
export const agentStats = query({
  name: "amof_agent_stats",
  path: ["agent", "stats"],
  toolset: "telemetry",
  scope: "global",
  needs: "nothing",
  title: "Agent stats",
  summary: "List agent sessions with model, tokens, cost and duration.",
  examples: ["agent stats", "agent stats --limit 5 --json"],
  openWorld: true,
  input: (z) => ({ limit: z.int().min(1).max(200).default(20).describe("At most") }),
  async run(ctx, input) {
    const sessions = (await readSessions(ctx.system, ctx.layout)).slice(0, input.limit);
    const known = sessions.map((session) => session.cost).filter((cost) => cost !== null);
    return {
      data: {
        sessions: sessions.map(({ modified: _modified, ...session }) => session),
        total_cost: known.length === 0
          ? null
          : Math.round(known.reduce((sum, cost) => sum + cost, 0) * 1e6) / 1e6,
        unknown_cost_sessions: sessions.length - known.length,
      } satisfies StatsData,
    };
  },
  render: (data: StatsData) => ({
    summary: data.sessions.length === 0
      ? "Found no agent sessions."
      : `Found ${count(data.sessions.length, "agent session")}, known cost ${
        data.total_cost ?? "none"
      }.`,
    details: data.sessions.length === 0
      ? "Agents write theirs below the data directory of amof."
      : table(
        ["session", "model", "cost", "in", "out", "duration"],
        data.sessions.map((session) => [
          cleanLine(String(session["session_id"]), 8),
          cleanLine(String(session["model"] ?? ""), 40),
          session["cost"] === null ? "" : String(session["cost"]),
          Number(session["tokens_in"]),
          Number(session["tokens_out"]),
          session["duration_s"] === null ? "" : duration(Number(session["duration_s"])),
        ]),
      ),
  }),
});
