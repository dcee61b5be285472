/** Reads the YAML of other tools, with every value as the text it is written as: a version `1.10` stays one. */

import { type Fields, isObject } from "../../base/object.ts";
import { boundedYaml } from "../manifest/document.ts";
import { problemText } from "../manifest/problem.ts";
import { unreadable } from "./imported.ts";

/** The mapping or list a text holds. Throws `invalid_arguments`. */
export async function yamlOf(text: string, shown: string): Promise<Fields | readonly unknown[]> {
  const read = await boundedYaml(text, { schema: "failsafe" });
  if ("problems" in read) {
    const [first] = read.problems;
    throw unreadable(shown, first === undefined ? "it is no YAML" : problemText(first));
  }
  const { value } = read;
  if (Array.isArray(value)) return value as readonly unknown[];
  if (isObject(value)) return value;
  throw unreadable(shown, "it holds neither a mapping nor a list");
}

/** Whether a value means yes. */
export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(?:true|yes|on)$/i.test(value));
}
