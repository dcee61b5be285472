/** The arguments of a command, as a schema that zod is handed to. */

import type { output, ZodObject } from "zod";
import type * as z from "./zod.ts";

/**
 * The zod namespace. It is handed to `input` instead of imported, so that declaring a command costs
 * nothing until its arguments are read.
 */
export type ZodNamespace = typeof z;
/** The input schema of a command: a strict object. */
export type InputSchema = ZodObject;
/** The validated input of a schema. */
export type InputOf<S extends InputSchema> = output<S>;

/** How a schema says that a member can only be given on the command line, by a person. */
const ONLY_TYPED = "x-only";

/** How a schema says that a member is accepted and not listed where every word of the list is paid for. */
const UNLISTED = "x-unlisted";

/**
 * The key of a JSON Schema that stands for a word of ours: a symbol, which is no part of any text, so that no schema that
 * is shown or published has a keyword that nobody else knows.
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

/** Whether the JSON Schema of a member is that of one of those. */
export function isUnlisted(schema: Readonly<Record<string | symbol, unknown>>): boolean {
  return schema[schemaKey(UNLISTED)] === true;
}

/** Makes a member of an input one that is only accepted where a person types it: never over MCP (CALL-5). */
export function onlyTyped<T extends { meta(meta: Record<string, unknown>): unknown }>(
  member: T,
): ReturnType<T["meta"]> {
  return member.meta({ [ONLY_TYPED]: "cli" }) as ReturnType<T["meta"]>;
}

/** Whether a member, or its JSON Schema, is one of those. */
export function isOnlyTyped(member: unknown): boolean {
  const { meta } = member as { meta?: () => Record<string, unknown> | undefined };
  return typeof meta === "function"
    ? meta.call(member)?.[ONLY_TYPED] === "cli"
    : (member as Record<string | symbol, unknown>)[schemaKey(ONLY_TYPED)] === "cli";
}
