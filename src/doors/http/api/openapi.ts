/** The OpenAPI 3.1 document about the API, made of its routes and of what the commands declare (SERVER-8). */

import {
  envelopeSchema,
  inputJsonSchema,
  type JsonSchema,
  toJsonSchema,
} from "../../../pipeline/json_schema.ts";
import { loadCommand } from "../../../pipeline/registry.ts";
import { type Command, isOnlyTyped } from "../../../contract/mod.ts";
import { fieldsOf } from "../../../base/object.ts";
import {
  API,
  CHANGES_PATH,
  OPENAPI_PATH,
  pathMembers,
  type Route,
  ROUTES,
  STREAM_PATH,
} from "./table.ts";

/** Of the interface, not of the program: raised with what callers must know of. */
const API_VERSION = "1.0";

const REFUSED = { $ref: "#/components/responses/Failure" };
const ANSWER = { schema: { $ref: "#/components/schemas/Answer" } };

function jsonAnswer(description: string, content: JsonSchema = ANSWER): JsonSchema {
  return { description, content: { "application/json": content } };
}

function pathParameter(name: string, schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema;
  return {
    name,
    in: "path",
    required: true,
    ...(description === undefined ? {} : { description }),
    schema: { ...rest, type: "string" },
  };
}

function queryParameter(name: string, schema: JsonSchema, required: boolean): JsonSchema {
  const { description, ...rest } = schema;
  return {
    name,
    in: "query",
    ...(required ? { required } : {}),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  };
}

/** Whether a call of a command may answer that its run has only begun. */
function startsRuns(command: Command): boolean {
  return command.kind === "redeem" ||
    command.kind === "mutation" && command.runs !== undefined && command.inline !== true;
}

async function operation(route: Route, command: Command): Promise<JsonSchema> {
  const inPath = pathMembers(route.path);
  const { properties, required } = await inputJsonSchema(command);
  const members = Object.entries(fieldsOf(properties) as Record<string, JsonSchema>).filter(
    ([, schema]) => !isOnlyTyped(schema),
  );
  const needed = (Array.isArray(required) ? required : []).map(String);
  const others = members.filter(([name]) => !inPath.includes(name));
  const parameters = inPath.map((name) =>
    pathParameter(name, members.find(([member]) => member === name)?.[1] ?? {})
  );
  const words = Object.entries(route.says ?? {});
  const open = [...needed.filter((name) => !inPath.includes(name)), ...words.map(([name]) => name)];
  const posted = route.method === "POST";
  return {
    operationId: route.id ?? route.tool,
    "x-amof-tool": route.tool,
    tags: [route.group],
    summary: command.summary,
    parameters: posted ? parameters : [
      ...parameters,
      ...others.map(([name, schema]) => queryParameter(name, schema, needed.includes(name))),
    ],
    ...(posted
      ? {
        requestBody: {
          required: open.length > 0,
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  ...Object.fromEntries(words.map(([name, value]) => [name, { const: value }])),
                  ...Object.fromEntries(others),
                },
                ...(open.length === 0 ? {} : { required: open }),
                additionalProperties: false,
              },
            },
          },
        },
      }
      : {}),
    responses: {
      "200": jsonAnswer("The answer"),
      ...(startsRuns(command)
        ? {
          "202": jsonAnswer("A run has begun", {
            schema: { $ref: "#/components/schemas/Started" },
          }),
        }
        : {}),
      default: REFUSED,
    },
  };
}

/** What is told as it happens. */
function streamed({ id, group, summary, path, since }: {
  readonly id: string;
  readonly group: string;
  readonly summary: string;
  readonly path: string;
  /** The parameter that says the same as the header. */
  readonly since: string;
}): JsonSchema {
  return {
    operationId: id,
    tags: [group],
    summary,
    parameters: [
      ...pathMembers(path).map((name) => pathParameter(name, {})),
      {
        name: "Last-Event-ID",
        in: "header",
        description: "Go on behind this event",
        schema: { type: "string" },
      },
      {
        name: since,
        in: "query",
        description: "The same, where no header can be set",
        schema: { type: "string" },
      },
    ],
    responses: {
      "200": {
        description: "Server-sent events",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
      default: REFUSED,
    },
  };
}

/** What every answer, and every failure before there is one, looks like. */
async function components(): Promise<JsonSchema> {
  const z = await import("../../../contract/zod.ts");
  return {
    securitySchemes: {
      token: {
        type: "http",
        scheme: "bearer",
        description: "The token of the server, from the file that .amof/server.pid names",
      },
      person: {
        type: "apiKey",
        in: "cookie",
        name: "amof_PORT",
        description: "A person who signed in with amof server open; changes need X-Amof-Csrf, too",
      },
    },
    schemas: {
      Answer: await toJsonSchema(envelopeSchema(z)),
      Started: {
        allOf: [{ $ref: "#/components/schemas/Answer" }],
        type: "object",
        properties: {
          task_id: { type: "string", description: "The same as run_id" },
          run_id: { type: "string" },
          status: { const: "queued" },
        },
        required: ["task_id", "run_id", "status"],
      },
      Failure: {
        type: "object",
        description: "Why a request did not come to a command",
        properties: {
          error: { type: "string" },
          message: { type: "string" },
          http: { type: "integer" },
          category: { type: "string" },
          hint: { type: "string" },
          details: { type: "object" },
        },
        required: ["error", "message", "http", "category", "hint", "details"],
      },
    },
    responses: {
      Failure: jsonAnswer("It failed or was refused; `error` says how", {
        schema: {
          anyOf: [
            { $ref: "#/components/schemas/Answer" },
            { $ref: "#/components/schemas/Failure" },
          ],
        },
      }),
    },
  };
}

/** What the server answers without a command. */
function ownPaths(): Record<string, Record<string, unknown>> {
  return {
    "/health": {
      get: {
        operationId: "health",
        tags: ["server"],
        summary: "Tell that the server answers, to anybody on this machine.",
        security: [],
        responses: { "200": jsonAnswer("It does", { schema: { type: "object" } }) },
      },
    },
    [OPENAPI_PATH]: {
      get: {
        operationId: "openapi",
        tags: ["server"],
        summary: "Give this document.",
        responses: {
          "200": jsonAnswer("The document", { schema: { type: "object" } }),
          default: REFUSED,
        },
      },
    },
  };
}

/** What goes on as long as there is something to tell. */
function streamPaths(): Record<string, Record<string, unknown>> {
  return {
    [STREAM_PATH]: {
      get: streamed({
        id: "follow_run",
        group: "runs",
        summary: "Follow the log of a run until it has ended.",
        path: STREAM_PATH,
        since: "after",
      }),
    },
    [CHANGES_PATH]: {
      get: streamed({
        id: "follow_changes",
        group: "server",
        summary: "Tell what has changed.",
        path: CHANGES_PATH,
        since: "since",
      }),
    },
  };
}

/** The document. */
export async function openApi(): Promise<JsonSchema> {
  const paths = ownPaths();
  for (const route of ROUTES) {
    const command = await loadCommand(route.tool);
    if (command === null) continue;
    (paths[route.path] ??= {})[route.method.toLowerCase()] = await operation(route, command);
  }
  Object.assign(paths, streamPaths());
  return {
    openapi: "3.1.0",
    info: {
      title: "amof",
      version: API_VERSION,
      description: "Commands on many git repositories, through the server of a control repository.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: API }],
    security: [{ token: [] }, { person: [] }],
    tags: [...new Set(["server", ...ROUTES.map(({ group }) => group)])].map((name) => ({ name })),
    paths,
    components: await components(),
  };
}
