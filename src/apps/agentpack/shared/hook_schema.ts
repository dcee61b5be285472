/**
 * The form of the file of a module of type `hook`, for its JSON Schema (PACK-67).
 *
 * @module
 */

import type { ZodNamespace } from "../../../contract/mod.ts";
import { HOOK_EVENTS, HOOK_HOSTS } from "./hook.ts";

/** The file of a module of type `hook`. */
// deno-lint-ignore explicit-module-boundary-types -- only its own construction can spell a schema's type
export function hooksSchema(z: ZodNamespace) {
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
