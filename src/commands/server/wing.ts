/** The server of a control repository, as the core knows it. */

import type { Wing } from "../../runs/mod.ts";

/** The server with its pages. */
export const SERVER: Wing = {
  commands: {
    amof_get_server_status: async () => (await import("./status.ts")).serverStatus,
    amof_server_start: async () => (await import("./start.ts")).serverStart,
    amof_server_stop: async () => (await import("./stop.ts")).serverStop,
    amof_server_restart: async () => (await import("./restart.ts")).serverRestart,
  },
  questions: async () => (await import("./record.ts")).isProbe,
  pages: async (system, root) => await (await import("./sign_in_link.ts")).pagesOf(system, root),
};
