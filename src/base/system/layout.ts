/** Where this program keeps its own files (STATE-1). */

import { isAbsolute, join } from "@std/path";
import { AmofError } from "../error.ts";
import type { Environment, System } from "./mod.ts";

/** The directories of the application; all absolute. */
export interface Layout {
  readonly config: string;
  readonly data: string;
  readonly cache: string;
  readonly state: string;
  /** The database with runs, events, confirmations and the audit log. */
  readonly database: string;
}

/**
 * `$AMOF_HOME` with fixed names below it, else the XDG directories, each with an override of its own. To
 * read one for which nothing names an absolute directory throws `invalid_arguments`: the working directory is no
 * place for it.
 */
export function layoutOf(env: Environment): Layout {
  const home = absolute(env.get("AMOF_HOME"));
  const directory = (own: string, xdg: string, fallback: readonly string[], below: string) =>
    home !== null ? join(home, below) : absolute(env.get(own)) ??
      join(absolute(env.get(xdg)) ?? join(homeOf(env), ...fallback), "amof");
  return {
    get config() {
      return directory("AMOF_CONFIG_HOME", "XDG_CONFIG_HOME", [".config"], "config");
    },
    get data() {
      return directory("AMOF_DATA_HOME", "XDG_DATA_HOME", [".local", "share"], "share");
    },
    get cache() {
      return directory("AMOF_CACHE_HOME", "XDG_CACHE_HOME", [".cache"], "cache");
    },
    get state() {
      return directory("AMOF_STATE_HOME", "XDG_STATE_HOME", [".local", "state"], "state");
    },
    get database() {
      return join(this.state, "amof.db");
    },
  };
}

function homeOf(env: Environment): string {
  if (env.home !== null) return env.home;
  throw new AmofError(
    "invalid_arguments",
    "Cannot tell where amof keeps its runs and settings: HOME is not set to an absolute path",
    { hint: "Set HOME, or AMOF_HOME to an absolute directory" },
  );
}

/** A relative value would mean another directory for every caller; the XDG rules say to ignore it. */
function absolute(value: string | undefined): string | null {
  return value !== undefined && value !== "" && isAbsolute(value) ? value : null;
}

// Programs and errors name whole paths. Whoever sits at the machine may need them; who calls from elsewhere learns by
// them how the machine is laid out, and can do nothing there.

/** Stands for the way to a place of this program's own. */
const ELSEWHERE = "…";

/** What finds the places in the texts of a world; null where it has none. */
const PATTERNS = new WeakMap<System["env"], RegExp | null>();

const PARTS = ["config", "data", "cache", "state"] as const;

function placeOf(layout: Layout, part: typeof PARTS[number]): string[] {
  try {
    return [layout[part]];
  } catch {
    // Without a home directory these places are unknown, so none is named.
    return [];
  }
}

/** A path as a pattern that does not mind which separator it is written with. */
function patternOf(path: string): string {
  return path.split(/[\\/]+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\\\/]");
}

function finder(system: System): RegExp | null {
  return PATTERNS.getOrInsertComputed(system.env, (env) => {
    const layout = layoutOf(env);
    const places = PARTS.flatMap((part) => placeOf(layout, part))
      // One may lie in another.
      .toSorted((a, b) => b.length - a.length).map(patternOf);
    return places.length === 0
      ? null
      : new RegExp(`(?<![\\w.-])(?:${places.join("|")})(?![\\w.-])`, "g");
  });
}

/** The same text with the ways to places of this program's own left out. */
export function withoutOwnPlaces(system: System, text: string): string {
  const pattern = finder(system);
  return pattern === null ? text : text.replace(pattern, ELSEWHERE);
}

/** A copy of a JSON value in which no text names them. */
function valueWithout(system: System, value: unknown): unknown {
  if (typeof value === "string") return withoutOwnPlaces(system, value);
  if (Array.isArray(value)) return value.map((item) => valueWithout(system, item));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, valueWithout(system, item)]),
  );
}

/** The same error for who does not sit at this machine. */
export function forOthers(system: System, error: AmofError): AmofError {
  const { code, message, hint, details, exit, cause } = error;
  return new AmofError(code, withoutOwnPlaces(system, message), {
    hint: withoutOwnPlaces(system, hint),
    details: Object.fromEntries(
      Object.entries(details).map(([name, value]) => [name, valueWithout(system, value)]),
    ),
    exit,
    cause,
  });
}

// What the temporary files of this program are called and where they lie, so that whoever finds one knows whose it is.

/** The directory inside a git directory in which files of that working copy are prepared. */
export const STAGING = "amof";

/** The file in {@linkcode STAGING} by which processes take turns in a repository. */
export const TURN_LOCK = "turn.lock";

const STAGED = /^(\d+)-[0-9a-f-]{36}$/;
const BESIDE = /^\.amof-(\d+)-[0-9a-f-]{36}\.tmp$/;

/** The number of the process that made a temporary file, told by its name; null for any other file. */
export function writerOf(name: string, where: "staged" | "beside"): number | null {
  const pid = (where === "staged" ? STAGED : BESIDE).exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

/** The pathspec of temporary files that had to lie beside their targets. */
export const BESIDE_PATHS = ":(top,glob)**/.amof-*.tmp";

/** What git must leave out of every commit: the same files. */
export const NEVER_COMMITTED = ":(exclude,top,glob)**/.amof-*.tmp";
