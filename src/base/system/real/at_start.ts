/** What is asked of the world before the rest of it is loaded, and light for that. */

import type { Clock, Environment } from "../mod.ts";
import { basename, dirname, isAbsolute, join, resolve } from "@std/path";

/** The clock of this machine. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
    }),
};

/** What is at a path, as far as that can be told at once. */
type Found = "nothing" | "file" | "directory" | "else";

/** What the process was started with. */
export interface Surroundings {
  /** The variable of a name. */
  get(name: string): string | undefined;
  readonly names: readonly string[];
  /** What is at a path; a link is `else`, and so is what cannot be looked at. */
  look(path: string): Found;
  /** The directories in a directory, by name. */
  directories(path: string): readonly string[];
}

function look(path: string): Found {
  const { stackTraceLimit } = Error;
  // What is never shown need not be traced back, which takes longer than the look.
  Error.stackTraceLimit = 0;
  try {
    const { isFile, isDirectory } = Deno.lstatSync(path);
    return isFile ? "file" : isDirectory ? "directory" : "else";
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "nothing" : "else";
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function directories(path: string): readonly string[] {
  try {
    return [...Deno.readDirSync(path)].filter((entry) => entry.isDirectory).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** What this process was started with. */
export function surroundings(): Surroundings {
  const variables = Deno.env.toObject();
  return { get: (name) => variables[name], names: Object.keys(variables), look, directories };
}

// Whether a program needs all permissions for the places that it is told of.

/** Variables that name places of ours, or of the user's. */
const PLACES = /^(?:HOME|TMPDIR|AMOF_|XDG_)/;
/** What is no place for files, and what everybody may reach. */
const PLAIN = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd|pts)(?:\/|$)/;

/** Where a path leads; what is not there yet lies where its directory leads. */
function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/**
 * Whether the working directory, an argument or a variable names a place below `/dev`, such as `/dev/shm`. The
 * runtime forbids such places to a program that has given up any permission.
 */
export function liesInDevices(
  args: readonly string[],
  env: Readonly<Record<string, string>> = Deno.env.toObject(),
): boolean {
  if (Deno.build.os !== "linux") return false;
  const variables = Object.entries(env)
    .filter(([name]) => PLACES.test(name)).map(([, value]) => value);
  const words = args.map((word) => word.replace(/^--?[\w-]+=/, "").replace(/^file:\/\//, ""));
  return [Deno.cwd(), ...variables, ...words].some((text) => {
    const place = realPath(resolve(text));
    return place.startsWith("/dev/") && !PLAIN.test(place);
  });
}

// Where programs are when `PATH` does not say so: hosts with a window start servers with an empty or a short one (MCP-15).

/** The variable that names places in the place of the usual ones. */
const VARIABLE = "AMOF_PATH";

/** The directories in which git usually is on a system. */
export function usualPlaces(
  platform: Environment["platform"],
  get: (name: string) => string | undefined,
): readonly string[] {
  if (platform !== "windows") {
    return ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin"];
  }
  const roots = [
    get("ProgramW6432"),
    get("ProgramFiles"),
    ...[get("LOCALAPPDATA")].map((root) => root && `${root}\\Programs`),
  ];
  return [...new Set(roots)].flatMap((root) => root ? [`${root}\\Git\\cmd`] : []);
}

function holds(directory: string, file: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(join(directory, file));
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}

/**
 * Puts the usual places, or those that `AMOF_PATH` names, behind the directories of `PATH` where none of these holds
 * git. It holds for this process and all that it starts.
 */
export function completePath(): void {
  const platform = Deno.build.os === "windows" ? "windows" : "linux";
  const [separator, file] = platform === "windows" ? [";", "git.exe"] : [":", "git"];
  const get = (name: string) => Deno.env.get(name);
  const directories = (text: string | undefined) => (text ?? "").split(separator).filter(Boolean);
  const path = directories(get("PATH"));
  if (path.some((directory) => isAbsolute(directory) && holds(directory, file))) return;
  const own = get(VARIABLE);
  const places = own === undefined ? usualPlaces(platform, get) : directories(own);
  const more = places.filter((place) => isAbsolute(place) && !path.includes(place));
  if (more.length > 0) Deno.env.set("PATH", [...path, ...more].join(separator));
}
