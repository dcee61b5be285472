/** What a call of agentpack is for: its home, its machine, its project, and the names of modules in there. */

import { dirname, join, resolve } from "@std/path";
import type { Environment, System } from "../../base/system/mod.ts";
import { expandTilde, userHome } from "./io.ts";
import { type Pack, viaGit } from "./pack.ts";
import { sha256 } from "../../base/hash.ts";

// Where agentpack keeps its files (PACK-1, PACK-2), and on which machine (PACK-12).

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
  return text.trim().toLowerCase().replace(/-?[^a-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "");
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

// Which project a call is about (PACK-11).

function shortHash(basis: string): string {
  return sha256(basis).slice(0, 16);
}

function withoutGitSuffix(url: string): string {
  return url.replace(/(?:\.git)+$/, "");
}

/**
 * The id of a project with this origin. It names directories that exist already, which is why other spellings of the
 * same origin keep ids of their own (PACK-11).
 */
export function originProjectId(origin: string): string {
  const url = withoutGitSuffix(origin.trim());
  const basis = url.startsWith("git@")
    ? url.slice("git@".length).replaceAll(":", "/")
    : url.replace(/^https?:\/\//, "");
  return shortHash(basis.toLowerCase());
}

/** The id of a project without an origin: of its root with symbolic links resolved. */
export function rootProjectId(root: string): string {
  return shortHash(root);
}

/**
 * The id that the plain https form of an origin would have, whatever its scheme, user, port and trailing
 * slashes. Null when it is the same as {@linkcode originProjectId} or the origin is a path.
 */
export function alternativeProjectId(origin: string): string | null {
  const url = origin.trim();
  const remote = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/+(.*)$/i.exec(url) ??
    /^(?:[^@/]+@)([^/:]+):(.*)$/.exec(url);
  if (remote === null || /^file:/i.test(url)) return null;
  const path = withoutGitSuffix((remote[2] ?? "").replace(/^\/+|\/+$/g, "")).replace(/\/+$/, "");
  const id = shortHash(`${remote[1] ?? ""}/${path}`.toLowerCase());
  return id === originProjectId(origin) ? null : id;
}

/** A project: a git working copy, or any directory. */
export interface Project {
  readonly root: string;
  readonly origin: string | null;
  /** Sixteen hexadecimal digits. */
  readonly id: string;
  /** The id its origin would have in another spelling, where overlays may be instead; null when the same. */
  readonly alternativeId: string | null;
  /** What its root is where files of a project do not belong, to complete "The project is …"; null for a project. */
  readonly noProject: string | null;
}

/** Why a directory is not taken for a project: every tool would read there what is meant for one. */
async function whyNoProject({ files, env }: System, root: string): Promise<string | null> {
  if (dirname(root) === root) return "the root of the file system";
  const { home } = env;
  if (home !== null) {
    const isHome = root === home || await files.realPath(root) === await files.realPath(home);
    if (isHome) return "your home directory";
  }
  return (await files.stat(root))?.kind === "directory" ? null : `"${root}", which is no directory`;
}

/** The project that holds a directory, the working directory when none is given. At most two git processes. */
export async function detectProject(pack: Pack, given?: string): Promise<Project> {
  const { env, files } = pack.system;
  const directory = given === undefined || given === "" ? env.cwd : absolutePath(env, given);
  const top = await viaGit(directory, () => pack.git.at(directory).topLevel());
  const root = top ?? directory;
  const origin = top === null ? null : await pack.git.at(top).remotes.url("origin");
  const noProject = await whyNoProject(pack.system, root);
  if (origin !== null) {
    return {
      root,
      origin,
      id: originProjectId(origin),
      alternativeId: alternativeProjectId(origin),
      noProject,
    };
  }
  const canonical = await files.realPath(root) ?? root;
  return { root, origin, id: rootProjectId(canonical), alternativeId: null, noProject };
}

// Module ids as names of directories (PACK-14).

const MAX_PREFIX = 64;

/** ASCII letters, digits, `-` and `_` stay, every other code point becomes `_`; never empty. */
export function sanitizeName(text: string): string {
  const clean = Array.from(text, (char) => /^[A-Za-z0-9_-]$/.test(char) ? char : "_").join("");
  return clean === "" ? "module" : clean;
}

function suffix(id: string): string {
  return `--${sha256(id).slice(0, 10)}`;
}

/** The directory name of a module id: at most 64 readable characters and ten digits of its hash. */
export function fsKey(id: string): string {
  return sanitizeName(id).slice(0, MAX_PREFIX) + suffix(id);
}

/** The name that older versions gave: the readable part is not cut. */
export function unboundedFsKey(id: string): string {
  return sanitizeName(id) + suffix(id);
}

/** The part of an id after its first colon, as a directory below a target's root; without a colon the id sanitised. */
export function skillName(id: string): string {
  const colon = id.indexOf(":");
  return colon < 0 ? sanitizeName(id) : id.slice(colon + 1);
}

/**
 * Why an id cannot be used, or null: its name part becomes a path, which must stay below its root, and the
 * whole becomes a line in markers (PACK-4).
 */
export function idProblem(id: string): string | null {
  if (id === "") return "it is empty";
  if (/[\0\r\n]/.test(id)) return "it holds a control character";
  const colon = id.indexOf(":");
  if (colon < 0) return null;
  const problem = relativePathProblem(id.slice(colon + 1));
  return problem === null ? null : `its name ${problem}`;
}

/** Why a text cannot be a path with `/` below a directory, to complete "it …", or null. */
export function relativePathProblem(path: string): string | null {
  if (/\p{Cc}/u.test(path)) return "holds a control character";
  if (path.includes("\\")) return "holds a backslash";
  if (/^[A-Za-z]:\//.test(path) || path.startsWith("/")) return "is an absolute path";
  return path.split("/").some((part) => part === "" || part === "." || part === "..")
    ? 'has an empty, "." or ".." part'
    : null;
}

/** Whether an id can itself be the name of one directory, which is how the oldest overlays were named. */
export function isSafeComponent(id: string, platform: "linux" | "darwin" | "windows"): boolean {
  return id !== "" && id !== "." && id !== ".." && !/[/\\\0]/.test(id) &&
    !(platform === "windows" && /[:*?"<>|]/.test(id));
}
