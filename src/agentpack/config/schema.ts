/**
 * The shape of `agentpack.yaml` (PACK-3). Unknown keys pass; `null` stands for an absent value
 * wherever a map or list is expected.
 *
 * @module
 */

import type { output } from "zod";
import type { ZodNamespace } from "../../contract/mod.ts";
import { MODULE_TYPES, SCOPES } from "../names.ts";

function build(z: ZodNamespace) {
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
    metadata: z.record(z.string(), z.unknown()).nullish(),
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
export type ConfigSchema = ReturnType<typeof build>;

/** The schema of `agentpack.yaml`. */
export function configSchema(z: ZodNamespace): ConfigSchema {
  return build(z);
}

/** A configuration as it is written, after its shape was checked. */
export type RawConfig = output<ConfigSchema>;
