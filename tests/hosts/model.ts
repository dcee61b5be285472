/**
 * A stand-in of a model, for hosts that start their servers only once they talk to one: it calls the tools that it is
 * told to, and has nothing else to say.
 *
 * @module
 */

import { fieldsOf } from "../../src/base/object.ts";

type Args = Readonly<Record<string, unknown>>;

/** A call that the model shall make: the end of the tool's name, and its arguments from what it was told last. */
export interface Wish {
  readonly tool: string;
  readonly args: (told: string) => Args | Promise<Args>;
}

/** A model on loopback. */
export interface StandIn {
  readonly url: string;
  /** What it was told since this was asked last. */
  readonly told: () => string;
  /** From now on it calls these, one after the other, each once it is told of such a tool. */
  readonly wants: (wishes: readonly Wish[]) => void;
  /** Whether it has called all that it was to call. */
  readonly isDone: () => boolean;
  readonly stop: () => Promise<void>;
}

interface Call {
  readonly id: string;
  readonly name: string;
  /** What a host says besides to tell one server's tools from another's. */
  readonly namespace?: string;
  readonly args: Args;
}

/** What it says: a call, or that it is done. */
type Said = Call | null;

const DONE = "done";

/** Events of a stream, each with its name where it has one. */
function events(all: readonly (readonly [name: string | null, data: unknown])[]): Response {
  const lines = all.map(([name, data]) =>
    `${name === null ? "" : `event: ${name}\n`}data: ${
      typeof data === "string" ? data : JSON.stringify(data)
    }\n\n`
  );
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}

/** Chat completions, as most hosts have learned to speak. */
function completions(said: Said, stream: boolean): Response {
  const head = { id: "1", created: 1, model: "gpt-4o" };
  const message = said === null ? { role: "assistant", content: DONE } : {
    role: "assistant",
    content: null,
    tool_calls: [{
      index: 0,
      id: said.id,
      type: "function",
      function: { name: said.name, arguments: JSON.stringify(said.args) },
    }],
  };
  const reason = said === null ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason: reason }];
    return Response.json({ ...head, object: "chat.completion", choices, usage });
  }
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  return events([
    [null, chunk(message, null)],
    [null, chunk({}, reason)],
    [null, "[DONE]"],
  ]);
}

/** Responses, which Codex speaks. */
function responses(said: Said): Response {
  const item = said === null
    ? {
      type: "message",
      role: "assistant",
      id: "m",
      content: [{ type: "output_text", text: DONE }],
    }
    : {
      type: "function_call",
      id: `f${said.id}`,
      call_id: said.id,
      name: said.name,
      ...said.namespace === undefined ? {} : { namespace: said.namespace },
      arguments: JSON.stringify(said.args),
    };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return events([
    { type: "response.created", response: { id: "r" } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: "r", output: [item], usage } },
  ].map((event) => [event.type, event]));
}

/** Messages, which Claude Code speaks. */
function messages(said: Said, stream: boolean): Response {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const head = { id: "m", type: "message", role: "assistant", model: "it", usage };
  const stop_reason = said === null ? "end_turn" : "tool_use";
  const block = said === null
    ? { type: "text", text: "" }
    : { type: "tool_use", id: said.id, name: said.name, input: {} };
  if (!stream) {
    const whole = said === null ? { type: "text", text: DONE } : { ...block, input: said.args };
    return Response.json({ ...head, content: [whole], stop_reason, stop_sequence: null });
  }
  const delta = said === null
    ? { type: "text_delta", text: DONE }
    : { type: "input_json_delta", partial_json: JSON.stringify(said.args) };
  return events([
    { type: "message_start", message: { ...head, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ].map((event) => [event.type, event]));
}

/** Contents, which Gemini CLI speaks. */
function contents(said: Said, stream: boolean): Response {
  const part = said === null
    ? { text: DONE }
    : { functionCall: { id: said.id, name: said.name, args: said.args } };
  const answer = {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
  return stream ? events([[null, answer]]) : Response.json(answer);
}

/** The tools that a request offers: names, and the namespace of each that has one. */
function toolsOf(request: unknown, namespace?: string): Omit<Call, "id" | "args">[] {
  const { tools } = fieldsOf(request);
  if (!Array.isArray(tools)) return [];
  return tools.map(fieldsOf).flatMap((tool) => {
    const declared = tool["functionDeclarations"];
    if (Array.isArray(declared)) return toolsOf({ tools: declared });
    if (tool["type"] === "namespace") return toolsOf(tool, String(tool["name"]));
    const name = String(tool["name"] ?? fieldsOf(tool["function"])["name"]);
    return [{ name, ...namespace === undefined ? {} : { namespace } }];
  });
}

/** A stand-in on loopback. */
export function standIn(): StandIn {
  const bodies: string[] = [];
  let wishes: readonly Wish[] = [];
  let calls = 0;
  const say = async (told: string, request: unknown): Promise<Said> => {
    const [wish, ...others] = wishes;
    const tool = wish && toolsOf(request).find(({ name }) => name.endsWith(wish.tool));
    if (tool === undefined) return null;
    wishes = others;
    return { ...tool, id: `call_${calls++}`, args: await wish?.args(told) ?? {} };
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const told = await request.text();
      bodies.push(told);
      if (pathname.endsWith("/models")) {
        return Response.json({ object: "list", data: [{ id: "gpt-4o", object: "model" }] });
      }
      const dialect = /\/chat\/completions$|\/responses$|\/messages$|:\w*generateContent$/i
        .exec(pathname)?.[0];
      if (dialect === undefined) return Response.json({}, { status: 404 });
      const asked = JSON.parse(told);
      const stream = fieldsOf(asked)["stream"] === true;
      const said = await say(told, asked);
      if (dialect === "/chat/completions") return completions(said, stream);
      if (dialect === "/responses") return responses(said);
      if (dialect === "/messages") return messages(said, stream);
      return contents(said, dialect.startsWith(":stream"));
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    told: () => bodies.splice(0).join("\n"),
    wants: (next) => {
      wishes = next;
    },
    isDone: () => wishes.length === 0,
    stop: () => server.shutdown(),
  };
}
