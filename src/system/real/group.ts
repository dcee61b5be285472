/**
 * Starts programs in process groups of their own.
 *
 * When the runtime makes a group, it copies itself to do something between that and the program, which takes it twice
 * as long as starting a program otherwise, and nothing else is started meanwhile. Where the system has `setsid`, that
 * makes the group instead, and then becomes the program, under the same number.
 *
 * @module
 */

import { isAbsolute, join } from "@std/path";
import type { ProcessRequest } from "../mod.ts";

/** Where a program was last found, by what it was looked for. */
const FOUND = new Map<string, string>();

function isProgram(path: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(path);
    return isFile && ((mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** Where a program is that is called by its name; null where it is nowhere, or the search depends on the directory. */
function find(name: string, path: string): string | null {
  const key = `${path}\0${name}`;
  const known = FOUND.get(key);
  if (known !== undefined && isProgram(known)) return known;
  for (const directory of path.split(":")) {
    if (!isAbsolute(directory)) return null;
    const file = join(directory, name);
    if (!isProgram(file)) continue;
    FOUND.set(key, file);
    return file;
  }
  return null;
}

/** Whether the program of a request is there, so that `setsid` has nothing to complain about. */
function isThere({ command, env, clearEnv }: ProcessRequest): boolean {
  if (command.includes("/")) return isAbsolute(command) && isProgram(command);
  const given = env?.["PATH"];
  const path = given === undefined && clearEnv !== true ? Deno.env.get("PATH") : given;
  return typeof path === "string" && find(command, path) !== null;
}

/** What to start so that the program of a request gets a process group of its own, whose number is that of the process. */
export function inOwnGroup(
  request: ProcessRequest,
): { readonly command: string; readonly args: string[]; readonly detached: boolean } {
  const { command, args } = request;
  const setsid = Deno.build.os === "linux" ? find("setsid", Deno.env.get("PATH") ?? "") : null;
  return setsid !== null && isThere(request)
    ? { command: setsid, args: ["--", command, ...args], detached: false }
    : { command, args: [...args], detached: true };
}
