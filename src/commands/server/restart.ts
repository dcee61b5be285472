/**
 * `amof server restart`: ends the server where one runs and starts it anew, at the same address unless told otherwise.
 */

import { mutation } from "../../contract/mod.ts";
import {
  type Address,
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
  end,
  launch,
  renderServer,
  requirePort,
  requireProven,
  SERVER,
  type ServerData,
  serverData,
} from "./control.ts";

/** Where the server that runs listens; the usual place when none does. */
function presentAddress(standing: ServerState): Address {
  if (standing.state !== "running") return DEFAULT_ADDRESS;
  const { host, port } = standing.record;
  return { host: host ?? DEFAULT_ADDRESS.host, port: port ?? DEFAULT_ADDRESS.port };
}

/** `amof server restart`. */
export const serverRestart = mutation({
  ...SERVER,
  name: "amof_server_restart",
  path: ["server", "restart"],
  asks: { deed: "restart", will: "end the server with its sessions and start it anew" },
  title: "Restart server",
  summary: "Stop the server and start it anew.",
  description:
    "It listens where it did before unless told otherwise, with a new token. Runs go on.",
  examples: ["server restart", "server restart --port 8010"],
  input: addressInput,
  async preview(ctx, input) {
    const { system, root } = ctx;
    const standing = await serverState(system, root);
    requireProven(standing);
    const before = presentAddress(standing);
    const { host, port } = addressOf(input, before);
    const running = standing.state === "running" ? standing.record.pid : null;
    const stays = running !== null && host === before.host && port === before.port;
    if (!stays) await requirePort(system, { host, port });
    return {
      facts: { host, port, running },
      summary: "Would restart the server.",
      effects: [
        ...(running === null ? [] : [`End process ${running}`]),
        `Listen on ${baseOf({ host, port })}`,
      ],
      current: running === null ? "No server runs" : `The server runs as process ${running}`,
      alternatives: ["See how it stands: amof server status"],
    };
  },
  execute: (ctx, _input, { host, port }) =>
    alone(ctx, async () => {
      const { system, root, layout } = ctx;
      const standing = await serverState(system, root);
      requireProven(standing);
      if (standing.state === "running") await end(ctx, standing.record);
      const record = await launch(ctx, { host, port });
      return { data: serverData(record, tokenFile(layout, root), true) };
    }),
  render: (data: ServerData) => renderServer(data, "Restarted"),
});
