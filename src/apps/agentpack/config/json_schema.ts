/** The JSON Schemas of the files of a config repo that people write (PACK-3, PACK-58, PACK-67). */

import { type JsonSchema, toJsonSchema } from "../../../contract/input.ts";
import type { ZodNamespace } from "../../../contract/mod.ts";
import { HOOK_EVENTS, HOOK_HOSTS } from "../shared/hook.ts";
import { policySchema } from "./policy.ts";
import { describedConfigSchema } from "./schema.ts";

/** The file of a module of type `hook`. */
function hooksSchema(z: ZodNamespace) {
  const timeout = z.number().positive().describe("How long it may take, in seconds");
  const host = z.strictObject({
    event: z.string().regex(/^\w[\w-]*$/).optional().describe("The tool's own event"),
    matcher: z.string().nullish().describe("Its own matcher; null for none"),
    entry: z.record(z.string(), z.unknown()).optional().describe("Its entry, word for word"),
  }).nullable().describe("What this tool has otherwise; null leaves the hook out of it");
  const hosts = Object.fromEntries(HOOK_HOSTS.map((name) => [name, host.optional()]));
  return z.strictObject({
    $schema: z.string().optional(),
    hooks: z.array(z.strictObject({
      event: z.enum(Object.keys(HOOK_EVENTS)).optional().describe("When it runs"),
      matcher: z.string().optional().describe("For what, as names of tools: Bash|Edit"),
      command: z.string().min(1).optional().describe(
        "What runs, in a shell; {{dir}} is the directory of the module's scripts",
      ),
      timeout: timeout.optional(),
      hosts: z.strictObject(hosts).optional(),
    })).min(1),
  });
}

const DIALECT = { $schema: "https://json-schema.org/draft/2020-12/schema" };

async function schemaOf(
  title: string,
  build: (z: ZodNamespace) => Parameters<typeof toJsonSchema>[0],
): Promise<JsonSchema> {
  const z = await import("../../../contract/zod.ts");
  return { ...DIALECT, title, ...await toJsonSchema(build(z)) };
}

/** The schema of `agentpack.yaml`. */
export function configJsonSchema(): Promise<JsonSchema> {
  return schemaOf("agentpack.yaml in a config repo", describedConfigSchema);
}

/** The schema of `agentpack.org.yaml`. */
export function policyJsonSchema(): Promise<JsonSchema> {
  return schemaOf("agentpack.org.yaml in a config repo", policySchema);
}

/** The schema of the file of a module of type `hook`. */
export function hookJsonSchema(): Promise<JsonSchema> {
  return schemaOf("hook.json of a module", hooksSchema);
}
