/**
 * The ways in which a confirmation ends, tried on one call. Only consent changes anything, and the audit log
 * tells the ways apart (CONFIRM-14).
 *
 * The program's own parser turns the words of a command line into the call of a tool. So any mutating command
 * can be tried without a line about it.
 *
 * @module
 */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { parseInvocation } from "../../src/pipeline/line/parse.ts";
import { takeWords } from "../../src/pipeline/line/words.ts";
import type { ConfirmKind, Mutation } from "../../src/contract/mod.ts";
import * as z from "../../src/contract/zod.ts";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import { pick } from "./answers.ts";
import { READING_MS } from "./mcp_session.ts";
import { modernCall } from "./modern_call.ts";
import { McpClient, type Message, type ToolAnswer } from "./mcp_client.ts";
import { third } from "./sample.ts";
import { END_OF_INPUT, Typist } from "./terminal.ts";
import { type World } from "./world.ts";

type Fields = Record<string, unknown>;

/** A call as a tool takes it. */
interface ToolCall {
  readonly name: string;
  readonly args: Fields;
  /** What applies to these arguments. */
  readonly confirm: ConfirmKind;
  /** Whether no word of a program counts as consent. */
  readonly byPerson: boolean;
}

async function toolCall(command: Mutation, words: readonly string[]): Promise<ToolCall> {
  const { rest } = takeWords(words, [command]);
  const { args } = await parseInvocation(command, rest);
  const input = command.input(z).parse(args);
  return {
    name: command.name,
    args: {
      ...args,
      ...(command.scope === "ecosystem" ? { ecosystem: "demo" } : {}),
      mode: "execute",
    },
    confirm: command.typed === true && command.mcp === "never"
      ? "none"
      : { ...command, ...command.raised?.(input) }.confirm,
    byPerson: command.byPerson === true,
  };
}

function query(world: World, sql: string): Fields[] {
  using database = new DatabaseSync(join(world.env["AMOF_HOME"] ?? "", "state", "amof.db"));
  return database.prepare(sql).all();
}

/** Tables that tell what was asked and done, and change with every call. */
const RECORDS = ["audit", "confirmations", "approvals", "run_events"];

/** Everything that must not change without consent: files and refs of control and remotes, and what is stored. */
async function state(world: World): Promise<string> {
  const tables = query(world, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .map((row) => String(row["name"])).filter((name) => !RECORDS.includes(name));
  const stored = tables.map((name) => {
    // The heartbeat of a run that works meanwhile goes on.
    const columns = name === "runs" ? "run_id, status, cancel_requested_at" : "*";
    // The key of this installation is made when it is first needed.
    const rows = name === "settings" ? "WHERE name <> 'mcp_state_key'" : "";
    return `${name} ${
      JSON.stringify(query(world, `SELECT ${columns} FROM ${name} ${rows} ORDER BY 1, 2`))
    }`;
  });
  return [await world.fingerprint(), ...stored].join("\n");
}

/** The newest entry about a tool: decision and way. */
function recorded(world: World, tool: string): unknown[] {
  const [entry] = query(
    world,
    `SELECT decision, way FROM audit WHERE tool = '${tool}' ORDER BY id DESC LIMIT 1`,
  );
  return [entry?.["decision"], entry?.["way"]];
}

/** The name a request wants typed, as the newest one has it. */
function nameToType(world: World): unknown {
  return query(world, "SELECT typed_value FROM confirmations ORDER BY rowid DESC LIMIT 1")[0]
    ?.["typed_value"];
}

/** Lets every live request grow old. */
function expire(world: World): void {
  query(world, "UPDATE confirmations SET expires_at = created_at WHERE settled_at IS NULL");
}

/** What a client does with the form it is asked to show, and what that counts as. */
type Refusal = readonly [
  decision: string,
  reply: (client: McpClient, question: Message) => Promise<void>,
];

const REFUSALS: readonly Refusal[] = [
  ["declined", (client, question) => client.respond(question, { action: "decline" })],
  ["declined", (client, question) => client.respond(question, { action: "accept" })],
  ["cancelled", (client, question) => client.respond(question, { action: "cancel" })],
  ["timed_out", (client, question) => client.refuse(question, -32001, "nobody came")],
  ["ask_failed", (client, question) => client.refuse(question, -32603, "the window broke")],
  ["ask_failed", (client, question) => client.respond(question, { action: "agree" })],
];

/** A client that knows no forms; the request it leaves behind can be confirmed by its token. */
const UNSUPPORTED: Refusal = [
  "unsupported",
  (client, question) => client.refuse(question, -32601, "Method not found"),
];

/** Which share of a sample falls to a command: neighbours of the registry take different ones. */
function shareOf(trial: Trial): number {
  return COMMANDS.findIndex((command) => command.name === trial.call.name);
}

class Trial {
  constructor(
    readonly world: World,
    readonly call: ToolCall,
    readonly before: string,
  ) {}

  /** Proves that nothing has changed and that the audit log says why. */
  async refused(what: string, answer: ToolAnswer, decision: string, way: string): Promise<void> {
    const told = `${this.call.name}: ${what}: ${answer.text}`;
    assert(answer.isError, told);
    assertEquals(recorded(this.world, this.call.name), [decision, way], told);
    assertEquals(await state(this.world), this.before, told);
  }

  /** Asks for the act; the request is in the answer. */
  request(client: McpClient): Promise<ToolAnswer> {
    return client.call(this.call.name, this.call.args);
  }
}

/** Elicitation: every answer but a consent. Leaves a live request behind, made where forms are not shown. */
async function byForm(trial: Trial, client: McpClient): Promise<string> {
  let last: ToolAnswer | null = null;
  for (const [decision, reply] of [...third(REFUSALS, shareOf(trial)), UNSUPPORTED]) {
    const pending = trial.request(client);
    await reply(client, await client.asked("elicitation/create"));
    last = await pending;
    // What only a person settles is pending for one where no form is shown.
    const isParked = decision === "unsupported" && trial.call.byPerson;
    const [said, way] = isParked ? ["requested", "human"] : [decision, "elicitation"];
    await trial.refused(`a form ${decision}`, last, said, way);
  }
  if (trial.call.confirm === "type") {
    const pending = trial.request(client);
    const question = await client.asked("elicitation/create");
    await client.respond(question, { action: "accept", content: { name: "wrong" } });
    await trial.refused("a wrong name", await pending, "wrong_name", "elicitation");
  }
  return String(pick(last?.data, "confirmation", "token"));
}

/** What comes back from clients without a session, and what that counts as. */
const RETURNED: readonly (readonly [decision: string, response: Fields])[] = [
  ["declined", { action: "decline" }],
  ["declined", { action: "accept" }],
  ["cancelled", { action: "cancel" }],
  ["ask_failed", { action: "agree" }],
];

/** Asks with the answer of a call; answers the state that comes back. */
async function askedInAnswer({ call }: Trial, client: McpClient): Promise<unknown> {
  const asked = await modernCall(client, call);
  assertEquals(pick(asked, "result", "resultType"), "input_required", JSON.stringify(asked));
  return pick(asked, "result", "requestState");
}

/** The answer to a call that is repeated with what a person said. */
async function returned(
  { call }: Trial,
  client: McpClient,
  requestState: unknown,
  response: Fields,
): Promise<ToolAnswer> {
  const more = { requestState, inputResponses: { confirm: response } };
  const answer = await modernCall(client, call, more);
  const data = (pick(answer, "result", "structuredContent") ?? {}) as Record<string, unknown>;
  const text = String(pick(answer, "result", "content", 0, "text"));
  return { isError: pick(answer, "result", "isError") === true, text, data };
}

/** Calls that stand alone: every answer but a consent, brought by the same call again. */
async function byReturn(trial: Trial, client: McpClient): Promise<void> {
  const wrong = trial.call.confirm === "type"
    ? [["wrong_name", { action: "accept", content: { name: "wrong" } }] as const]
    : [];
  for (const [decision, response] of [...third(RETURNED, shareOf(trial)), ...wrong]) {
    const state = await askedInAnswer(trial, client);
    // A person who says no has read it.
    await new Promise((resolve) => setTimeout(resolve, READING_MS));
    const answer = await returned(trial, client, state, response);
    await trial.refused(`a returned form ${decision}`, answer, decision, "elicitation");
    const again = await returned(trial, client, state, { action: "accept" });
    assertEquals(again.data["error"], "confirmation_invalid", trial.call.name);
  }
}

/** Tokens: given up, too late, and with a name nobody asked for. */
async function byToken(trial: Trial, client: McpClient, live: string): Promise<void> {
  const { world } = trial;
  const confirm = (token: string, more: Fields = {}) =>
    client.call("amof_confirm", { token, mode: "execute", ...more });
  if (trial.call.byPerson) {
    const answer = await confirm(live, { typed_value: nameToType(world) ?? undefined });
    return await trial.refused("a token alone", answer, "pending", "human");
  }
  if (trial.call.confirm === "type") {
    for (const more of [{}, { typed_value: "wrong" }]) {
      const answer = await confirm(live, more);
      await trial.refused("a token without the name", answer, "wrong_name", "token");
    }
  }
  await client.call("amof_cancel_confirm", { token: live });
  assertEquals(recorded(world, "amof_cancel_confirm"), ["cancelled", "token"]);
  const cancelled = await confirm(live);
  assertEquals(cancelled.data["error"], "confirmation_invalid");
  assertEquals(await state(world), trial.before);

  const pending = trial.request(client);
  await client.refuse(await client.asked("elicitation/create"), -32601, "Method not found");
  const { data } = await pending;
  expire(world);
  const late = await confirm(String(pick(data, "confirmation", "token")), {
    typed_value: nameToType(world) ?? undefined,
  });
  await trial.refused("a token too late", late, "timed_out", "token");
}

/** A person at a terminal: refuses, does not come, is no person, and the caller gives up. */
async function byPerson(trial: Trial): Promise<void> {
  const { world } = trial;
  await using client = new McpClient(world, ["--confirm", "human", "--toolsets", "all"]);
  await client.initialize({ capabilities: { elicitation: {} } });
  const poll = (answer: ToolAnswer) =>
    client.call("amof_confirm", {
      token: String(pick(answer.data, "confirmation", "token")),
      mode: "execute",
    });
  const idOf = (answer: ToolAnswer) => String(pick(answer.data, "confirmation", "approval", "id"));

  const asked = await trial.request(client);
  await trial.refused("pending", asked, "requested", "human");
  assertEquals((await world.amof(["approve", idOf(asked), "--yes", "--json"])).code, 4);
  assertEquals(recorded(world, trial.call.name), ["unsupported", "human"]);
  await trial.refused("nobody at a terminal", await poll(asked), "pending", "human");
  assertEquals((await world.amof(["deny", idOf(asked)])).code, 0);
  await trial.refused("denied", await poll(asked), "declined", "human");

  const again = await trial.request(client);
  expire(world);
  await trial.refused("nobody in time", await poll(again), "timed_out", "human");
}

/** The command line: no terminal, no, and the end of input. */
async function atTerminal(trial: Trial, words: readonly string[]): Promise<void> {
  const { world, call } = trial;
  const question = call.confirm === "type" ? "to proceed: " : "? [y/N] ";
  assertEquals((await world.amof([...words, "--json"])).code, 4);
  assertEquals(recorded(world, call.name), ["unsupported", "prompt"]);
  for (const [typed, decision] of [["n\n", "declined"], [END_OF_INPUT, "cancelled"]] as const) {
    const typist = await Typist.start(world, words);
    await typist.sees(question);
    await typist.types(typed);
    assertEquals((await typist.ends()).code, 4);
    const counts = call.confirm === "type" && typed === "n\n" ? "wrong_name" : decision;
    assertEquals(recorded(world, call.name), [counts, "prompt"]);
  }
  const refused = await world.amof([...words, "--json"]);
  const token = String(pick(refused.json(), "confirmation", "token"));
  expire(world);
  const late = await world.amof(["confirm", token, "--json"]);
  assertEquals(late.json()["error"], "confirmation_expired");
  assertEquals(recorded(world, call.name), ["timed_out", "token"]);
  assertEquals(await state(world), trial.before);
}

/** That the audit log says who agreed, or that nobody had to. */
function assertConsent({ world, call }: Trial, way: string): void {
  const [decision, how] = recorded(world, call.name);
  if (call.confirm !== "none") assertEquals([decision, how], ["accepted", way]);
  else {
    // What was left over is settled before the command itself, which may then have nothing to do.
    assert(["executed", "nothing_to_do"].includes(String(decision)), String(decision));
    assertEquals(how, "none");
  }
}

async function changed(trial: Trial): Promise<void> {
  assertNotEquals(await state(trial.world), trial.before, `${trial.call.name} did something`);
}

/** Tries every outcome on the command line, and in the end consent. */
async function tryCommandLine(trial: Trial, words: readonly string[]): Promise<void> {
  const { world, call } = trial;
  if (call.confirm !== "none" && Deno.build.os !== "windows") await atTerminal(trial, words);
  const consent = call.confirm === "type" ? ["--confirm-name", "demo"] : ["--yes"];
  const done = await world.amof([...words, ...(call.confirm === "none" ? [] : consent), "--json"]);
  assertEquals(done.code, 0, done.stdout);
  assertConsent(trial, "flag");
  await changed(trial);
}

/**
 * Tries every outcome on a call that would do something. In the end it is carried out, so the world is worth
 * nothing afterwards.
 */
export async function tryOutcomes(
  world: World,
  command: Mutation,
  words: readonly string[],
): Promise<void> {
  const trial = new Trial(world, await toolCall(command, words), await state(world));
  if (command.mcp === "never") return await tryCommandLine(trial, words);
  const { call } = trial;
  await using client = new McpClient(world, ["--toolsets", "all"]);
  await client.initialize({ capabilities: { elicitation: {} } });
  const forms = () => client.lines.filter((line) => line.includes("elicitation/create")).length;
  let answer: ToolAnswer;
  let typed: unknown = null;
  if (call.confirm === "none") {
    answer = await trial.request(client);
    assertEquals(forms(), 0, "nobody is asked");
  } else {
    const live = await byForm(trial, client);
    typed = nameToType(world);
    assertEquals(typeof typed === "string", call.confirm === "type");
    // A sample tries the one with one third of the commands, and the other with another.
    if (third([trial], shareOf(trial) + 1).length > 0) await byToken(trial, client, live);
    if (third([trial], shareOf(trial)).length > 0) await byPerson(trial);
    if (third([trial], shareOf(trial) + 2).length > 0) await byReturn(trial, client);
    const content = call.confirm === "type" ? { name: typed } : { confirm: true };
    const consent = { action: "accept", content };
    if (shareOf(trial) % 2 === 0) {
      const state = await askedInAnswer(trial, client);
      answer = await returned(trial, client, state, consent);
    } else {
      const pending = trial.request(client);
      await client.respond(await client.asked("elicitation/create"), consent);
      answer = await pending;
    }
  }
  assert(!answer.isError, answer.text);
  assertConsent(trial, "elicitation");
  if (answer.data["status"] === "queued") {
    const run = await client.finished(String(answer.data["run_id"]));
    assertEquals(run["status"], "success", JSON.stringify(run));
  }
  await changed(trial);
}
