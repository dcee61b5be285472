/**
 * `amof server status`: whether a control plane is running for this control repository, by the record
 * that it leaves (WORKSPACE-2).
 *
 * The answer comes from the record and from the process it names; no connection is opened, so the health
 * of a running one is not known.
 *
 * @module
 */

import { AmofError, EXIT } from "../error.ts";
import { query } from "../contract/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { keyValues } from "../text/table.ts";
import { duration } from "../text/words.ts";
import { readRecord, RECORD_FILE } from "./server_record.ts";

/** Where a control plane listens unless it is told otherwise. */
const DEFAULT_BASE = "http://localhost:8000";

interface StatusData {
  readonly running: boolean;
  readonly pid: number | null;
  readonly uptime_s: number | null;
  readonly api_base: string;
  /** Relative to the control repository. */
  readonly pid_file: string;
  readonly healthy: boolean | null;
  /** What is odd about the record, or null. */
  readonly note: string | null;
}

/** An address as it is written in a URL. */
function baseOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** `amof server status`. */
export const serverStatus = query({
  name: "amof_get_server_status",
  aliases: ["amof_server_status"],
  path: ["server", "status"],
  toolset: "server",
  scope: "global",
  next: "server",
  about: "server",
  title: "Server status",
  summary: "Tell whether the control plane is running: process, uptime, address.",
  description: "Exit code 0 when it is running, 1 when it is not.",
  examples: ["server status", "server status --json"],
  input: (z) => z.strictObject({}),
  async run(ctx) {
    const { system } = ctx;
    const record = await readRecord(system, ctx.root);
    const known = typeof record === "string" ? null : record;
    const running = known !== null && await system.processes.isAlive({
      pid: known.pid,
      startedAt: null,
      bootId: known.bootId,
    });
    const data: StatusData = {
      running,
      pid: running ? known.pid : null,
      uptime_s: running && known.startedAt !== null
        ? Math.max(0, Math.round((system.clock.now() - known.startedAt) / 1000))
        : null,
      api_base: running && known.host !== null && known.port !== null
        ? baseOf(known.host, known.port)
        : system.env.get("AMOF_API_BASE") || DEFAULT_BASE,
      pid_file: RECORD_FILE,
      healthy: null,
      note: record === "unreadable"
        ? "The record cannot be read"
        : known !== null && !running
        ? `The record is left over: process ${known.pid} has ended`
        : null,
    };
    if (running || ctx.door === "mcp") return { data };
    // Scripts ask by the exit code; over MCP "not running" is the answer and no failure.
    const failure = new AmofError("check_failed", "The server is not running", {
      exit: EXIT.failed,
      hint: "Nothing needs to be done: no command of amof needs the server",
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
      ["Record", data.pid_file],
      ["Note", data.note],
    ]),
  }),
});
