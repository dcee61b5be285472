/**
 * Starts programs in process groups of their own.
 *
 * When the runtime makes a group, it copies itself to do something between that and the program, which takes it twice
 * as long as starting a program otherwise, and nothing else is started meanwhile. Where the system has `setsid`, that
 * makes the group instead, and then becomes the program, under the same number; until it has, the program is in the
 * group of this one.
 */

import { isAbsolute, join } from "@std/path";
import type { ProcessRequest } from "../mod.ts";

/** Where a program was last found, by what it was looked for. */
const FOUND = new Map<string, string>();

/** Files that are programs of the machine and not scripts, with what would be different of others in their place. */
const KNOWN = new Map<string, string>();
/** How many programs the first line of one may lead to. */
const MOST_INTERPRETERS = 4;

/** The program that reads a script, as its first line names it; null where that names none. */
function interpreterOf(path: string): string | null {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(256);
  const length = file.readSync(bytes) ?? 0;
  return /^#![ \t]*([^ \t\n]*)/.exec(new TextDecoder().decode(bytes.subarray(0, length)))?.[1] ??
    null;
}

/** Whether a file can be started, as far as can be seen. */
function isProgram(path: string, depth = 0): boolean {
  try {
    const { isFile, mode, ino, size, mtime } = Deno.statSync(path);
    if (!isFile || ((mode ?? 0) & 0o111) === 0) return false;
    const stamp = `${ino} ${size} ${mtime?.getTime()}`;
    if (KNOWN.get(path) === stamp) return true;
    const interpreter = interpreterOf(path);
    if (interpreter === null) {
      KNOWN.set(path, stamp);
      return true;
    }
    return depth < MOST_INTERPRETERS && isAbsolute(interpreter) &&
      isProgram(interpreter, depth + 1);
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

/**
 * What to start so that the program of a request gets a process group of its own, whose number is that of the process.
 * `search` is where `setsid` may be, as in PATH.
 */
export function inOwnGroup(
  request: ProcessRequest,
  search: string = Deno.env.get("PATH") ?? "",
): { readonly command: string; readonly args: string[]; readonly detached: boolean } {
  const { command, args } = request;
  const setsid = Deno.build.os === "linux" ? find("setsid", search) : null;
  return setsid !== null && isThere(request)
    ? { command: setsid, args: ["--", command, ...args], detached: false }
    : { command, args: [...args], detached: true };
}

/**
 * What to start so that a program gets a process group of its own and none of ours for a parent: a host may end all that
 * descends from its server. Its number is printed. Null where the system has no way to do so.
 */
export function withoutParent(
  request: ProcessRequest,
  search: string = Deno.env.get("PATH") ?? "",
): { readonly command: string; readonly args: string[] } | null {
  const { command, args } = request;
  const setsid = Deno.build.os === "linux" ? find("setsid", search) : null;
  if (setsid === null || !isThere(request)) return null;
  // Who writes to a pipe that nobody reads any more is ended by it.
  const words = ["/bin/sh", "-c", 'echo $$; exec "$@" >/dev/null 2>&1', "sh", command, ...args];
  return { command: setsid, args: ["--fork", "--", ...words] };
}
