/** Changes the user file, for the programs that do (SETTING-8). */

import { dirname, isAbsolute, join, resolve } from "@std/path";
import type { ProgramContext } from "../../pipeline/line/program.ts";
import { AmofError } from "../../base/error.ts";
import {
  aliasProblem,
  brokenSettings,
  checkSettings,
  checkValue,
  fromText,
  problemLine,
  readSettings,
  type Setting,
  settingNamed,
  SETTINGS,
  type SettingsFile,
} from "../../state/settings/mod.ts";
import { changedText, settingsJsonSchema } from "../../state/settings/changing.ts";
import { layoutOf } from "../../base/system/layout.ts";
import type { System } from "../../base/system/mod.ts";
import { takeTurn } from "../../base/system/turn.ts";
import { patch } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { splitWords } from "../../base/text/shells.ts";
import { didYouMean, list, meantText } from "../../base/text/words.ts";
import { answerWith } from "./answer.ts";

/** The schema that lies beside a new file. */
export const SCHEMA_FILE = "settings.schema.json";

/** A setting as it is named on the command line: `color`, `aliases.st`. */
interface Named {
  readonly setting: Setting;
  readonly name: string;
  /** The word of an alias; null for other settings. */
  readonly word: string | null;
}

/** The setting of a name; throws `invalid_arguments`. */
export function named(name: string): Named {
  const [first = "", ...rest] = name.split(".");
  const setting = settingNamed(first);
  const word = rest.length > 0 ? rest.join(".") : null;
  if (setting !== undefined && (word === null) === (setting.kind !== "aliases")) {
    return { setting, name, word };
  }
  if (setting?.kind === "aliases") {
    throw new AmofError("invalid_arguments", `Cannot use "${first}" as a whole: name one of them`, {
      hint: ["See them: amof config list", "Name one: aliases.WORD"],
    });
  }
  const names = SETTINGS.map((each) => each.name);
  throw new AmofError(
    "invalid_arguments",
    `Cannot find the setting "${cleanLine(name, 60)}"${meantText(didYouMean(first, names))}`,
    { hint: [`There are ${list(names)}`, "See them: amof config list"] },
  );
}

/** A value as it is written into the file; throws `invalid_arguments`. */
export function valueFor(
  ctx: ProgramContext,
  { setting, name, word }: Named,
  text: string,
): unknown {
  const { env } = ctx.app.system;
  const refused = (problem: string) =>
    new AmofError("invalid_arguments", `Cannot set ${name}: it ${problem}`, {
      hint: "See what it can be: amof config list --help",
    });
  if (word !== null) {
    const problem = aliasProblem(word, text);
    if (problem !== null) throw refused(problem);
    const line = splitWords(text) ?? [];
    if (isTaken(ctx, word)) {
      throw refused(`would stand for a command that amof has: ${word}`);
    }
    const unknown = ctx.unknown(line);
    if (unknown === null) return text.trim();
    throw new AmofError("invalid_arguments", `Cannot set ${name}: ${unknown.message}`, {
      hint: "An alias stands for a command of amof, not for another alias: amof --help",
    });
  }
  // A shell's working directory is known now and means nothing later.
  const given = setting.kind === "directory" && !/^~(?:\/|$)/.test(text) && !isAbsolute(text)
    ? resolve(env.cwd, text)
    : text;
  const value = fromText(setting, given);
  const checked = checkValue(setting, value, env.home);
  if ("problem" in checked) throw refused(checked.problem);
  return value;
}

/** Writes the file where it really lies, which a link may lead to, with the permissions it has. */
export async function writeSettings(
  { files }: System,
  { path, text: before }: Pick<SettingsFile, "path" | "text">,
  text: string,
): Promise<void> {
  const real = await files.realPath(path) ?? path;
  const mode = (await files.stat(real))?.mode ?? null;
  await files.write(real, text, mode === null ? {} : { mode: mode & 0o777 });
  const schema = join(dirname(path), SCHEMA_FILE);
  if (before !== null || await files.stat(schema) !== null) return;
  await files.write(schema, `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`);
}

/** What is passed over in a file, one line each: settings that nobody knows, and aliases that never come to count. */
export function notes(
  { unknown }: Pick<ProgramContext, "unknown">,
  { warnings, values }: Pick<SettingsFile, "warnings" | "values">,
): string[] {
  const aliases = Object.entries((values["aliases"] ?? {}) as Readonly<Record<string, unknown>>);
  return [
    ...warnings.map(problemLine),
    ...aliases.flatMap(([word, line]) => {
      if (isTaken({ unknown }, word)) return [`aliases.${word}: a command has that name already`];
      const wrong = unknown(splitWords(String(line)) ?? []);
      return wrong === null ? [] : [`aliases.${word}: ${wrong.message}`];
    }),
  ].map((note) => `Passed over: ${note}`);
}

/** Whether amof has a command that begins with a word. */
function isTaken({ unknown }: Pick<ProgramContext, "unknown">, word: string): boolean {
  return word === "help" || unknown([word]) === null;
}

/**
 * Sets a setting, or takes it out where the value is undefined; answers the exit code. Two at once take turns, so that
 * neither writes over what the other has just written.
 */
export async function changeSetting(
  ctx: ProgramContext,
  setting: Named,
  value: unknown,
): Promise<number> {
  const { system } = ctx.app;
  const lock = await takeTurn(system, join(layoutOf(system.env).state, "settings.lock"));
  try {
    return await change(ctx, setting, value);
  } finally {
    await lock?.release();
  }
}

async function change(
  ctx: ProgramContext,
  { name }: Named,
  value: unknown,
): Promise<number> {
  const { system } = ctx.app;
  const file = await readSettings(system);
  // A wrong setting can be mended by setting it; a file that cannot be parsed cannot.
  if (file.errors.some((error) => error.name === "")) throw brokenSettings(file);
  const { unifiedDiff } = await import("../../base/text/diff/unified.ts");
  const start = file.text ?? `# yaml-language-server: $schema=${SCHEMA_FILE}\n`;
  const text = await changedText(start, name, value);
  const changed = text !== start;
  const act = (ctx.flags.mode ?? "execute") === "execute";
  if (changed && act) await writeSettings(system, file, text);
  const after = await checkSettings(text, system.env.home);
  const would = act ? "" : "Would ";
  const verb = value === undefined ? (act ? "Unset" : "unset") : act ? "Set" : "set";
  return answerWith(ctx, {
    summary: changed
      ? `${would}${verb} ${name}.`
      : value === undefined
      ? `There is no ${name} to unset.`
      : `${name} says that already.`,
    details: [
      ...(changed
        ? [patch(unifiedDiff(file.text ?? "", text, file.path, file.path).trimEnd())]
        : []),
      ...after.errors.map((error) => `Still wrong: ${problemLine(error)}`),
      ...notes(ctx, after),
    ],
    data: { name, value: value ?? null, file: file.path, changed, written: changed && act },
  });
}
