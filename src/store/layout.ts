/**
 * Where this program keeps its own files (amof.md §1.6).
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { isAbsolute, join } from "@std/path";
import type { Environment } from "../system/mod.ts";

/** The directories of the application; all absolute. */
export interface Layout {
  readonly config: string;
  readonly data: string;
  readonly cache: string;
  readonly state: string;
  /** The database with runs, events, confirmations and the audit log. */
  readonly database: string;
}

/** `$AMOF_HOME` with fixed names below it, else the XDG directories, each with an override of its own. */
export function layoutOf(env: Environment): Layout {
  const home = absolute(env.get("AMOF_HOME"));
  const directory = (own: string, xdg: string, fallback: readonly string[], below: string) =>
    home !== null ? join(home, below) : absolute(env.get(own)) ??
      join(absolute(env.get(xdg)) ?? join(env.home, ...fallback), "amof");
  const state = directory("AMOF_STATE_HOME", "XDG_STATE_HOME", [".local", "state"], "state");
  return {
    config: directory("AMOF_CONFIG_HOME", "XDG_CONFIG_HOME", [".config"], "config"),
    data: directory("AMOF_DATA_HOME", "XDG_DATA_HOME", [".local", "share"], "share"),
    cache: directory("AMOF_CACHE_HOME", "XDG_CACHE_HOME", [".cache"], "cache"),
    state,
    database: join(state, "amof.db"),
  };
}

/** A relative value would mean another directory for every caller; the XDG rules say to ignore it. */
function absolute(value: string | undefined): string | null {
  return value !== undefined && value !== "" && isAbsolute(value) ? value : null;
}
