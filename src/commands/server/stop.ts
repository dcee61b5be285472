/** `amof server stop`: ends the server of a control repository (SERVER-4). */

import { join } from "@std/path";
import { mutation } from "../../contract/mod.ts";
import { alone, end, requireProven, SERVER } from "./control.ts";
import { RECORD_FILE, serverState } from "./record.ts";

/** `amof server stop`. */
export const serverStop = mutation({
  ...SERVER,
  name: "amof_server_stop",
  path: ["server", "stop"],
  asks: { deed: "stop", will: "end the server and its sessions" },
  idempotent: true,
  title: "Stop server",
  summary: "Stop the server; runs go on.",
  description:
    "It has 5 seconds to finish what it answers. Only a process that is proven to be the server is ended.",
  examples: ["server stop"],
  input: () => ({}),
  async preview({ system, root }) {
    const standing = await serverState(system, root);
    requireProven(standing);
    const stops = standing.state === "running" || standing.state === "stale";
    const pid = stops ? standing.record.pid : null;
    const nothing = { stopped: false, pid: null };
    return {
      facts: { pid, state: standing.state },
      summary: "Would stop the server.",
      effects: standing.state === "running"
        ? [`End process ${pid}`]
        : standing.state === "stale"
        ? [`Remove the record of process ${pid}, which has ended`]
        : [],
      current: standing.state === "running"
        ? `The server runs as process ${pid}`
        : "No server runs",
      alternatives: ["See how it stands: amof server status"],
      ...(stops ? {} : { settled: { data: nothing } }),
    };
  },
  execute: (ctx) =>
    alone(ctx, async () => {
      const { system, root } = ctx;
      const standing = await serverState(system, root);
      requireProven(standing);
      if (standing.state === "running") await end(ctx, standing.record);
      if (standing.state === "stale") await system.files.remove(join(root, RECORD_FILE));
      const stopped = standing.state === "running";
      return { data: { stopped, pid: stopped ? standing.record.pid : null } };
    }),
  render: (data) => ({
    summary: data.stopped
      ? `Stopped the server, process ${data.pid}.`
      : "Found no running server; nothing to stop.",
  }),
});
