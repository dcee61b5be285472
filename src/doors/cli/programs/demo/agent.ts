/** An AI host of the demo: a real server over standard input and output, and the form that it asks a person with. */

import { AmofError } from "../../../../base/error.ts";
import { fieldsOf } from "../../../../base/object.ts";
import type { System } from "../../../../base/system/mod.ts";
import { VERSION } from "../../../../base/version.ts";
import { ECOSYSTEM, type Sandbox } from "./sandbox.ts";

/** What a server may be told by the environment of whoever tries the demo. */
const TWINS = [
  "ECOSYSTEM",
  "TICKET",
  "TOOLSETS",
  "TOOLS",
  "EXCLUDE_TOOLS",
  "MODE",
  "MAX_MODE",
  "READ_ONLY",
  "CONFIRM",
];

/** The flags with which the demo starts its server. */
export const SERVE = ["mcp", "serve", "--mode", "execute", "--ecosystem", ECOSYSTEM];

/** What goes over the wire, as far as it is looked at. */
type Message = Readonly<Record<string, unknown>>;

/** The first line of the text of a tool's answer, and the run that it tells of. */
function answerOf(
  message: Message,
): { readonly line: string; readonly run: unknown; readonly status: unknown } {
  const result = fieldsOf(message["result"]);
  const content: unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
  const [first] = content.map(fieldsOf);
  const { run_id: run, status } = fieldsOf(result["structuredContent"]);
  return { line: String(first?.["text"] ?? "").split("\n")[0] ?? "", run, status };
}

/** Messages to a program that is still running. */
class Outbox {
  #send: (bytes: Uint8Array) => void = () => {};
  #close: () => void = () => {};
  readonly stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      this.#send = (bytes) => controller.enqueue(bytes);
      this.#close = () => controller.close();
    },
  });

  send(message: Message): void {
    this.#send(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  }

  /** Ends the input of the program, which ends it. */
  close(): void {
    this.#close();
    this.#close = () => {};
  }
}

/**
 * Calls one tool of a new server, and waits for the run that it starts; `onForm` gets what the host is to ask, and
 * answers whether the person agrees. Answers the first line of what the server says last. Throws where it says nothing.
 */
export async function callTool(
  system: System,
  sandbox: Sandbox,
  { tool, args, onForm, signal }: {
    readonly tool: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly onForm: (message: string) => Promise<boolean>;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const outbox = new Outbox();
  let text: string | null = null;
  let thrown: unknown = null;
  const hear = async (message: Message) => {
    if (message["method"] === "elicitation/create") {
      const agreed = await onForm(String(fieldsOf(message["params"])["message"]));
      const result = agreed
        ? { action: "accept", content: { confirm: true } }
        : { action: "decline" };
      outbox.send({ id: message["id"], result });
    } else if (message["id"] === "greeting") {
      outbox.send({ method: "notifications/initialized" });
      outbox.send({ id: "call", method: "tools/call", params: { name: tool, arguments: args } });
    } else if (message["id"] === "call") {
      const { line, run, status } = answerOf(message);
      text = line;
      if (typeof run !== "string" || !["queued", "running"].includes(String(status))) {
        return outbox.close();
      }
      await system.clock.sleep(100, signal);
      const params = { name: "amof_get_run_status", arguments: { run_id: run } };
      outbox.send({ id: "call", method: "tools/call", params });
    }
  };
  outbox.send({
    id: "greeting",
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { elicitation: {} },
      clientInfo: { name: "amof-demo", version: VERSION },
    },
  });
  const [command = "", ...before] = system.processes.self();
  const ended = await system.processes.run({
    command,
    args: [...before, ...SERVE],
    cwd: sandbox.workspace,
    env: {
      ...Object.fromEntries(TWINS.map((name) => [`AMOF_${name}`, null])),
      ...sandbox.environment,
    },
    stdin: outbox.stream,
    signal,
    timeoutMs: 10 * 60_000,
    onLine(stream, line) {
      if (stream !== "stdout") return;
      hear(JSON.parse(line) as Message).catch((error: unknown) => {
        thrown = error;
        outbox.close();
      });
    },
  });
  if (thrown !== null) throw thrown;
  if (text === null) {
    throw new AmofError("subprocess_failed", "The server of the demo ended without an answer", {
      details: { exit_code: ended.exitCode, stderr: ended.stderr.slice(-2000) },
    });
  }
  return text;
}
