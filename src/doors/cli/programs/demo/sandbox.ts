/** The sandbox of a demo: one directory with all that it makes, state included. */

import { join, resolve } from "@std/path";
import { AmofError } from "../../../../base/error.ts";
import type { System } from "../../../../base/system/mod.ts";
import { textWidth } from "../../../../base/text/width.ts";

/** What the control repository of a demo is called. */
export const CONTROL = "control";
/** What the ecosystem of a demo is called. */
export const ECOSYSTEM = "shop";
/** The file that brings a shell into the sandbox. */
const ENTER = "enter.sh";

/** Where a demo takes place. */
export interface Sandbox {
  /** Absolute. */
  readonly directory: string;
  /** The control repository. */
  readonly control: string;
  /** Where commands are given once the ecosystem is installed. */
  readonly workspace: string;
  /** What they get besides the inherited environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The directory that was named, or a new temporary one; throws where something is in it. */
export async function emptyPlace(system: System, given: string | undefined): Promise<string> {
  const base = system.env.get("TMPDIR") ?? system.env.get("TEMP") ?? "/tmp";
  const directory = given === undefined
    ? join(base, `amof-demo-${system.ids.hex(8)}`)
    : resolve(system.env.cwd, given);
  if (
    (await system.files.list(directory)).length > 0 ||
    (await system.files.stat(directory))?.kind === "file"
  ) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot build the demo in "${directory}": it is not empty`,
      {
        hint: "Name an empty or new directory: amof demo DIR",
      },
    );
  }
  return directory;
}

/** Makes the directory of a sandbox; answers where it really is. */
export async function makePlace(system: System, directory: string): Promise<string> {
  await system.files.makeDirectory(directory);
  return await system.files.realPath(directory) ?? directory;
}

/** A word of a shell, whatever is in it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Writes what brings a shell into the sandbox: its state, the program that ran the demo, and the place. */
export async function writeEnter(system: System, sandbox: Sandbox): Promise<void> {
  const { directory, environment, control, workspace } = sandbox;
  const self = system.processes.self().map(quoted).join(" ");
  await system.files.write(
    join(directory, ENTER),
    [
      "# Read by a shell, this makes amof work in the sandbox of the demo.",
      ...Object.entries(environment).map(([name, value]) => `export ${name}=${quoted(value)}`),
      `amof() { ${self} "$@"; }`,
      `cd ${quoted(workspace)} 2>/dev/null || cd ${quoted(control)} 2>/dev/null || cd ${
        quoted(directory)
      }`,
      "",
    ].join("\n"),
  );
}

/** A command without quotes in lines that a shell takes as one, without a blank that was not there. */
export function toPaste(text: string, width: number): string {
  const lines: string[] = [];
  let line = "";
  let rest = text;
  while (textWidth(line + rest) > width) {
    const [unit = ""] = /^\\?[^]/u.exec(rest) ?? [];
    if (textWidth(line + unit) >= width && line !== "") {
      lines.push(line);
      line = "";
    }
    line += unit;
    rest = rest.slice(unit.length);
  }
  return [...lines, line + rest].join("\\\n");
}

/** A path as one word of a shell without quotes, within which a line could not be broken. */
export function shellPath(text: string): string {
  return text.replaceAll(/[^\w./:@%+,\u0080-\uffff-]/g, "\\$&");
}

/** How somebody goes on by hand in the sandbox, and how all of it is removed: commands to paste. */
export function byHand({ directory }: Sandbox, width: number): {
  readonly enter: string;
  readonly remove: string;
} {
  return {
    enter: toPaste(`. ${shellPath(join(directory, ENTER))}`, width),
    remove: toPaste(`rm -rf ${shellPath(directory)}`, width),
  };
}
