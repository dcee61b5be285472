/**
 * The JSON Schemas of the files of a config repo that people write (PACK-3, PACK-58, PACK-67).
 *
 * @module
 */

import { type JsonSchema, toJsonSchema } from "../../../contract/json_schema.ts";
import { hooksSchema } from "../shared/hook_schema.ts";
import { policySchema } from "./policy.ts";
import { describedConfigSchema } from "./schema.ts";

const DIALECT = { $schema: "https://json-schema.org/draft/2020-12/schema" };

/** The file with the schema of `agentpack.yaml` that `init` puts beside it. */
export const SCHEMA_FILE = "agentpack.schema.json";

/** The schema of `agentpack.yaml`. */
export async function configJsonSchema(): Promise<JsonSchema> {
  const z = await import("../../../contract/zod.ts");
  return {
    ...DIALECT,
    title: "agentpack.yaml in a config repo",
    ...await toJsonSchema(describedConfigSchema(z)),
  };
}

/** The schema of `agentpack.org.yaml`. */
export async function policyJsonSchema(): Promise<JsonSchema> {
  const z = await import("../../../contract/zod.ts");
  return {
    ...DIALECT,
    title: "agentpack.org.yaml in a config repo",
    ...await toJsonSchema(policySchema(z)),
  };
}

/** The schema of the file of a module of type `hook`. */
export async function hookJsonSchema(): Promise<JsonSchema> {
  const z = await import("../../../contract/zod.ts");
  return {
    ...DIALECT,
    title: "hook.json of a module",
    ...await toJsonSchema(hooksSchema(z)),
  };
}
