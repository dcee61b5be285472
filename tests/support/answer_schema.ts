/**
 * Checks answers against the schemas that are published for them.
 *
 * @module
 */

import { Ajv2020 } from "ajv/dist/2020.js";

const read = (name: string): Promise<Record<string, unknown>> =>
  Deno.readTextFile(new URL(`../../schemas/${name}.schema.json`, import.meta.url)).then(JSON.parse);

/** What is wrong with an answer according to `schemas/envelope.schema.json`; null when nothing is. */
export async function answerChecker(): Promise<(answer: unknown) => string | null> {
  const ajv = new Ajv2020({ strict: false });
  const check = ajv.compile(await read("envelope"));
  const action = ajv.compile(await read("suggested_action"));
  return (answer) => {
    if (!check(answer)) return ajv.errorsText(check.errors);
    const { suggested_actions: actions } = answer as { suggested_actions: unknown[] };
    return actions.every((one) => action(one)) ? null : ajv.errorsText(action.errors);
  };
}
