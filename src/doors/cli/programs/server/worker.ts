/** `amof server-worker`: the process that `amof server start` leaves running. */

import { basename } from "@std/path";
import { program } from "../../../../pipeline/line/program.ts";
import { addressInput } from "../../../../commands/server/record.ts";
import { SERVER_COMMAND } from "../../../../commands/server/control.ts";
import { readStart } from "../../../mcp/start.ts";
import { mcpServer } from "../mcp/serve.ts";
import { findRoot } from "../../../../commands/ecosystem/root.ts";

/** `amof server-worker`. */
export const serverWorkerProgram = program({
  path: [SERVER_COMMAND],
  hidden: true,
  lenient: true,
  summary: "Be the server of a control repository; started by the program itself.",
  examples: [],
  input: addressInput,
  async main(ctx, { host = "127.0.0.1", port = 8000 }) {
    const { system, root: given, settings } = ctx.app;
    const root = await findRoot(system, given, settings.root);
    // Sessions find their control repository as the server did, wherever that was started.
    const app = { ...ctx.app, root };
    const mcp = await mcpServer({ ...ctx, app }, { read_only: false });
    const { HttpSessions } = await import("../../../mcp/streamable.ts");
    const { ModernHttp } = await import("../../../mcp/modern_http.ts");
    const { mcpRoutes } = await import("../../../http/mcp.ts");
    const { approvalRoutes } = await import("../../../http/pages/approval_routes.ts");
    const { framing } = await import("../../../http/pages/layout.tsx");
    const { pageRoutes } = await import("../../../http/pages/mod.ts");
    const { apiRoutes, hasRoute } = await import("../../../http/api/api.ts");
    const { carrying } = await import("../../../http/call.ts");
    const { passkeyRoutes } = await import("../../../http/pages/passkeys.tsx");
    const { Keys } = await import("../../../http/sign_in/keys.ts");
    const { Reader } = await import("../../../http/pages/reader.ts");
    const { runServer } = await import("../../../http/serve.ts");
    const sessions = new HttpSessions(system, (wire) => mcp.serve(wire));
    const modern = new ModernHttp(system, await mcp.shared());
    const { mode, maxMode, confirmBy } = readStart(system.env, {});
    const limits = { mode: mode ?? "ask", maxMode: maxMode ?? "execute", confirmBy } as const;
    const carryOut = carrying(app, limits, hasRoute);
    const program = { owner: `http:${system.ids.uuid()}`, sessionId: `sess_${system.ids.hex(12)}` };
    const over = new AbortController();
    const keys = new Keys(app);
    const reader = new Reader(app, over.signal);
    const show = framing(reader, basename(root));
    const pages = pageRoutes(reader, show);
    const approvals = approvalRoutes({ app, reader, show, keys, over: over.signal });
    const passkeys = passkeyRoutes(app, keys, show);
    return await runServer(app, {
      root,
      host,
      port,
      routes: [
        mcpRoutes(system, sessions, modern),
        apiRoutes({ app, carryOut, program, ending: over.signal }),
        pages,
        approvals,
        passkeys,
      ],
      async close() {
        over.abort();
        await Promise.all([sessions.close(), modern.close()]);
        if (confirmBy === "token") return;
        // Its tokens end with the server, so a person must not be asked to approve its requests any more.
        (await app.store()).confirmations.abandon(program.owner, system.clock.now());
      },
    });
  },
});
