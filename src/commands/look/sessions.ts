/** Reads what agent sessions have written about themselves: `<data>/runs/<session>/telemetry.json` (STATE-3). */

import { join } from "@std/path";
import { fieldsOf, jsonIn } from "../../base/object.ts";
import type { Layout } from "../../state/store/mod.ts";
import type { System } from "../../base/system/mod.ts";

/** What is known of one agent session. */
export interface AgentSession {
  readonly session_id: string;
  readonly model: string | null;
  /** Null when the session does not know it. */
  readonly cost: number | null;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly duration_s: number | null;
  /** Milliseconds since the epoch, for sorting. */
  readonly modified: number;
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function toSession(id: string, text: string, modified: number): AgentSession | null {
  const held = jsonIn(text);
  // The file of a session that is just being written, or was cut off, is passed over.
  if (held === undefined) return null;
  const document = fieldsOf(held);
  const tokens = fieldsOf(document["total_tokens"]);
  const models = Object.values(fieldsOf(document["tiers"])).map((tier) => fieldsOf(tier)["model"])
    .filter((model): model is string => typeof model === "string" && model !== "");
  return {
    session_id: id,
    model: [...new Set(models)].join(", ") || null,
    cost: document["cost_status"] === "unknown" ? null : number(document["total_cost"]),
    tokens_in: number(tokens["in"]) ?? 0,
    tokens_out: number(tokens["out"]) ?? 0,
    duration_s: number(document["elapsed_seconds"]),
    modified,
  };
}

/** All agent sessions with a readable telemetry file, newest first. */
export async function readSessions(system: System, layout: Layout): Promise<AgentSession[]> {
  const directory = system.env.get("AMOF_RUNS_DIR") ?? join(layout.data, "runs");
  const sessions: AgentSession[] = [];
  for (const entry of await system.files.list(directory)) {
    if (entry.kind !== "directory") continue;
    const file = join(directory, entry.name, "telemetry.json");
    const info = await system.files.stat(file);
    if (info?.kind !== "file" || info.size > 10_000_000) continue;
    const session = toSession(
      entry.name,
      await system.files.readText(file) ?? "",
      info.modifiedMs ?? 0,
    );
    if (session !== null) sessions.push(session);
  }
  return sessions.sort((a, b) => b.modified - a.modified);
}
