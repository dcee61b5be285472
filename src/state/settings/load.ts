/** The settings that apply to this process. */

import { AmofError } from "../../base/error.ts";
import { layoutOf } from "../../base/system/layout.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { checkValue, fromText, problemLine } from "./check.ts";
import { type Color, type Setting, SETTINGS } from "./declared.ts";
import { readSettings, type SettingsFile } from "./file.ts";
import { NO_SETTINGS, type Settings } from "./values.ts";

/** The value that counts for one setting, and who said it. */
interface Decided {
  readonly value: unknown;
  readonly source: "environment" | "file";
}

/** Variables whose value is checked where it is used, as it was before there was a file. */
const CHECKED_ELSEWHERE = ["AMOF_ROOT", "AMOF_STALL_TIMEOUT"];

/** What a variable of the environment says of a setting; undefined where it is not set. Throws `invalid_arguments`. */
function fromEnvironment({ env }: Pick<System, "env">, setting: Setting): unknown {
  const { variable } = setting;
  const text = variable === undefined ? undefined : env.get(variable);
  if (variable === undefined || text === undefined || text === "") return undefined;
  if (CHECKED_ELSEWHERE.includes(variable)) return text;
  const checked = checkValue(setting, fromText(setting, text), env.home);
  if ("value" in checked) return checked.value;
  throw new AmofError(
    "invalid_arguments",
    `Cannot use ${variable}: it ${checked.problem}`,
    { hint: `Set it to something else, or unset ${variable}` },
  );
}

/** What counts for a setting: the environment before the file; null where neither says anything. */
export function decide(
  system: Pick<System, "env">,
  file: Pick<SettingsFile, "values">,
  setting: Setting,
): Decided | null {
  const said = fromEnvironment(system, setting);
  if (said !== undefined) return { value: said, source: "environment" };
  return Object.hasOwn(file.values, setting.name)
    ? { value: file.values[setting.name], source: "file" }
    : null;
}

/** The settings of a file and the environment. Throws `invalid_arguments` for a variable that says nonsense. */
function settingsOf(
  system: Pick<System, "env">,
  file: Pick<SettingsFile, "values">,
): Settings {
  const decided = new Map<string, unknown>();
  for (const setting of SETTINGS) {
    const value = decide(system, file, setting)?.value;
    if (value !== undefined) decided.set(setting.name, value);
  }
  const text = (name: string) => (decided.get(name) ?? null) as string | null;
  const number = (name: string) => (decided.get(name) ?? null) as number | null;
  const paths = (name: string) => (decided.get(name) ?? []) as readonly string[];
  const root = file.values["root"];
  return {
    // The variable names a control repository before any is searched for; the file only where none is found.
    root: typeof root === "string" ? root : null,
    jobs: number("jobs"),
    color: text("color") as Color | null,
    nextSteps: text("next_steps") !== "off",
    verdicts: text("verdicts") !== "off",
    editor: text("editor"),
    pager: text("pager"),
    timeout: number("timeout"),
    stallTimeout: decided.has("stall_timeout") ? Number(decided.get("stall_timeout")) : null,
    notify: text("notify") !== "off",
    passkeyOnly: text("approve_with") === "passkey",
    boxAlways: text("box") === "always",
    boxNetwork: (text("box_network") ?? NO_SETTINGS.boxNetwork) as Settings["boxNetwork"],
    boxPaths: { hide: paths("box_hide"), show: paths("box_show"), write: paths("box_write") },
    undo: {
      on: text("undo") !== "off",
      days: number("undo_days") ?? NO_SETTINGS.undo.days,
      runs: number("undo_runs") ?? NO_SETTINGS.undo.runs,
      mb: number("undo_mb") ?? NO_SETTINGS.undo.mb,
    },
    engine: text("engine"),
    engines: (decided.get("engines") ?? NO_SETTINGS.engines) as Settings["engines"],
    hosts: (decided.get("hosts") ?? NO_SETTINGS.hosts) as Settings["hosts"],
    aliases: (decided.get("aliases") ?? NO_SETTINGS.aliases) as Settings["aliases"],
  };
}

/** How many problems of a file one message tells. */
const MOST_PROBLEMS = 5;

/** The refusal to go on with a file that has errors. */
export function brokenSettings({ path, errors }: SettingsFile): AmofError {
  return new AmofError(
    "settings_invalid",
    `Cannot use the settings in ${cleanLine(path, 200)}: ${
      errors.slice(0, MOST_PROBLEMS).map(problemLine).join("; ")
    }${errors.length > MOST_PROBLEMS ? "; and more" : ""}`,
    {
      details: { file: path, problems: errors.map((each) => ({ ...each })) },
    },
  );
}

function hasPlace({ env }: Pick<System, "env">): boolean {
  if ((env.get("AMOF_CONFIG") ?? "") !== "") return true;
  try {
    return layoutOf(env).config !== "";
  } catch {
    return false;
  }
}

/**
 * The settings that apply. Throws `settings_invalid` where the file has errors, and `invalid_arguments` where a
 * variable has; with `lenient` whatever is wrong does not count.
 */
export async function loadSettings(
  system: Pick<System, "env" | "files">,
  { lenient = false }: { readonly lenient?: boolean } = {},
): Promise<Settings> {
  try {
    // Without a home directory there is no place for a file, and so no file.
    if (!hasPlace(system)) return settingsOf(system, { values: {} });
    const file = await readSettings(system);
    if (file.errors.length > 0 && !lenient) throw brokenSettings(file);
    return settingsOf(system, file);
  } catch (error) {
    if (lenient && error instanceof AmofError) return NO_SETTINGS;
    throw error;
  }
}

/** The world with those settings that its lower rooms read as variables. */
export function withSettings(system: System, { stallTimeout }: Settings): System {
  if (stallTimeout === null) return system;
  const get = (name: string) =>
    system.env.get(name) ?? (name === "AMOF_STALL_TIMEOUT" ? String(stallTimeout) : undefined);
  return { ...system, env: { ...system.env, get } };
}
