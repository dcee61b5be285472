/**
 * What the official conformance suite wants a server to offer: tools, resources and prompts with fixed
 * names and answers.
 *
 * @module
 */

import { ASKING, askingPrompt } from "./asking.ts";
import { RUNNING, RUNNING_TASKS } from "./running.ts";
import {
  type Exchange,
  type Features,
  type InputRequired,
  invalidParams,
  resourceNotFound,
  type Served,
} from "../../src/doors/mcp/features.ts";
import type { ElicitForm } from "../../src/doors/mcp/elicit.ts";
import type { CallToolResult, GetPromptResult, Prompt, Tool } from "../../src/doors/mcp/sdk.ts";

const ASKING_PROMPT = "test_input_required_result_prompt";

/** A red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A header and no sound. */
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

type Content = CallToolResult["content"];
type Arguments = Readonly<Record<string, unknown>>;

const text = (value: string): Content[number] => ({ type: "text", text: value });
const image: Content[number] = { type: "image", data: PNG, mimeType: "image/png" };

function resource(uri: string, mimeType: string, value: string): Content[number] {
  return { type: "resource", resource: { uri, mimeType, text: value } };
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 50));

/** What a client answered to a form, as text. */
async function shown(
  exchange: Exchange,
  message: string,
  requestedSchema: unknown,
): Promise<CallToolResult> {
  if (exchange.elicit === null) {
    return { isError: true, content: [text("The client shows no forms")] };
  }
  // The forms of the program have one field; the suite wants every kind.
  const form = { message, requestedSchema } as ElicitForm;
  const answer = await exchange.elicit(form, { timeout: 10_000, signal: exchange.signal });
  return { content: [text(`User response: ${JSON.stringify(answer)}`)] };
}

function elicit(args: Arguments, exchange: Exchange): Promise<CallToolResult> {
  const field = (title: string) => ({ type: "string" as const, title, description: title });
  return shown(exchange, String(args["message"] ?? "?"), {
    type: "object",
    properties: { username: field("Name"), email: field("Address") },
    required: ["username", "email"],
  });
}

/** Fields that are filled in already. */
const DEFAULTS = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
};

const CHOICES = ["option1", "option2", "option3"];
const TITLED = CHOICES.map((value) => ({ const: value, title: value.toUpperCase() }));

/** Every kind of choice. */
const ENUMS = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: CHOICES },
    titledSingle: { type: "string", oneOf: TITLED },
    legacyEnum: { type: "string", enum: CHOICES, enumNames: CHOICES },
    untitledMulti: { type: "array", items: { type: "string", enum: CHOICES } },
    titledMulti: { type: "array", items: { anyOf: TITLED } },
  },
};

/** A schema with what only the newest dialect has. */
const ADDRESS_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** Each tool: its arguments, all texts unless there is a schema, and what it answers. */
const TOOLS: Readonly<
  Record<string, {
    readonly arguments?: readonly string[];
    readonly inputSchema?: Tool["inputSchema"];
    call(args: Arguments, exchange: Exchange): CallToolResult | Promise<CallToolResult>;
  }>
> = {
  test_simple_text: {
    call: () => ({ content: [text("This is a simple text response for testing.")] }),
  },
  test_image_content: { call: () => ({ content: [image] }) },
  test_audio_content: {
    call: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  },
  test_embedded_resource: {
    call: () => ({
      content: [
        resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
      ],
    }),
  },
  test_multiple_content_types: {
    call: () => ({
      content: [
        text("Multiple content types test:"),
        image,
        resource(
          "test://mixed-content-resource",
          "application/json",
          '{"test":"data","value":123}',
        ),
      ],
    }),
  },
  test_tool_with_logging: {
    async call(_args, exchange) {
      for (
        const message of [
          "Tool execution started",
          "Tool processing data",
          "Tool execution completed",
        ]
      ) {
        // A client that set no level hears warnings only.
        exchange.log("warning", message);
        await pause();
      }
      return { content: [text("Logged")] };
    },
  },
  test_tool_with_progress: {
    async call(_args, exchange) {
      for (const done of [0, 50, 100]) {
        exchange.progress(done, 100, `Completed ${done} of 100`);
        await pause();
      }
      return { content: [text("Done")] };
    },
  },
  test_error_handling: {
    call: () => ({
      isError: true,
      content: [text("This tool intentionally returns an error for testing")],
    }),
  },
  json_schema_2020_12_tool: {
    inputSchema: ADDRESS_SCHEMA,
    call: () => ({ content: [text("Written down")] }),
  },
  test_elicitation: { arguments: ["message"], call: elicit },
  test_elicitation_sep1034_defaults: {
    call: (_args, exchange) => shown(exchange, "Please review", DEFAULTS),
  },
  test_elicitation_sep1330_enums: {
    call: (_args, exchange) => shown(exchange, "Please choose", ENUMS),
  },
};

const PROMPTS: Readonly<
  Record<string, {
    readonly arguments: readonly string[];
    messages(args: Readonly<Record<string, string>>): Content;
  }>
> = {
  test_simple_prompt: {
    arguments: [],
    messages: () => [text("This is a simple prompt for testing.")],
  },
  test_prompt_with_arguments: {
    arguments: ["arg1", "arg2"],
    messages: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    arguments: ["resourceUri"],
    messages: ({ resourceUri = "" }) => [
      resource(resourceUri, "text/plain", "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ],
  },
  test_prompt_with_image: {
    arguments: [],
    messages: () => [image, text("Please analyze the image above.")],
  },
};

function toTool(name: string): Tool {
  const names = TOOLS[name]?.arguments ?? [];
  const properties = Object.fromEntries(
    names.map((argument) => [argument, { type: "string", description: argument }]),
  );
  return {
    name,
    description: `Fixture ${name}`,
    inputSchema: TOOLS[name]?.inputSchema ?? {
      type: "object",
      properties,
      ...(names.length === 0 ? {} : { required: [...names] }),
    },
  };
}

function toPrompt(name: string): Prompt {
  return {
    name,
    description: `Fixture ${name}`,
    arguments: (PROMPTS[name]?.arguments ?? []).map((argument) => ({
      name: argument,
      description: argument,
      required: true,
    })),
  };
}

function getPrompt(name: string, args: Readonly<Record<string, string>>): Promise<GetPromptResult> {
  const prompt = PROMPTS[name];
  if (prompt === undefined) throw invalidParams(`Unknown prompt: ${name}`);
  return Promise.resolve({
    messages: prompt.messages(args).map((content) => ({ role: "user" as const, content })),
  });
}

/** The features of the fixture server for clients with a session. */
const FIXTURES: Features = {
  info: { name: "fixtures", title: "Fixtures" },
  instructions: "A server for conformance tests",
  tools: {
    list: () => Promise.resolve(Object.keys(TOOLS).map(toTool)),
    async call(params, exchange) {
      const tool = Object.hasOwn(TOOLS, params.name) ? TOOLS[params.name] : undefined;
      if (tool === undefined) throw invalidParams(`Unknown tool: ${params.name}`);
      return await tool.call(params.arguments ?? {}, exchange);
    },
  },
  resources: {
    list: () =>
      Promise.resolve([
        {
          uri: "test://static-text",
          name: "static-text",
          description: "A text",
          mimeType: "text/plain",
        },
        {
          uri: "test://static-binary",
          name: "static-binary",
          description: "A picture",
          mimeType: "image/png",
        },
      ]),
    templates: () => [{
      uriTemplate: "test://template/{id}/data",
      name: "template",
      description: "Data of an id",
      mimeType: "application/json",
    }],
    read(uri) {
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
      if (id !== undefined) {
        const data = { id, templateTest: true, data: `Data for ID: ${id}` };
        return Promise.resolve({
          contents: [{ uri, mimeType: "application/json", text: JSON.stringify(data) }],
        });
      }
      if (uri === "test://static-text") {
        const content = "This is the content of the static text resource.";
        return Promise.resolve({ contents: [{ uri, mimeType: "text/plain", text: content }] });
      }
      if (uri === "test://static-binary") {
        return Promise.resolve({ contents: [{ uri, mimeType: "image/png", blob: PNG }] });
      }
      throw resourceNotFound(uri, `There is no resource ${uri}`);
    },
  },
  prompts: { list: () => Object.keys(PROMPTS).map(toPrompt), get: getPrompt },
  completion: {
    complete({ argument }) {
      const values = ["paris", "park", "party"].filter((value) => value.startsWith(argument.value));
      return Promise.resolve({ values, total: values.length, hasMore: false });
    },
  },
};

/** The same for clients without one, who are asked in answers. */
const MODERN: Features = {
  ...FIXTURES,
  tools: {
    list: async (revision) => [
      ...await FIXTURES.tools.list(revision),
      ...Object.keys(ASKING).map(toTool),
      ...Object.entries(RUNNING).map(([name, { arguments: types }]): Tool => ({
        name,
        description: `Fixture ${name}`,
        inputSchema: {
          type: "object",
          properties: Object.fromEntries(
            Object.entries(types).map(([argument, type]) => [argument, { type }]),
          ),
        },
      })),
    ],
    async call(params, exchange) {
      const running = Object.hasOwn(RUNNING, params.name) ? RUNNING[params.name] : undefined;
      if (running !== undefined) return await running.call(params.arguments ?? {}, exchange);
      const asking = Object.hasOwn(ASKING, params.name) ? ASKING[params.name] : undefined;
      return asking === undefined ? await FIXTURES.tools.call(params, exchange) : asking(exchange);
    },
  },
  tasks: RUNNING_TASKS,
  prompts: {
    list: () => [...Object.keys(PROMPTS), ASKING_PROMPT].map(toPrompt),
    async get(name, args, exchange) {
      if (name !== ASKING_PROMPT) return await getPrompt(name, args);
      const answer = askingPrompt(exchange);
      if ("resultType" in answer && answer.resultType === "input_required") {
        return answer as InputRequired;
      }
      const [content = text("")] = (answer as CallToolResult).content;
      return { messages: [{ role: "user", content }] };
    },
  },
};

/** What the fixture server offers. */
export const SERVED: Served = { session: FIXTURES, modern: MODERN };
