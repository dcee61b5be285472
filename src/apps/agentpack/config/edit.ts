/**
 * Edits `agentpack.yaml` where it stands: comments, unknown keys, and the way everything else is written stay
 * (PACK-6).
 */

import { yamlList, yamlScalar } from "../../../base/text/plain_yaml.ts";
import { type Fields, isObject } from "../../../base/object.ts";
import { noModule } from "./select.ts";
import type { ModuleSource } from "./config.ts";
import type { ModuleType } from "../names.ts";

/** A module to be added. */
export interface NewModule {
  readonly id: string;
  readonly type: ModuleType;
  readonly tags: readonly string[];
  readonly targets: readonly string[];
  readonly source: ModuleSource;
  readonly metadata?: Fields;
}

function sourceLines(source: ModuleSource): string[] {
  if (source.kind === "local") {
    return ["source:", "  local_path:", `    path: ${yamlScalar(source.path)}`];
  }
  return [
    "source:",
    "  git:",
    `    url: ${yamlScalar(source.url)}`,
    ...(source.ref === "main" ? [] : [`    ref: ${yamlScalar(source.ref)}`]),
    ...(source.subdir === "" ? [] : [`    subdir: ${yamlScalar(source.subdir)}`]),
    ...(source.shallow ? [] : ["    shallow: false"]),
  ];
}

function moduleLines(module: NewModule): string[] {
  return [
    `id: ${JSON.stringify(module.id)}`,
    `type: ${module.type}`,
    ...(module.tags.length === 0 ? [] : [`tags: ${yamlList(module.tags)}`]),
    ...(module.targets.length === 0 ? [] : [`targets: ${yamlList(module.targets)}`]),
    ...sourceLines(module.source),
    ...mappingLines({ metadata: module.metadata ?? {} }),
  ];
}

/** Members in block style, lists in one line; what is empty or nothing is left out. */
function mappingLines(members: Fields): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    if (isObject(value)) {
      const lines = mappingLines(value).map((line) => `  ${line}`);
      return lines.length === 0 ? [] : [`${name}:`, ...lines];
    }
    if (Array.isArray(value)) return [`${name}: ${yamlList(value.map(String))}`];
    return value === undefined
      ? []
      : [`${name}: ${typeof value === "string" ? yamlScalar(value) : String(value)}`];
  });
}

/** Appends modules at the end of `modules`. */
export async function addModules(text: string, modules: readonly NewModule[]): Promise<string> {
  const { appendItems } = await import("../../../base/text/yaml_edit.ts");
  return appendItems(text, "modules", modules.map(moduleLines));
}

/** Adds a profile with tags to `profiles`. */
export async function addProfile(
  text: string,
  name: string,
  includeTags: readonly string[],
): Promise<string> {
  const { appendEntry } = await import("../../../base/text/yaml_edit.ts");
  return appendEntry(text, "profiles", name, [
    `${yamlScalar(name)}:`,
    `  include_tags: ${yamlList(includeTags)}`,
  ]);
}

/**
 * Takes a module out of `modules`, with the comment lines right above it. Throws `E_CONFIG_INVALID` when
 * there is no such module.
 */
export async function removeModule(text: string, id: string): Promise<string> {
  const { removeItem } = await import("../../../base/text/yaml_edit.ts");
  const { parse } = await import("@std/yaml");
  const { modules } = parse(text) as { modules?: readonly { id?: unknown }[] };
  const index = modules?.findIndex((item) => item.id === id) ?? -1;
  if (index < 0) {
    throw noModule(id, modules?.map((item) => String(item.id)) ?? []);
  }
  return removeItem(text, ["modules", index]);
}
