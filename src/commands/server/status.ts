/** `amof server status`: whether the server of a control repository runs and is well (SERVER-5). */

import { query } from "../../contract/mod.ts";
import { AmofError, EXIT } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues } from "../../base/text/table.ts";
import { duration } from "../../base/text/words.ts";
import { baseOf, DEFAULT_ADDRESS, RECORD_FILE, type ServerState, serverState } from "./record.ts";

interface StatusData {
  readonly running: boolean;
  readonly pid: number | null;
  readonly uptime_s: number | null;
  readonly api_base: string;
  /** Relative to the control repository. */
  readonly pid_file: string;
  /** Whether it answers; null when none runs. */
  readonly healthy: boolean | null;
  /** What is odd, or null. */
  readonly note: string | null;
}

function noteOf(standing: ServerState): string | null {
  switch (standing.state) {
    case "none":
      return null;
    case "unreadable":
      return "The record cannot be read";
    case "stale":
      return `The record is left over: process ${standing.record.pid} has ended`;
    case "running":
      if (standing.healthy) return null;
      return standing.proven
        ? "It does not answer"
        : "It does not answer, and nothing proves that this process is the server";
  }
}

/** `amof server status`. */
export const serverStatus = query({
  name: "amof_get_server_status",
  aliases: ["amof_server_status"],
  path: ["server", "status"],
  toolset: "server",
  scope: "global",
  next: "server",
  title: "Server status",
  summary: "Tell whether the server runs: process, uptime, address.",
  description: "Exit code 0 when it is running, 1 when it is not.",
  examples: ["server status", "server status --json"],
  input: () => ({}),
  async run({ system, root, door }) {
    const standing = await serverState(system, root);
    const running = standing.state === "running" ? standing.record : null;
    const startedAt = running?.startedAt ?? null;
    const address = running === null || running.host === null || running.port === null
      ? null
      : { host: running.host, port: running.port };
    const data: StatusData = {
      running: running !== null,
      pid: running?.pid ?? null,
      uptime_s: startedAt === null
        ? null
        : Math.max(0, Math.round((system.clock.now() - startedAt) / 1000)),
      api_base: address === null
        ? system.env.get("AMOF_API_BASE") || baseOf({ ...DEFAULT_ADDRESS, host: "localhost" })
        : baseOf(address),
      pid_file: RECORD_FILE,
      healthy: standing.state === "running" ? standing.healthy : null,
      note: noteOf(standing),
    };
    if (data.running || door !== "cli") return { data };
    // Scripts ask by the exit code; over MCP "not running" is the answer and no failure.
    const failure = new AmofError("check_failed", "The server is not running", {
      exit: EXIT.failed,
      hint: "Start it where it is wanted: amof server start",
    });
    return { data, failure };
  },
  render: (data: StatusData) => ({
    summary: data.running
      ? `Found the server running as process ${data.pid}.`
      : "Found no running server.",
    details: keyValues([
      ["Running", data.running ? "yes" : "no"],
      ["Process", data.pid === null ? null : String(data.pid)],
      ["Uptime", data.uptime_s === null ? null : duration(data.uptime_s)],
      ["Address", cleanLine(data.api_base)],
      ["Healthy", data.healthy === null ? null : data.healthy ? "yes" : "no"],
      ["Record", data.pid_file],
      ["Note", data.note],
    ]),
  }),
});
