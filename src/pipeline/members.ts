/**
 * What a schema says about each of its members, read from zod's own definitions: much cheaper than making
 * a JSON Schema, which a command line would have to do for every call.
 */

import type { InputSchema } from "../contract/mod.ts";

interface Member {
  readonly name: string;
  readonly type: "boolean" | "string" | "integer" | "array";
  readonly description: string;
  /** The values of a closed set; empty for open ones. */
  readonly choices: readonly string[];
  /** The default, or undefined without one. */
  readonly fallback: unknown;
}

/** The part of a zod schema that is looked at (zod 4, `schema.def` and `schema.description`). */
interface Definition {
  readonly description?: string | undefined;
  readonly def: {
    readonly type: string;
    readonly innerType?: Definition;
    readonly defaultValue?: unknown;
    readonly entries?: Readonly<Record<string, string | number>>;
  };
}

const TYPES: Readonly<Record<string, Member["type"]>> = {
  boolean: "boolean",
  number: "integer",
  array: "array",
};

function member(name: string, schema: Definition): Member {
  let description = schema.description ?? "";
  let fallback: unknown;
  let inner = schema;
  while (inner.def.innerType !== undefined) {
    if (inner.def.type === "default") fallback = inner.def.defaultValue;
    inner = inner.def.innerType;
    description ||= inner.description ?? "";
  }
  return {
    name,
    type: TYPES[inner.def.type] ?? "string",
    description,
    choices: Object.values(inner.def.entries ?? {}).map(String),
    fallback,
  };
}

/** The members of an object schema in the order they were written. */
export function membersOf(schema: InputSchema): Member[] {
  return Object.entries(schema.shape).map(([name, inner]) =>
    member(name, inner as unknown as Definition)
  );
}
