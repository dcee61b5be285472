/**
 * The event log as JSON values (PACK-13).
 *
 * @module
 */

/** The version of a record. */
export const SCHEMA_VERSION = 1;

/** An object of the log. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isObject(value: unknown): value is Json {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Whether a value is a text. */
export const isText = (value: unknown): value is string => typeof value === "string";
