/** The settings that apply to this process. */

import { isAbsolute, join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { layoutOf } from "../../base/system/layout.ts";
import type { Environment, System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { aliasProblem, checkValue, fromText, problemLine, type SettingsProblem } from "./check.ts";
import { type Color, type Setting, settingNamed, SETTINGS } from "./declared.ts";
import { engineProblem, type EngineSetting, hostProblem, type HostSetting } from "./engines.ts";
import { isObject } from "../../base/object.ts";
import { didYouMean } from "../../base/text/words.ts";
import { splitWords } from "../../base/text/shells.ts";

// Reads the user file (SETTING-2, SETTING-3).

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

// What the settings say once everybody was asked: the environment before the user file (SETTING-1).

/** The settings that apply to one process; flags of a command line count before all of them. */
export interface Settings {
  /** The control repository of last resort, absolute; null for none. */
  readonly root: string | null;
  readonly jobs: number | null;
  readonly color: Color | null;
  readonly nextSteps: boolean;
  /** How the editor is called; null for the one that git would open. */
  readonly editor: string | null;
  /** How the pager is called, or "off"; null for the usual one. */
  readonly pager: string | null;
  /** Seconds one transfer may take; null for as long as it makes progress. */
  readonly timeout: number | null;
  /** Seconds without progress after which a transfer is given up; null for the usual ones. */
  readonly stallTimeout: number | null;
  /** Whether git is not asked again about clones in which nothing has changed. */
  readonly verdicts: boolean;
  /** Whether a person is told that something waits for them. */
  readonly notify: boolean;
  /** Whether only a passkey approves what waits for a person. */
  readonly passkeyOnly: boolean;
  /** Whether agents are never run without a box. */
  readonly boxAlways: boolean;
  /** What boxes have of the network: never any, what is asked for, or all unless it is declined. */
  readonly boxNetwork: "none" | "ask" | "full";
  /** Absolute paths that a person opens and closes in every box. */
  readonly boxPaths: {
    readonly hide: readonly string[];
    readonly show: readonly string[];
    readonly write: readonly string[];
  };
  /** Whether, for how long, for how many runs and on how much of the disk runs can be undone. */
  readonly undo: {
    readonly on: boolean;
    readonly days: number;
    readonly runs: number;
    readonly mb: number;
  };
  /** The engine that is meant where none is named; null for nobody's choice. */
  readonly engine: string | null;
  /** Engines by their names. */
  readonly engines: Readonly<Record<string, EngineSetting>>;
  /** What git hosts take, by their names. */
  readonly hosts: Readonly<Record<string, HostSetting>>;
  /** Command lines by the word that stands for them. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** The settings of somebody who never set anything. */
export const NO_SETTINGS: Settings = {
  root: null,
  jobs: null,
  color: null,
  nextSteps: true,
  editor: null,
  pager: null,
  timeout: null,
  stallTimeout: null,
  verdicts: true,
  notify: true,
  passkeyOnly: false,
  boxAlways: false,
  boxNetwork: "ask",
  boxPaths: { hide: [], show: [], write: [] },
  undo: { on: true, days: 14, runs: 50, mb: 2000 },
  engine: null,
  engines: {},
  hosts: {},
  aliases: {},
};

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
): { readonly value: unknown; readonly source: "environment" | "file" } | null {
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

// Which pager and which editor a person gets (SETTING-6, SETTING-11).

/**
 * The argument vector of the editor, behind which the files or directories to open are put; null where there is none.
 *
 * In order: `AMOF_EDITOR`, the setting `editor`, and what git would open from the working directory: `GIT_EDITOR`,
 * `core.editor`, `VISUAL`, `EDITOR`, at a terminal vi. A shell reads what people wrote there, as git lets it.
 */
export async function editorCommand(
  system: System,
  settings: Pick<Settings, "editor">,
): Promise<readonly string[] | null> {
  const { env } = system;
  const editor = settings.editor ?? await gitEditor(system);
  if (editor === null) return null;
  return env.platform === "windows"
    ? editor.split(/\s+/).filter((word) => word !== "")
    : ["sh", "-c", `${editor} "$@"`, editor];
}

/** The editor that git would start; null where it would start none, or one that nobody named where no terminal is. */
async function gitEditor(system: System): Promise<string | null> {
  const { env, terminal } = system;
  const set = (name: string) => env.get(name)?.trim() || null;
  const dumb = ["", "dumb"].includes(env.get("TERM") ?? "");
  // `vi` is used only at a real terminal: elsewhere it would wait for keys that never come.
  const usual = dumb || !terminal.stdinIsTerminal || !terminal.stdoutIsTerminal ? null : "vi";
  const configured = async () => {
    const { Git } = await import("../../git/mod.ts");
    return await new Git(system).at(env.cwd).configured("core.editor");
  };
  return set("GIT_EDITOR") ?? await configured() ?? (dumb ? null : set("VISUAL")) ??
    set("EDITOR") ?? usual;
}

/** Ways to say that there shall be none. */
const NONE = ["", "off", "cat"];

/**
 * The argument vector of the pager, started without a shell; null where there shall be none.
 *
 * In order: `AMOF_PAGER`, the setting `pager`, `PAGER`, less. A terminal that cannot move its cursor has none.
 */
export function pagerCommand(
  env: Environment,
  { pager }: Pick<Settings, "pager">,
): readonly string[] | null {
  if (env.get("AMOF_PAGER") === "" || ["", "dumb"].includes(env.get("TERM") ?? "")) return null;
  const named = pager ?? env.get("PAGER");
  if (named === undefined) return ["less", "-FRX"];
  if (NONE.includes(named.trim())) return null;
  const words = splitWords(named);
  return words === null || words.length === 0 ? null : words;
}
