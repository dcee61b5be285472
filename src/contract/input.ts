/** The arguments of a command, as a schema that zod is handed to, and as JSON Schema. */

import type { output, ZodObject, ZodRawShape } from "zod";
import type * as z from "./zod.ts";

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

function trim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trim);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([key, item]) =>
    key !== "$schema" &&
    !(["minimum", "maximum"].includes(key) && Math.abs(Number(item)) === Number.MAX_SAFE_INTEGER)
  );
  return Object.fromEntries(entries.map(([key, item]) => [schemaKey(key), trim(item)]));
}

/** The JSON Schema of a zod schema, as a caller writes the value: members with a default are optional. */
export async function toJsonSchema(schema: InputSchema): Promise<JsonSchema> {
  const z = await import("./zod.ts");
  return trim(z.toJSONSchema(schema, { io: "input" })) as JsonSchema;
}

/** `--all`, to spread into the input of a command whose table folds. Other readers are always told everything. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function foldingInput(z: ZodNamespace) {
  return {
    all: onlyTyped(z.boolean().optional().describe("Show every row, also what is well")),
  };
}

/**
 * The zod namespace. It is handed to `input` instead of imported, so that declaring a command costs
 * nothing until its arguments are read.
 */
export type ZodNamespace = typeof z;
/** The input schema of a command: a strict object. */
export type InputSchema = ZodObject;
/** The input as a command declares it: its members, or an object where these depend on each other. */
export type DeclaredInput = ZodRawShape | InputSchema;
/** The validated input of what is declared. */
export type InputOf<S extends DeclaredInput> = S extends InputSchema ? output<S>
  : S extends ZodRawShape ? output<ZodObject<S>>
  : never;

/** A declaration whose input is the schema that its members make: it takes no others. */
export function withSchema<T extends { readonly input: (z: ZodNamespace) => DeclaredInput }>(
  declared: T,
): Omit<T, "input"> & { readonly input: (z: ZodNamespace) => InputSchema } {
  const input = (z: ZodNamespace): InputSchema => {
    const given = declared.input(z);
    return typeof given["safeParse"] === "function"
      ? given as InputSchema
      : z.strictObject(given as ZodRawShape);
  };
  return { ...declared, input };
}

/** How a schema says that a member can only be given on the command line, by a person. */
const ONLY_TYPED = "x-only";

/** How a schema says that a member is accepted and not listed where every word of the list is paid for. */
const UNLISTED = "x-unlisted";

/**
 * The key of a JSON Schema that stands for a word of ours. It is a symbol, so that no schema that is shown or
 * published has a keyword that nobody else knows.
 */
export function schemaKey(word: string): string | symbol {
  return word === ONLY_TYPED || word === UNLISTED ? Symbol.for(word) : word;
}

/** Makes a member of an input one that the tool list leaves out, unless its tool is an extra one (MCP-9). */
export function unlisted<T extends { meta(meta: Record<string, unknown>): unknown }>(
  member: T,
): ReturnType<T["meta"]> {
  return member.meta({ [UNLISTED]: true }) as ReturnType<T["meta"]>;
}

/** What a member, or its JSON Schema, says under a word of ours. */
function marked(member: unknown, word: string): unknown {
  const { meta } = member as { meta?: () => Record<string, unknown> | undefined };
  return typeof meta === "function"
    ? meta.call(member)?.[word]
    : (member as Record<string | symbol, unknown>)[schemaKey(word)];
}

/** Whether a member, or its JSON Schema, is one of those. */
export function isUnlisted(member: unknown): boolean {
  return marked(member, UNLISTED) === true;
}

/** Whether a member, or its JSON Schema, is one that something else stands for by now. */
export function isDeprecated(member: unknown): boolean {
  return marked(member, "deprecated") === true;
}

/** Makes a member of an input one that is only accepted where a person types it: never over MCP (CALL-5). */
export function onlyTyped<T extends { meta(meta: Record<string, unknown>): unknown }>(
  member: T,
): ReturnType<T["meta"]> {
  return member.meta({ [ONLY_TYPED]: "cli" }) as ReturnType<T["meta"]>;
}

/** Whether a member, or its JSON Schema, is one of those. */
export function isOnlyTyped(member: unknown): boolean {
  return marked(member, ONLY_TYPED) === "cli";
}

// What a command declares that can be about every workspace of an ecosystem at once (SCOPE-5).

/** What names the base workspace where a ticket could be named; no ticket has this id. */
export const BASE = "main";

/** The member of an input that asks for every workspace. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export const allTicketsInput = (z: ZodNamespace) => ({
  all_tickets: unlisted(
    z.boolean().optional().describe("In the base workspace and in every ticket's own"),
  ),
});

/** Whether an input asks for every workspace. */
export function meansAll(input: { readonly all_tickets?: unknown }): boolean {
  return input.all_tickets === true;
}
