/** Reads the user file (SETTING-2, SETTING-3). */

import { isAbsolute, join } from "@std/path";
import { isObject } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import { layoutOf } from "../../base/system/layout.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/words.ts";
import { aliasProblem, checkValue, type SettingsProblem } from "./check.ts";
import { type Setting, settingNamed, SETTINGS } from "./declared.ts";
import { engineProblem } from "./engines.ts";
import { hostProblem } from "./hosts.ts";

/** Longer files are no settings. */
const MAX_BYTES = 256 * 1024;

/** The file as it is. */
export interface SettingsFile {
  /** Absolute. */
  readonly path: string;
  /** Null where there is no file. */
  readonly text: string | null;
  /** The values that can be used, by the name of the setting. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What keeps the file from being used. */
  readonly errors: readonly SettingsProblem[];
  /** What is passed over: settings that this version does not know. */
  readonly warnings: readonly SettingsProblem[];
}

/** Where the user file is, absolute. Throws `invalid_arguments` where nothing says that. */
export function settingsPath({ env }: Pick<System, "env">): string {
  const named = env.get("AMOF_CONFIG");
  if (named === undefined || named === "") return join(layoutOf(env).config, "config.yaml");
  if (isAbsolute(named)) return named;
  throw new AmofError(
    "invalid_arguments",
    `Cannot use AMOF_CONFIG "${cleanLine(named, 100)}": it is not an absolute path`,
    { hint: "Write the whole path of the file, or unset AMOF_CONFIG" },
  );
}

/** What is wrong before anybody looked for the line. */
interface Finding {
  readonly at: readonly string[];
  readonly message: string;
}

/** What is wrong with the members of a setting that has some. */
function problemsWithin({ kind, name }: Setting, value: Record<string, unknown>): Finding[] {
  if (kind === "aliases") {
    return Object.entries(value).flatMap(([word, line]) => {
      const message = aliasProblem(word, line);
      return message === null ? [] : [{ at: [name, word], message }];
    });
  }
  if (kind !== "engines" && kind !== "hosts") return [];
  const problemOf = kind === "engines" ? engineProblem : hostProblem;
  return Object.entries(value).flatMap(([called, described]) => {
    const problem = problemOf(called, described);
    if (problem === null) return [];
    const { member, message } = problem;
    return [{ at: [name, called, ...(member === null ? [] : [member])], message }];
  });
}

/** The settings of a text, with what is wrong with it. */
export async function checkSettings(
  text: string,
  home: string | null,
): Promise<Pick<SettingsFile, "values" | "errors" | "warnings">> {
  const nothing = { values: {}, warnings: [] };
  const whole = (message: string) => ({ ...nothing, errors: [{ name: "", line: null, message }] });
  if (text.length > MAX_BYTES) return whole("the file is too long for settings");
  if (text.trim() === "") return { ...nothing, errors: [] };
  let document: unknown;
  try {
    const { parse } = await import("@std/yaml");
    document = parse(text);
  } catch (error) {
    const { syntaxError } = await import("./lines.ts");
    return { ...nothing, errors: [syntaxError(text, String(error))] };
  }
  // A file of comments alone holds nothing.
  if (document === null || document === undefined) return { ...nothing, errors: [] };
  if (!isObject(document)) {
    return whole("the file must hold settings, each as NAME: VALUE");
  }
  const values: Record<string, unknown> = {};
  const wrong: Finding[] = [];
  const unknown: Finding[] = [];
  for (const [name, value] of Object.entries(document)) {
    const setting = settingNamed(name);
    if (setting === undefined) {
      const near = didYouMean(name, SETTINGS.map((each) => each.name));
      const message = near === null ? "there is no such setting" : `did you mean "${near}"?`;
      unknown.push({ at: [name], message });
      continue;
    }
    // A name without a value, as a template has it, sets nothing.
    if (value === null) continue;
    const checked = checkValue(setting, value, home);
    if ("problem" in checked) {
      wrong.push({ at: [name], message: checked.problem });
      continue;
    }
    values[name] = checked.value;
    wrong.push(...problemsWithin(setting, value as Record<string, unknown>));
  }
  if (wrong.length + unknown.length === 0) return { values, errors: [], warnings: [] };
  const { located } = await import("./lines.ts");
  return { values, errors: located(text, wrong), warnings: located(text, unknown) };
}

/** Reads and checks the file. A file that cannot be read has that as its error. */
export async function readSettings(
  system: Pick<System, "env" | "files">,
): Promise<SettingsFile> {
  const path = settingsPath(system);
  let text: string | null;
  try {
    text = await system.files.readText(path);
  } catch (error) {
    const { ioErrorFacts, ioErrorWords } = await import("../../base/io_error.ts");
    const facts = ioErrorFacts(error);
    if (facts === null || !(error instanceof Error)) throw error;
    const message = ioErrorWords(error, facts);
    return {
      path,
      text: null,
      values: {},
      errors: [{ name: "", line: null, message }],
      warnings: [],
    };
  }
  if (text === null) return { path, text, values: {}, errors: [], warnings: [] };
  return { path, text, ...await checkSettings(text, system.env.home) };
}
