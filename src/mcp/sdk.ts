/**
 * The only module that imports the MCP SDK, so that its paths and types are one file's concern.
 *
 * @module
 */

export { Server } from "@modelcontextprotocol/sdk/server";
export { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
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
  CompleteRequest,
  CompleteResult,
  ElicitResult,
  GetPromptResult,
  JSONRPCMessage,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from "npm:@modelcontextprotocol/sdk@1.32.2/types";
export type { Transport } from "npm:@modelcontextprotocol/sdk@1.32.2/shared/transport";
