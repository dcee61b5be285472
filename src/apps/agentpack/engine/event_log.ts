/**
 * The event log as JSON values (PACK-13).
 *
 * @module
 */

/** The version of a record. */
export const SCHEMA_VERSION = 1;

/** Whether a value is a text. */
export const isText = (value: unknown): value is string => typeof value === "string";
