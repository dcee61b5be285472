/**
 * JSON Schemas in words, and the members that they have.
 *
 * @module
 */

import { isObject } from "../../../src/base/object.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A member of a schema with where it stands. */
export interface Member {
  /** `repos[].name`, `tasks.NAME.run`. */
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** An object as it is; an empty one for anything else. */
export function asObject(value: unknown): Schema {
  return isObject(value) ? value : {};
}

/** The type of a value in words: `list of texts`, `merge or rebase`. */
export function typeOf(schema: Schema): string {
  const { type, enum: choices, anyOf, items } = schema;
  if ("const" in schema) return String(schema["const"]);
  if (Array.isArray(choices)) return choices.map(String).join(", ");
  if (Array.isArray(anyOf)) {
    return [...new Set(anyOf.map((each) => typeOf(asObject(each))))].join(" or ");
  }
  if (type === "array") return items === undefined ? "list" : `list: ${typeOf(asObject(items))}`;
  if (type === "object") return "mapping";
  if (type === "boolean") return "true or false";
  if (type === "integer" || type === "number") return bounded(schema);
  return type === "string" ? "text" : "anything";
}

function bounded({ minimum, maximum }: Schema): string {
  if (typeof minimum === "number" && typeof maximum === "number") return `${minimum} to ${maximum}`;
  return typeof minimum === "number" ? `number from ${minimum}` : "number";
}

/** The description of a member, without what it says about its absence. */
export function meaningOf({ description }: Schema): string {
  return String(description ?? "").replace(/; [^;]*? when absent$/, "");
}

/** What applies where a member is absent, if its description says it. */
export function absentOf({ description }: Schema): string {
  return /; ([^;]*?) when absent$/.exec(String(description ?? ""))?.[1] ?? "";
}

/** Every member of a schema and of what lies below, in order, without those of nested anything. */
export function membersOf(schema: Schema, prefix = ""): Member[] {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(asObject(schema["properties"])).flatMap(([name, value]) => {
    const member = asObject(value);
    const path = `${prefix}${name}`;
    return [{ path, schema: member, required: required.includes(name) }, ...below(member, path)];
  });
}

function below(schema: Schema, path: string): Member[] {
  if (isObject(schema["properties"])) return membersOf(schema, `${path}.`);
  const kinds = [schema["items"], ...alternativesOf(schema["items"])].filter(isObject);
  const item = kinds.find((kind) => isObject(kind["properties"]));
  if (item !== undefined) return membersOf(item, `${path}[].`);
  const values = schema["additionalProperties"];
  return isObject(values) && isObject(values["properties"])
    ? membersOf(values, `${path}.NAME.`)
    : [];
}

function alternativesOf(schema: unknown): readonly unknown[] {
  const { anyOf } = asObject(schema);
  return Array.isArray(anyOf) ? anyOf : [];
}
