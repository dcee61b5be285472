/** agentpack, as the doors know it. */

import type { DoorWing } from "../wing.ts";

const room = async () => await import("../../apps/agentpack/mod.ts");

/** agentpack: agents' assets from a config repository to the files of coding tools. */
export const AGENTPACK: DoorWing = {
  programs: {
    agentpack: async () => (await import("./cli/program.ts")).agentpackProgram,
  },
  tools: {
    toolset: "agentpack",
    input: (z) => ({
      project_root: z.string().optional().describe(
        "The project of agentpack's tools (or AGENTPACK_PROJECT_ROOT)",
      ),
    }),
    load: async () => (await import("./mcp/server.ts")).SERVER_TOOLS,
  },
  schemas: {
    agentpack: async () => await (await room()).configJsonSchema(),
    agentpack_org: async () => await (await room()).policyJsonSchema(),
    agentpack_hook: async () => await (await room()).hookJsonSchema(),
  },
};
