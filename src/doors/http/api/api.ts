/** The HTTP API: commands at routes, and what is told as it happens (SERVER-8 to SERVER-11). */

import type { App } from "../../../pipeline/app.ts";
import type { Outcome } from "../../../pipeline/envelope.ts";
import { findCommand } from "../../../pipeline/registry.ts";
import type { Command, Known } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { type Fields, fieldsOf, isObject } from "../../../base/object.ts";
import { findRun } from "../../../commands/runs/which.ts";
import { list } from "../../../base/text/words.ts";
import { type Asking, json, readBody, type Routes } from "../core.ts";
import { type CarryOut, clientOf, type HttpCaller } from "../call.ts";
import { Streams } from "./streams.ts";
import { API, CHANGES_PATH, OPENAPI_PATH, type Route, ROUTES, STREAM_PATH } from "./table.ts";
import { inputJsonSchema, type JsonSchema } from "../../../pipeline/json_schema.ts";
import type { Clock } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";

function wrong(message: string, hint?: string): AmofError {
  return new AmofError("invalid_arguments", message, hint === undefined ? {} : { hint });
}

const schemas = new Map<string, Promise<Readonly<Record<string, JsonSchema>>>>();

/** The JSON Schemas of a command's members, by name. */
function membersOf(command: Command): Promise<Readonly<Record<string, JsonSchema>>> {
  return schemas.getOrInsertComputed(command.name, async () => {
    const { properties } = await inputJsonSchema(command);
    return fieldsOf(properties) as Readonly<Record<string, JsonSchema>>;
  });
}

/** The value that a text of a query stands for; a text that cannot be one stays, for the command to refuse. */
function valueOf(text: string, type: unknown): unknown {
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const isNumber = type === "integer" || type === "number";
  return isNumber && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** The arguments of a query: a list repeats its name, anything else stands once. */
function fromQuery(query: URLSearchParams, members: Readonly<Record<string, JsonSchema>>): Fields {
  const args: Record<string, unknown> = Object.create(null);
  for (const name of new Set(query.keys())) {
    const given = query.getAll(name);
    const { type, items } = Object.hasOwn(members, name) ? members[name] ?? {} : {};
    if (type === "array") {
      args[name] = given.map((text) => valueOf(text, fieldsOf(items)["type"]));
    } else if (given.length > 1) {
      throw wrong(`Cannot use ${cleanLine(name, 60)} twice in one query`);
    } else args[name] = valueOf(given[0] ?? "", type);
  }
  return args;
}

/** The JSON object of a body; none for an empty one. */
async function fromBody(request: Request, clock: Clock): Promise<Fields> {
  const text = await readBody(request, clock);
  if (text.trim() === "") return {};
  // Only a program sends this type, or a page of this server: forms of other sites cannot.
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw wrong(
      "Cannot read the body: its type is not application/json",
      'Send a JSON object with the header "Content-Type: application/json"',
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong("Cannot read the body: it is no valid JSON", "Send a JSON object");
  }
  if (!isObject(value)) {
    throw wrong("Cannot read the body: it is no JSON object", "Send the arguments as its members");
  }
  return value;
}

/** Takes out the members that only say which route is meant; throws where one says something else. */
function withoutWords(args: Fields, says: Readonly<Record<string, string>>): Fields {
  const rest = { ...args };
  for (const [name, value] of Object.entries(says)) {
    if (rest[name] !== value) throw wrong(`Cannot do that: ${name} must be "${value}"`);
    delete rest[name];
  }
  return rest;
}

/** What a request to a route calls its command with; `path` are the members that stand in the path. */
async function argumentsOf(
  { route, command, path, request, clock }: {
    readonly route: Route;
    readonly command: Command;
    readonly path: Fields;
    readonly request: Request;
    readonly clock: Clock;
  },
): Promise<Fields> {
  const { searchParams } = new URL(request.url);
  const posted = route.method === "POST";
  if (posted && searchParams.size > 0) {
    throw wrong("Cannot use a query here", "Send the arguments in the body, as a JSON object");
  }
  const given = posted
    ? withoutWords(await fromBody(request, clock), route.says ?? {})
    : fromQuery(searchParams, await membersOf(command));
  const twice = Object.keys(path).find((name) => Object.hasOwn(given, name));
  if (twice !== undefined) throw wrong(`Cannot use ${twice} here: it stands in the path`);
  return { ...given, ...path };
}

/** With one more call at work the next is refused (SERVER-12). */
const MAX_CALLS = 256;

/** What every answer has, whatever a route leaves out. */
const ALWAYS = [
  "_context",
  "summary",
  "error",
  "message",
  "http",
  "category",
  "hint",
  "details",
  "suggested_actions",
];

interface Api {
  readonly app: App;
  readonly carryOut: CarryOut;
  /** Who all are that hold the server's token. */
  readonly program: Pick<HttpCaller, "owner" | "sessionId">;
  /** Aborted when the server ends. */
  readonly ending: AbortSignal;
}

/** Whether a command has a route: those are suggested, and only those are confirmed. */
export function hasRoute({ name }: Known): boolean {
  return ROUTES.some(({ tool }) => tool === name);
}

/** Who calls, for one request. */
function callerOf(
  program: Api["program"],
  asking: Asking,
  request: Request,
  signal: AbortSignal,
): HttpCaller {
  return asking.kind === "person"
    ? {
      owner: `person:${asking.session.id}`,
      sessionId: asking.session.id,
      client: `${asking.session.user}@web`,
      signal,
    }
    : { ...program, client: clientOf(request.headers), signal };
}

/** The answer to a call: 202 where a run was only started (SERVER-9). */
function answerOf({ envelope, isError, runId }: Outcome, only?: readonly string[]): Response {
  const body = only === undefined ? envelope : Object.fromEntries(
    Object.entries(envelope).filter(([name]) => only.includes(name) || ALWAYS.includes(name)),
  );
  if (isError) return json(body, Number(envelope["http"]) || 400);
  if (runId === null) return json(body);
  return json({ task_id: runId, ...body }, 202, { location: `${API}/runs/${runId}` });
}

/** The path of a route as Hono writes it. */
function pattern(path: string): string {
  return `${API}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
}

/** Behind which event a reader goes on: as the header of the standard says, else the query; null from the beginning. */
function resumed(request: Request, name: string, form: RegExp): string | null {
  const { searchParams } = new URL(request.url);
  const given = request.headers.get("last-event-id") ?? searchParams.get(name);
  if (given === null || form.test(given)) return given;
  throw new AmofError("invalid_arguments", "Cannot go on there: that is no id of an event", {
    hint: `Leave ${name} and Last-Event-ID out to begin at the beginning`,
  });
}

/** The calls of the API, of which so many are worked on at once. */
class Calls {
  readonly #api: Api;
  #open = 0;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Carries out the call of a route; throws `state_busy` where too many are under way. */
  async answer(
    route: Route,
    command: Command,
    { path, request, asking }: {
      readonly path: Fields;
      readonly request: Request;
      readonly asking: Asking;
    },
  ): Promise<Response> {
    const { app, carryOut, program, ending } = this.#api;
    const { clock } = app.system;
    const args = await argumentsOf({ route, command, path, request, clock });
    if (this.#open >= MAX_CALLS) {
      throw new AmofError("state_busy", `Cannot work on more than ${MAX_CALLS} calls at once`, {
        hint: "Repeat it in a moment",
      });
    }
    this.#open++;
    try {
      // A change goes on when its client disconnects, because the client cannot know how far it got.
      const signal = command.kind === "query" ? AbortSignal.any([request.signal, ending]) : ending;
      const by = callerOf(program, asking, request, signal);
      return answerOf(await carryOut({ command, args, by }), route.only);
    } finally {
      this.#open--;
    }
  }
}

/** The error of a method that the path of a route does not take. */
function notThere(
  methods: readonly string[],
  { method, path }: { readonly method: string; readonly path: string },
): AmofError {
  return new AmofError("route_not_found", `There is no route ${method} ${path.slice(0, 200)}`, {
    hint: `This path takes ${list(methods, "and")}`,
    details: { methods },
  });
}

/** The routes of the API. */
export function apiRoutes(api: Api): Routes {
  const { app } = api;
  const streams = new Streams(app, api.ending);
  const calls = new Calls(api);
  return (http) => {
    http.get(pattern(STREAM_PATH), async ({ req }) => {
      const after = resumed(req.raw, "after", /^\d{1,15}$/);
      const { run_id: id = "" } = req.param() as Readonly<Record<string, string>>;
      const store = await app.store();
      return await streams.ofRun(findRun(store.runs, id).runId, Number(after ?? 0));
    });
    http.get(
      pattern(CHANGES_PATH),
      ({ req }) => streams.ofChanges(resumed(req.raw, "since", /^[\d.-]{1,200}$/)),
    );
    http.get(`${API}${OPENAPI_PATH}`, async () => {
      const { openApi } = await import("./openapi.ts");
      return json(await openApi());
    });
    for (const route of ROUTES) {
      const command = findCommand(route.tool);
      if (command === null) throw new TypeError(`There is no command ${route.tool}`);
      http.on(
        route.method,
        pattern(route.path),
        async ({ req, env }) =>
          calls.answer(route, await command.load(), {
            path: req.param(),
            request: req.raw,
            asking: env.asking,
          }),
      );
    }
    for (const path of new Set(ROUTES.map((route) => route.path))) {
      const methods = ROUTES.filter((route) => route.path === path).map(({ method }) => method);
      http.all(pattern(path), ({ req }) => {
        throw notThere(methods, req);
      });
    }
  };
}
