/** The only module that imports the MCP SDK, so that its paths and types are one file's concern. */

// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/shared/protocol"
export { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
// The SDK's export map hides the types of its `.js` paths from Deno; the comment points at them.
// @ts-types="npm:@modelcontextprotocol/sdk@1.32.2/types"
export {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  RequestSchema,
  ResultSchema,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
export type {
  CallToolRequest,
  CallToolResult,
  ClientCapabilities,
  CompleteRequest,
  CompleteResult,
  ElicitResult,
  GetPromptResult,
  InitializeResult,
  JSONRPCMessage,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  ServerNotification,
  ServerRequest,
  ServerResult,
  Tool,
} from "npm:@modelcontextprotocol/sdk@1.32.2/types";
export type { Transport } from "npm:@modelcontextprotocol/sdk@1.32.2/shared/transport";
