/** `amof server start`: the server of a control repository as a process of its own (SERVER-3). */

import { mutation } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import {
  addressInput,
  addressOf,
  baseOf,
  DEFAULT_ADDRESS,
  type ServerState,
  serverState,
  tokenFile,
} from "./record.ts";
import {
  alone,
  launch,
  renderServer,
  requirePort,
  requireProven,
  SERVER,
  type ServerData,
  serverData,
} from "./control.ts";

/** Throws `server_failed` where a process runs as the server and does not answer. */
function requireHealthy(standing: ServerState): void {
  if (standing.state !== "running" || standing.healthy) return;
  throw new AmofError(
    "server_failed",
    `Cannot start the server: process ${standing.record.pid} runs and does not answer`,
    { hint: "Start it anew: amof server restart", details: { pid: standing.record.pid } },
  );
}

/** `amof server start`. */
export const serverStart = mutation({
  ...SERVER,
  name: "amof_server_start",
  path: ["server", "start"],
  asks: { deed: "start", will: "open a port of this machine" },
  idempotent: true,
  title: "Start server",
  summary: "Start the control repository's server.",
  description:
    "It listens on this machine only, and answers nobody without the token it writes into a file that only you can read. Does nothing when it runs.",
  examples: ["server start", "server start --port 8010"],
  input: addressInput,
  async preview(ctx, input) {
    const { system, root, layout } = ctx;
    const { host, port } = addressOf(input, DEFAULT_ADDRESS);
    const standing = await serverState(system, root);
    if (standing.state === "unreadable") requireProven(standing);
    requireHealthy(standing);
    const running = standing.state === "running" ? standing.record : null;
    if (running === null) await requirePort(system, { host, port });
    return {
      facts: { host, port, running: running?.pid ?? null },
      summary: "Would start the server.",
      effects: [`Listen on ${baseOf({ host, port })}`],
      current: standing.state === "running"
        ? `The server runs as process ${standing.record.pid}`
        : standing.state === "stale"
        ? `No server runs; the record of process ${standing.record.pid} is left over`
        : "No server runs",
      alternatives: ["See how it stands: amof server status"],
      ...(running === null
        ? {}
        : { settled: { data: serverData(running, tokenFile(layout, root), false) } }),
    };
  },
  execute: (ctx, _input, { host, port }) =>
    alone(ctx, async () => {
      const { system, root, layout } = ctx;
      const standing = await serverState(system, root);
      requireHealthy(standing);
      const runs = standing.state === "running";
      const record = runs ? standing.record : await launch(ctx, { host, port });
      return { data: serverData(record, tokenFile(layout, root), !runs) };
    }),
  render: (data: ServerData) => renderServer(data, "Started"),
});
