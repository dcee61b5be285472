/**
 * The shape of `agentpack.yaml` (PACK-3). Unknown keys pass; `null` stands for an absent value
 * wherever a map or list is expected.
 */

import type { output, ZodType } from "zod";
import type { Fields } from "../../../base/object.ts";
import type { ZodNamespace } from "../../../contract/mod.ts";
import { MODULE_TYPES, SCOPES } from "../names.ts";
import { type JsonSchema, toJsonSchema } from "../../../contract/input.ts";
import { HOOK_EVENTS, HOOK_HOSTS } from "../shared.ts";
import { policySchema } from "./policy.ts";

/** What `metadata` says to this program; files of others may say more. */
function metadataSchema(z: ZodNamespace) {
  const globs = z.union([z.string(), z.array(z.string())]);
  return z.looseObject({
    scope: z.enum(SCOPES).nullish().describe(
      "Files below the home directory only, or in the project only",
    ),
    output: z.string().nullish().describe(
      "Path below the root of the target, instead of one made of the id",
    ),
    only: z.array(z.string()).nullish().describe(
      "Outputs it is limited to, by target and option: codex.write_user_skills",
    ),
    cursor: z.looseObject({
      description: z.string().nullish().describe("What the rule is for"),
      globs: globs.nullish().describe("Files that the rule applies to"),
      alwaysApply: z.boolean().nullish().describe(
        "Whether the rule applies to every file; true when absent and there are no globs",
      ),
      file: z.string().nullish().describe("Name of the rule below .cursor/rules, ending in .mdc"),
      header: z.string().nullish().describe("Head of the rule, word for word, as imported"),
    }).nullish().describe("How Cursor gets the module as a rule"),
    windsurf: z.looseObject({
      description: z.string().nullish().describe("What the rule is for"),
      globs: globs.nullish().describe("Files that the rule applies to"),
      trigger: z.string().nullish().describe(
        "When the rule applies: always_on, glob, model_decision or manual",
      ),
      file: z.string().nullish().describe("Where the rule stands, ending in .md"),
      header: z.string().nullish().describe("Head of the rule, word for word, as imported"),
    }).nullish().describe("How Windsurf gets the module as a rule"),
    description: z.string().nullish().describe("What it is for, where its file does not say so"),
    allow_remote_program: z.boolean().nullish().describe(
      "Whether it may run programs although it comes from elsewhere",
    ),
  });
}

/** The shape with whatever stands for `metadata`: its members are judged one by one when a module is read. */
function build(z: ZodNamespace, metadata: ZodType<Fields> = z.record(z.string(), z.unknown())) {
  const texts = z.array(z.string()).nullish();
  const profile = z.looseObject({
    include_tags: texts.describe("Modules with one of these tags; none when absent"),
    include_modules: texts.describe("Modules by id, whatever their tags"),
    exclude_modules: texts.describe("Modules left out, whatever else names them"),
  }).describe("Which modules --profile NAME selects; nothing is inherited from another profile");
  const target = z.looseObject({
    mode: z.literal("files"),
    scope: z.enum(SCOPES).describe(
      "Where files are written: below the home directory, in the project, or both",
    ),
    options: z.record(z.string(), z.unknown()).nullish().describe("Options of the target"),
  });
  const source = z.looseObject({
    local_path: z.looseObject({
      path: z.string().describe("Relative to the config repo, or absolute"),
    }).nullish(),
    git: z.looseObject({
      url: z.string(),
      ref: z.string().nullish().describe("Branch, tag or commit; main when absent"),
      subdir: z.string().nullish().describe("Directory in the checkout; its root when absent"),
      shallow: z.boolean().nullish().describe("Fetch only what is needed; true when absent"),
    }).nullish(),
  });
  const module = z.looseObject({
    id: z.string().describe("Unique id such as skill:release-notes"),
    type: z.enum(MODULE_TYPES),
    enabled: z.boolean().nullish().describe("False leaves the module out everywhere"),
    tags: texts,
    targets: texts.describe("Targets the module is for; every one when empty"),
    source,
    metadata: metadata.nullish().describe("What the module is to the tools; unknown members pass"),
  });
  return z.looseObject({
    version: z.literal(1),
    profiles: z.record(z.string(), profile.nullish()).nullish().describe(
      'Profiles by name; "default" must exist and counts without --profile',
    ),
    targets: z.record(z.string(), target).nullish(),
    modules: z.array(module).nullish(),
  });
}

/** The type of the schema, which only its own construction can spell. */
type ConfigSchema = ReturnType<typeof build>;

/** The schema of `agentpack.yaml`. */
export function configSchema(z: ZodNamespace): ConfigSchema {
  return build(z);
}

/** The schema of `agentpack.yaml` for editors, which also tells what `metadata` may say. */
function describedConfigSchema(z: ZodNamespace): ConfigSchema {
  return build(z, metadataSchema(z));
}

/** A configuration as it is written, after its shape was checked. */
export type RawConfig = output<ConfigSchema>;

// The JSON Schemas of the files of a config repo that people write (PACK-3, PACK-58, PACK-67).

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
