/** Where agentpack keeps its files (PACK-1, PACK-2), and on which machine (PACK-12). */

import { join, resolve } from "@std/path";
import type { Environment } from "../../../base/system/mod.ts";
import { expandTilde, userHome } from "../io.ts";

/** The directories and files of one home and one config repo; all absolute. */
export interface Home {
  readonly root: string;
  /** The config repo: where `agentpack.yaml`, lockfile and overlays are. */
  readonly repo: string;
  readonly config: string;
  readonly lockfile: string;
  /** Git checkouts by url and commit. */
  readonly checkouts: string;
  /** Working copies that live only as long as a command. */
  readonly scratch: string;
  readonly state: string;
  readonly snapshots: string;
  /** The lock that every change takes. */
  readonly lock: string;
  readonly events: string;
}

/** A given path as an absolute one: `~/` expanded, relative to the working directory. */
export function absolutePath(env: Environment, path: string): string {
  return resolve(env.cwd, expandTilde(path, env));
}

/** The home named by `AGENTPACK_HOME`, else `~/.agentpack`; only the config repo can be given besides. */
export function homeOf(env: Environment, repo?: string): Home {
  const named = env.get("AGENTPACK_HOME") ?? "";
  const root = named.trim() === "" ? join(userHome(env), ".agentpack") : absolutePath(env, named);
  const configRepo = repo === undefined || repo === ""
    ? join(root, "repo")
    : absolutePath(env, repo);
  const state = join(root, "state");
  return {
    root,
    repo: configRepo,
    config: join(configRepo, "agentpack.yaml"),
    lockfile: join(configRepo, "agentpack.lock.json"),
    checkouts: join(root, "cache", "git"),
    scratch: join(root, "cache", "scratch"),
    state,
    snapshots: join(state, "snapshots"),
    lock: join(state, "lock"),
    events: join(state, "logs", "events.jsonl"),
  };
}

const TRUE = ["1", "true", "yes", "y", "on"];

/** Whether writes are flushed to the disk before they count: `AGENTPACK_FSYNC`. */
export function wantsFlush(env: Environment): boolean {
  return TRUE.includes((env.get("AGENTPACK_FSYNC") ?? "").trim().toLowerCase());
}

const SOURCES = ["AGENTPACK_MACHINE_ID", "HOSTNAME", "COMPUTERNAME"];

/**
 * Lower case, with one `-` for each run of characters that are neither ASCII letters, digits, `-` nor `_`;
 * empty when nothing is left.
 */
export function normalizeMachineId(text: string): string {
  let id = "";
  for (const char of text.trim().toLowerCase()) {
    if (/^[a-z0-9_-]$/.test(char)) id += char;
    else if (!id.endsWith("-")) id += "-";
  }
  return id.replace(/^-+|-+$/g, "");
}

/** The id of this machine; a given one wins unless nothing is left of it. */
export function machineId(env: Environment, given?: string): string {
  const candidates = [given, ...SOURCES.map((name) => env.get(name))];
  for (const candidate of candidates) {
    const id = normalizeMachineId(candidate ?? "");
    if (id !== "") return id;
  }
  return normalizeMachineId(env.hostname() ?? "") || "unknown";
}
