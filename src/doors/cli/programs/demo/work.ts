/** The demo of the main job: from clones that are there to a ticket that is merged, taken back, and an agent's push. */

import { join } from "@std/path";
import type { System } from "../../../../base/system/mod.ts";
import { strong } from "../../colors.ts";
import { wrapLine } from "../../wrap.ts";
import { ECOSYSTEM, openShop, REPOS, type Sandbox, squash } from "./sandbox.ts";
import { type DemoStage, ends } from "./stage.ts";
import { AmofError } from "../../../../base/error.ts";
import { fieldsOf } from "../../../../base/object.ts";
import { VERSION } from "../../../../base/version.ts";

/** What a server may be told by the environment of whoever tries the demo. */
const VARIABLES = [
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
const SERVE = ["mcp", "serve", "--mode", "execute", "--ecosystem", ECOSYSTEM];

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
async function callTool(
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
      ...Object.fromEntries(VARIABLES.map((name) => [`AMOF_${name}`, null])),
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

const TICKET = "HI-1";
const MESSAGE = `${TICKET} Say hello`;
const FILE = "README.md";
const [API, WEB] = REPOS;

/** Adds a line to a file of repositories, as an editor would. */
async function edit(
  { files }: System,
  { workspace }: Sandbox,
  repos: readonly string[],
  line: string,
): Promise<void> {
  for (const name of repos) {
    const path = join(workspace, "repos", name, FILE);
    await files.write(path, `${await files.readText(path) ?? ""}${line}\n`);
  }
}

/** How many lines more of what matters are shown where few lines are broken. */
function moreOf({ width }: DemoStage): number {
  return width < 72 ? 0 : 2;
}

/** Clones become an ecosystem, which tells what there is to do. */
async function begin(stage: DemoStage, sandbox: Sandbox): Promise<void> {
  const { control } = sandbox;
  await stage.scene("1 · Clones that you have are taken over");
  const create = ["ecosystem", "create", ECOSYSTEM, "--from", "../code", "--commit", "--yes"];
  await stage.amof(sandbox, create, { cwd: control, most: 1 });
  await stage.amof(sandbox, ["install", "--adopt", "../code", "--yes"], { cwd: control, most: 1 });
  await stage.scene("2 · How they stand: docs is behind");
  await stage.amof(sandbox, ["status"], { most: 7 });
  await stage.amof(sandbox, ["sync"], { most: 1 });
}

/** A ticket, from its branches to the push. */
async function develop(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  await stage.scene("3 · A ticket: one branch in two of them");
  await stage.amof(sandbox, ["ticket", "start", TICKET, "--repo", `${API},${WEB}`], { most: 4 });
  await edit(system, sandbox, [API, WEB], "Hello!");
  stage.say(`You edit ${FILE} in both.`);
  await stage.scene("4 · Shown first, done once you agree");
  await stage.amof(sandbox, ["commit", "-m", MESSAGE], { answers: ["y"], asks: 3, most: 1 });
  const more = moreOf(stage);
  await stage.amof(sandbox, ["push"], { answers: ["y"], asks: 3 + more, most: 1 + more });
}

/** The ticket is merged, ended, and the end taken back. */
async function finish(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  await stage.scene("5 · Others squash-merge it");
  await squash(system, sandbox, {
    repos: [API, WEB],
    branch: `feature/${TICKET}`,
    file: FILE,
    message: `${MESSAGE} (#1)`,
  });
  await stage.amof(sandbox, ["sync"], { most: 1 });
  await stage.amof(sandbox, ["status", "--repo", `${API},${WEB}`], { most: 5 });
  await stage.scene("6 · The ticket ends. Too soon? Undo");
  const end = ["ticket", "end", TICKET, "--cleanup"];
  await stage.amof(sandbox, end, { answers: ["y"], asks: 2, most: 1 });
  await stage.amof(sandbox, ["undo"], { answers: ["y"], asks: 1, most: 1 });
}

/** An agent asks for a push, and a person is asked. */
async function delegate(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  await stage.scene("7 · Over MCP an agent asks, you decide");
  // What comes now goes on top of what was merged.
  await stage.amof(sandbox, ["ticket", "update"], { most: 1 });
  await edit(system, sandbox, [API], "Bye!");
  stage.command(SERVE);
  stage.say("It calls amof_push_ecosystem:");
  const ended = await callTool(system, sandbox, {
    tool: "amof_push_ecosystem",
    args: { commit: true, message: `${TICKET} Say goodbye` },
    signal: stage.signal(),
    async onForm(form) {
      const width = Math.max(stage.width - 2, 1);
      const lines = form.split("\n").flatMap((line) => wrapLine(line, width)).join("\n");
      stage.print(ends(lines, 5 + moreOf(stage), width).map((line) => `│ ${line}`));
      await stage.asks(`│ ${strong("[ Yes ]")} [ No ]`);
      return true;
    },
  });
  stage.print(wrapLine(ended, stage.width));
}

/** Shows the main job. */
export async function showWork(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  stage.say("A small shop, in a sandbox of its own");
  await openShop(system, sandbox);
  await begin(stage, sandbox);
  await develop(system, stage, sandbox);
  await finish(system, stage, sandbox);
  await delegate(system, stage, sandbox);
}
