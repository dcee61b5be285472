/** Where this program keeps its own files (STATE-1). */

import { isAbsolute, join } from "@std/path";
import { AmofError } from "../error.ts";
import type { Environment } from "./mod.ts";

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
