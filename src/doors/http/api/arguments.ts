/** The arguments of a command, out of the path, the query and the body of a request. */

import { inputJsonSchema, type JsonSchema } from "../../../pipeline/json_schema.ts";
import type { Command } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { type Fields, fieldsOf, isObject } from "../../../base/object.ts";
import type { Clock } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { readBody } from "../body.ts";
import type { Route } from "./table.ts";

function wrong(message: string, hint?: string): AmofError {
  return new AmofError("invalid_arguments", message, hint === undefined ? {} : { hint });
}

const schemas = new Map<string, Promise<Readonly<Record<string, JsonSchema>>>>();

/** The JSON Schemas of a command's members, by name. */
function membersOf(command: Command): Promise<Readonly<Record<string, JsonSchema>>> {
  let known = schemas.get(command.name);
  if (known === undefined) {
    known = inputJsonSchema(command).then(({ properties }) =>
      fieldsOf(properties) as Readonly<Record<string, JsonSchema>>
    );
    schemas.set(command.name, known);
  }
  return known;
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
export async function argumentsOf(
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
