/** The user file as it begins, its JSON Schema for editors, and its text with one setting changed. */

import { type Setting, SETTINGS } from "./declared.ts";
import {
  ENGINE_NAME,
  type EngineSetting,
  enginesSchema,
  type HostSetting,
  hostsSchema,
} from "./engines.ts";
import { AmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import { decide, type SettingsFile } from "./load.ts";

/** The text with a setting set, or taken out where the value is undefined. The text must be valid YAML. */
export async function changedText(
  text: string,
  name: string,
  value: unknown,
): Promise<string> {
  const { removeEntry, setEntry } = await import("../../base/text/yaml_edit.ts");
  const [, alias] = /^aliases\.(.*)$/s.exec(name) ?? [];
  const path = alias === undefined ? [name] as const : ["aliases", alias] as const;
  return value === undefined ? removeEntry(text, path) : setEntry(text, path, value);
}

type JsonSchema = Readonly<Record<string, unknown>>;

function valueSchema({ kind, choices, most }: Setting): JsonSchema {
  switch (kind) {
    case "number":
      return { type: "integer", minimum: 1, maximum: most };
    case "choice":
      return { enum: choices };
    case "directories":
      return {
        anyOf: [
          { type: "string", minLength: 1 },
          { type: "array", items: { type: "string", minLength: 1 } },
        ],
      };
    case "name":
      return { type: "string", pattern: ENGINE_NAME.source };
    case "engines":
      return enginesSchema();
    case "hosts":
      return hostsSchema();
    case "aliases":
      return {
        type: "object",
        additionalProperties: { type: "string", minLength: 1 },
        propertyNames: { pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$" },
      };
    default:
      return { type: "string", minLength: 1 };
  }
}

/** The schema; what it does not know is a mistake to an editor, though the program passes over it. */
export function settingsJsonSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "config.yaml of a person who uses amof",
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      SETTINGS.map((setting: Setting) => [setting.name, {
        description: `${setting.help}. Otherwise: ${setting.otherwise}`,
        ...valueSchema(setting),
      }]),
    ),
  };
}

/** What a new file holds: the line that tells editors its schema, and every setting as a comment. */
export function newFile(schemaFile: string): string {
  return [
    `# yaml-language-server: $schema=${schemaFile}`,
    "# Settings of amof. See what applies: amof config list",
    ...SETTINGS.flatMap((setting: Setting) => [
      "",
      `# ${setting.help} (otherwise: ${setting.otherwise})`,
      setting.kind === "aliases"
        ? "# aliases:\n#   st: status --fetch"
        : setting.kind === "engines"
        ? "# engines:\n#   cluster:\n#     kind: slurm\n#     directory: /shared/amof"
        : setting.kind === "hosts"
        ? "# hosts:\n#   git.example.com:\n#     per_minute: 600"
        : `# ${setting.name}: ${setting.choices?.[0] ?? sampleOf(setting)}`,
    ]),
    "",
  ].join("\n");
}

function sampleOf({ name, kind }: Setting): string {
  if (kind === "directory") return "~/control";
  if (kind === "directories") {
    return name === "box_write"
      ? "[~/.claude, ~/.cache]"
      : name === "box_show"
      ? "~/.npmrc"
      : "~/private";
  }
  if (kind === "name") return "cluster";
  if (kind === "number") return name === "jobs" ? "8" : "300";
  return name === "editor" ? "code --wait" : "less -FRX";
}

// Every setting with what applies and who says so.

interface SettingRow {
  /** `color`, `aliases.st`, `engines.cluster` with its kind, `hosts.github.com` with its limits. */
  readonly name: string;
  /** Null where nothing is set. */
  readonly value: string | number | null;
  readonly source: "environment" | "file" | "default";
  /** The variable that counts before the file, or null. */
  readonly variable: string | null;
  /** What applies where nothing is set. */
  readonly otherwise: string;
  readonly help: string;
  /** What is wrong with the variable; absent where nothing is. */
  readonly problem?: string;
}

function rowsOf(system: System, file: SettingsFile, setting: Setting): SettingRow[] {
  const { name, variable = null, otherwise, help } = setting;
  const facts = { variable, otherwise, help };
  try {
    const decided = decide(system, file, setting);
    if (!["aliases", "engines", "hosts"].includes(setting.kind)) {
      const { value = null, source = "default" } = decided ?? {};
      const told = Array.isArray(value) ? value.join(":") : value as SettingRow["value"];
      return [{ name, value: told, source, ...facts }];
    }
    return Object.entries(
      (decided?.value ?? {}) as Readonly<Record<string, string | EngineSetting | HostSetting>>,
    )
      .map(([word, value]) => ({
        name: `${name}.${word}`,
        value: typeof value === "string"
          ? value
          : "kind" in value
          ? value.kind
          : Object.entries(value).map(([member, limit]) => `${member} ${limit}`).join(", "),
        source: "file",
        ...facts,
      }));
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return [{ name, value: null, source: "environment", ...facts, problem: error.message }];
  }
}

/** All settings in their order, aliases one by one. */
export function settingRows(system: System, file: SettingsFile): SettingRow[] {
  return SETTINGS.flatMap((setting) => rowsOf(system, file, setting));
}
