/** `amof mcp tools`: the tools a server with the same flags offers, and their digest (MCP-11). */

import { sha256 } from "../../../../base/hash.ts";
import { EXIT } from "../../../../base/error.ts";
import type { Tool } from "../../../mcp/sdk.ts";
import type { Command } from "../../../../contract/mod.ts";
import { table } from "../../../../base/text/table.ts";
import { program } from "../../../../pipeline/line/program.ts";
import { layOutParts, outputWidth } from "../../layout.ts";
import { selectionInput, selectionOf } from "./selection.ts";

/** What a caller of one of amof's tools may expect, in a few words. */
function effect(command: Command): string {
  switch (command.kind) {
    case "query":
    case "navigation":
      return "reads";
    case "redeem":
      return "changes";
    case "mutation":
      if (command.confirm !== "none") return "changes, asks";
      return command.raised === undefined ? "changes" : "changes, may ask";
  }
}

/** The same of a tool that is no command. */
function toldEffect({ annotations }: Tool): string {
  return annotations?.readOnlyHint === true ? "reads" : "changes, asks";
}

/** `amof mcp tools`. */
export const mcpTools = program({
  path: ["mcp", "tools"],
  summary: "List the tools that a server with the same flags offers.",
  description:
    "With --json exactly what tools/list answers. --digest prints a SHA-256 of that: pin it to notice when names, descriptions or schemas change.",
  examples: ["mcp tools", "mcp tools --read-only --json", "mcp tools --digest"],
  input: (z) =>
    selectionInput(z).extend({
      digest: z.boolean().default(false).describe("Only the digest of the tools"),
    }),
  async main({ app, flags }, input) {
    const { env, terminal } = app.system;
    const { digest: digestOnly, ...chosen } = input;
    const { own, more } = await selectionOf(env, chosen);
    const listed = await Promise.all((own?.listed ?? []).map(({ load }) => load()));
    const { toTool } = await import("../../../mcp/tool.ts");
    const others = more === null ? [] : (await more.tools.load()).list(more);
    const tools = [...await Promise.all(listed.map((command) => toTool(command, true))), ...others];
    const json = JSON.stringify({ tools });
    if (digestOnly) {
      const digest = `sha256:${sha256(json)}`;
      terminal.out(flags.json ? `${JSON.stringify({ digest })}\n` : `${digest}\n`);
    } else if (flags.json) terminal.out(`${json}\n`);
    else {
      const rows = tools.map((tool, index) => {
        const command = listed[index];
        return [
          tool.name,
          command?.toolset ?? more?.tools.toolset ?? "",
          command === undefined ? toldEffect(tool) : effect(command),
          tool.description ?? "",
        ];
      });
      const parts = [table(["tool", "toolset", "effect", "description"], rows)];
      terminal.out(`${layOutParts(parts, outputWidth(terminal))}\n`);
    }
    return EXIT.ok;
  },
});
