/**
 * Whether a value is valid for a setting, be it written in the file, in the environment or behind a command. If
 * it is not, says so in words.
 */

import { isAbsolute, join } from "@std/path";
import { isObject } from "../../base/object.ts";
import { shownValue } from "../../base/text/sanitize.ts";
import { splitWords } from "../../base/text/shells.ts";
import { didYouMean, list, meantText } from "../../base/text/words.ts";
import type { Setting } from "./declared.ts";
import { ENGINE_NAME } from "./engines.ts";

/** Something wrong in the file. */
export interface SettingsProblem {
  /** The setting, such as `aliases.st`; empty for the file as a whole. */
  readonly name: string;
  /** From 1; null for the file as a whole. */
  readonly line: number | null;
  readonly message: string;
}

/** "line 3: color must be auto, always or never, not 7": a problem in one line. */
export function problemLine({ name, line, message }: SettingsProblem): string {
  const what = name === "" ? message : `${name}${/^did/.test(message) ? ";" : ""} ${message}`;
  return `${line === null ? "" : `line ${line}: `}${what}`;
}

/** A value that passed, or what is wrong with it, to stand behind the setting's name. */
type Checked =
  | { readonly value: string | number | readonly string[] | Readonly<Record<string, string>> }
  | { readonly problem: string };

/** What a word must look like to stand for a command line. */
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

function directory(value: unknown, home: string | null): Checked {
  if (typeof value !== "string" || value === "") {
    return { problem: `must be a directory, not ${shownValue(value)}` };
  }
  if (home !== null && (value === "~" || value.startsWith("~/"))) {
    return { value: join(home, value.slice(1)) };
  }
  return isAbsolute(value)
    ? { value }
    : { problem: `must be an absolute path or begin with ~/, not ${shownValue(value)}` };
}

function directories(value: unknown, home: string | null): Checked {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  const paths: string[] = [];
  for (const each of all) {
    const checked = directory(each, home);
    if ("problem" in checked) {
      return { problem: checked.problem.replace("must be a directory", "must be directories") };
    }
    paths.push(String(checked.value));
  }
  return { value: paths };
}

function number(value: unknown, most: number): Checked {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most
    ? { value }
    : { problem: `must be a whole number from 1 to ${most}, not ${shownValue(value)}` };
}

function choice(value: unknown, choices: readonly string[]): Checked {
  // Editors of YAML's older version take on and off for true and false.
  const word = typeof value === "boolean" && choices.includes("on")
    ? (value ? "on" : "off")
    : value;
  if (typeof word === "string" && choices.includes(word)) return { value: word };
  const near = typeof word === "string" ? didYouMean(word, choices) : null;
  return {
    problem: `must be ${list(choices, "or")}, not ${shownValue(value)}${meantText(near)}`,
  };
}

function command(value: unknown): Checked {
  const off = value === false ? "off" : value;
  if (typeof off !== "string" || off.trim() === "") {
    return { problem: `must be a command, not ${shownValue(value)}` };
  }
  const words = splitWords(off);
  return words === null
    ? { problem: `has a quote that is never closed: ${shownValue(off)}` }
    : { value: off.trim() };
}

/** What is wrong with one alias, or null. */
export function aliasProblem(name: string, line: unknown): string | null {
  if (!ALIAS.test(name)) {
    return "must be one word of letters, digits, - and _";
  }
  if (typeof line !== "string" || line.trim() === "") {
    return `must be a command line, not ${shownValue(line)}`;
  }
  const words = splitWords(line);
  if (words === null) return `has a quote that is never closed: ${shownValue(line)}`;
  if (words[0] === "amof") return `begins with amof: write ${shownValue(words.slice(1).join(" "))}`;
  return words[0] === name ? "stands for itself" : null;
}

function name(value: unknown): Checked {
  return typeof value === "string" && ENGINE_NAME.test(value)
    ? { value }
    : { problem: `must be a name, not ${shownValue(value)}` };
}

/** Members that are judged one by one. */
function members(value: unknown, what: string): Checked {
  if (!isObject(value)) return { problem: `must be ${what}, not ${shownValue(value)}` };
  return { value: value as Readonly<Record<string, string>> };
}

/** Checks one value; `home` is what ~ means. Aliases, engines and hosts are looked at one by one
 * by {@linkcode aliasProblem}, `engineProblem` and `hostProblem`. */
export function checkValue(setting: Setting, value: unknown, home: string | null): Checked {
  switch (setting.kind) {
    case "directory":
      return directory(value, home);
    case "directories":
      return directories(value, home);
    case "number":
      return number(value, setting.most ?? Number.MAX_SAFE_INTEGER);
    case "choice":
      return choice(value, setting.choices ?? []);
    case "command":
      return command(value);
    case "name":
      return name(value);
    case "engines":
      return members(value, "names with their engines");
    case "hosts":
      return members(value, "names of hosts with their limits");
    case "aliases":
      return members(value, "words with their command lines");
  }
}

/** A value as it is written outside of the file: numbers are digits there, and several directories have `:` between. */
export function fromText(setting: Setting, text: string): unknown {
  if (setting.kind === "directories" && text.includes(":")) return text.split(":");
  return setting.kind === "number" && /^\d{1,15}$/.test(text) ? Number(text) : text;
}
