/** `amof mcp serve`: the MCP server over standard input and output (MCP-1 to MCP-4). */

import { AmofError, EXIT } from "../../../../base/error.ts";
import { allows } from "../../../../base/policy/mode.ts";
import type { Features, Modes } from "../../../mcp/features.ts";
import { type Program, program, type ProgramContext } from "../../../../pipeline/line/program.ts";
import type { InputOf } from "../../../../contract/mod.ts";
import type { System } from "../../../../base/system/mod.ts";
import { findProgram, pathDirectories } from "../../../../base/system/find_program.ts";
import { list } from "../../../../base/text/words.ts";
import type { Wire } from "../../../mcp/messages.ts";
import { flagOrEnv, readStart } from "../../../mcp/start.ts";
import { selectionOf, serveInput } from "./selection.ts";

interface McpServer {
  /** Serves one client, over standard input and output without a wire; answers the exit code. */
  serve(wire?: Wire): Promise<number>;
  /** What it offers to all clients that have no session, behind one door. */
  shared(): Promise<Features>;
}

/** Reads how a server is started. */
export async function mcpServer(
  { app, flags }: Pick<ProgramContext, "app" | "flags">,
  input: InputOf<ReturnType<typeof serveInput>>,
): Promise<McpServer> {
  const { env } = app.system;
  const named = flags.ecosystem ?? (env.get("AMOF_ECOSYSTEM") || null);
  const isBound = flagOrEnv(env, "AMOF_TICKET", input.ticket) !== null;
  // A host waits for the first answer of each server it starts, and most are told no place.
  const places = named !== null || isBound ? await import("./place.ts") : null;
  const bound = isBound ? await places?.boundTo(app, named, input.ticket) ?? null : null;
  const ecosystem = bound?.ecosystem ?? named;
  const given = {
    mode: flags.mode ?? undefined,
    maxMode: input.max_mode,
    confirm: input.confirm,
    elicitation: input.elicitation,
  };
  const { mode, maxMode: most, confirmBy, forms } = readStart(env, given);
  const wanted = mode ?? "ask";
  const maxMode = most ?? "execute";
  const { own: selection, more } = await selectionOf(env, input, {
    ticket: bound?.ticket ?? null,
    maxMode,
  });
  if (more !== null && bound !== null) {
    const { toolset } = more.tools;
    throw new AmofError(
      "invalid_arguments",
      `Cannot serve the tools of ${toolset} in a server that is bound to ticket ${bound.ticket}`,
      { hint: `Leave out --ticket, or the toolset ${toolset}` },
    );
  }
  if (more !== null && flags.json) {
    throw new AmofError("invalid_arguments", "mcp serve speaks its own protocol, not --json", {
      hint: "Leave out --json",
    });
  }
  const others = await more?.tools.load() ?? null;
  const start = more === null ? null : { ...more, flags: given, own: input };
  if (selection === null) {
    if (others === null || start === null) throw new TypeError("A server has tools");
    return {
      async serve(wire) {
        const { serveFeatures } = await import("../../../mcp/serving.ts");
        const features = others.alone(app, start);
        await serveFeatures(app.system, { session: features, modern: features }, wire);
        return EXIT.ok;
      },
      shared: () => Promise.resolve(others.alone(app, start)),
    };
  }
  if (ecosystem !== null) await places?.requireThere(app, ecosystem);
  const options = {
    selection,
    mode: allows(maxMode, wanted) ? wanted : maxMode,
    maxMode,
    confirmBy,
    forms,
    ecosystem,
    bound,
    more: others === null || start === null
      ? null
      : (modes: Modes) => others.beside(app, start, modes),
    skills: async () => {
      const { ownSkill, skillFeature } = await import("../../../mcp/skills.ts");
      const ours = ownSkill();
      return skillFeature(async () =>
        others === null || start === null ? [ours] : await others.skills(app, start, ours)
      );
    },
  };
  return {
    async serve(wire) {
      const { serve } = await import("../../../mcp/server.ts");
      return await serve(app, options, wire);
    },
    async shared() {
      const { sharedFeatures } = await import("../../../mcp/server.ts");
      return await sharedFeatures(app, options);
    },
  };
}

/** Tells the log of the host that there is no git, which each call would say otherwise. */
async function tellOfGit(system: System): Promise<void> {
  if (await findProgram(system, "git") !== null) return;
  const places = pathDirectories(system);
  system.terminal.err(
    `amof: git was not found${
      places.length === 0 ? ": PATH names no directory" : ` in ${list(places)}`
    }. Install git, or name its directory in the variable AMOF_PATH of this server.\n`,
  );
}

/** `amof mcp serve`. */
export const mcpServe = program({
  path: ["mcp", "serve"],
  summary: "Serve the commands as MCP tools over standard input and output.",
  description:
    "Each flag has an environment variable: AMOF_ROOT, AMOF_ECOSYSTEM, AMOF_TOOLSETS, AMOF_TOOLS, AMOF_EXCLUDE_TOOLS, AMOF_MODE, AMOF_MAX_MODE, AMOF_READ_ONLY, AMOF_CONFIRM, AMOF_ELICITATION, AMOF_TICKET. The session begins in mode ask unless --mode says otherwise. With --confirm human no token and no form of the host is enough: every confirmation waits until a person runs amof approve in a terminal.",
  short: { ticket: "t" },
  examples: [
    "mcp serve --root ~/control",
    "mcp serve --ecosystem shop --ticket PROJ-123",
    "mcp serve --read-only",
    "mcp serve --max-mode plan --toolsets ecosystem,run",
    "mcp serve --confirm human",
  ],
  input: serveInput,
  async main(ctx, input) {
    const server = await mcpServer(ctx, input);
    ctx.app.system.terminal.guardOutput();
    const [code] = await Promise.all([server.serve(), tellOfGit(ctx.app.system)]);
    return code;
  },
});

/** `amof mcp start`, the older words for the same. */
export const mcpStart: Program = {
  ...mcpServe,
  path: ["mcp", "start"],
  hidden: true,
  examples: ["mcp start --root ~/control"],
};
