/** Every setting with what applies and who says so. */

import { AmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import { type Setting, SETTINGS } from "./declared.ts";
import type { EngineSetting } from "./engines.ts";
import type { HostSetting } from "./hosts.ts";
import { decide, type SettingsFile } from "./load.ts";

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
