/** `amof serve`: short for `amof mcp serve`. */

import type { Program } from "../../../pipeline/line/program.ts";
import { mcpServe } from "./mcp/serve.ts";

/** `amof serve`, what most people type first. */
export const serveShort: Program = {
  ...mcpServe,
  path: ["serve"],
  summary: "Serve MCP tools over standard input and output, as mcp serve does.",
  examples: ["serve --root ~/control"],
};
