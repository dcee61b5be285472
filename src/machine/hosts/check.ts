/** What is wrong with the entries by which AI hosts start amof (HOST-7). */

import { isAbsolute } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import { findProgram } from "../../base/system/find_program.ts";
import type { System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { readHostFile } from "./edit.ts";
import {
  consentBy,
  factsOf,
  fittingFlags,
  handedOn,
  type Host,
  type HOST_SCOPES,
  HOSTS,
  placesOf,
  readAs,
  writtenFor,
} from "./host.ts";
import { SERVE_FLAGS } from "./serve_flags.ts";

// Entries that make a host start amof: what is written, and what of an entry that is there stays (HOST-3).

/** The servers that can be installed. */
export const SERVERS = ["amof", "agentpack", "stocktrim"] as const;

/** Whether the tools of a server have a consent of their own, and not that of the gate. */
export function hasOwnConsent(server: string): boolean {
  return server === "agentpack";
}

/** One of {@linkcode SERVERS}. */
export type Server = typeof SERVERS[number];

/** Directories of package managers, in which what is there today may be gone tomorrow. */
const PACKAGE_CACHE = /[\\/](?:node_modules|_npx|npm-cache|\.npm|\.pnpm-store|\.bun)[\\/]/i;

/**
 * What starts amof for good: a stable absolute path, or the package manager that brings it; for everybody in a project
 * its name.
 */
export async function startWords(
  system: Pick<System, "env" | "files" | "processes">,
  scope: typeof HOST_SCOPES[number] = "user",
): Promise<readonly string[]> {
  const { env, files, processes } = system;
  const self = processes.self();
  const [path = "amof", ...more] = self;
  const isPackage = env.get("AMOF_DISTRIBUTION") === "npm";
  const isBrought = isPackage || more.length === 0 && PACKAGE_CACHE.test(path);
  if (scope === "project" && !isBrought) return ["amof"];
  if (more.length > 0 && !isPackage) return self;
  if (isBrought) {
    const words = ["npx", "-y", `amof@${VERSION}`];
    // Programs that are scripts on Windows start only through its shell.
    return env.platform === "windows" ? ["cmd", "/c", ...words] : words;
  }
  // The path of a link is kept: it stays right when the next version is installed.
  const link = await findProgram(system, env.program);
  const isSame = link !== null && await files.realPath(link) === await files.realPath(path);
  return [isSame ? link : path];
}

interface Start {
  /** What starts amof. */
  readonly words: readonly string[];
  /** The control repository, for the servers that need one; null where there is none. */
  readonly root: string | null;
  /** Flags of `mcp serve`; null where the call names none. */
  readonly flags: readonly string[] | null;
  readonly env?: Readonly<Record<string, string>>;
}

function ownFlags(host: Host, server: Server): readonly string[] {
  return server === "amof" ? fittingFlags(host) : ["--toolsets", server];
}

/** The flags by which a model cannot agree to its own calls in a host (HOST-8). */
export function consentFlags(
  host: Host,
  server: string,
  given: readonly string[],
): readonly string[] {
  const decided = hasOwnConsent(server) || consentBy(host) === "form" ||
    given.some((flag) => flag === "--confirm" || flag === "--read-only");
  return decided ? [] : ["--confirm", "human"];
}

/** The entry of a server in the form of a host; `there` is what stands in its place. */
export function entryOf(host: Host, server: Server, start: Start, there: unknown): Fields {
  const [command = "amof", ...before] = start.words;
  const kept = keptOf(host, there);
  // Flags that somebody wrote may hold the server back, so they only go where the call says what it wants.
  const flags = start.flags === null
    ? kept?.flags ?? ownFlags(host, server)
    : withOwn(ownFlags(host, server), start.flags);
  const handed = handedOn(host);
  const names = [...new Set([...kept?.names ?? [], ...handed.names])];
  const root = server === "amof" && start.root !== null ? { AMOF_ROOT: start.root } : {};
  return writtenFor(host, {
    ...kept?.members,
    command,
    args: [...before, "mcp", "serve", ...flags],
    env: { ...handed.values, ...kept?.env, ...root, ...start.env },
    ...(names.length === 0 ? {} : { env_vars: names }),
  });
}

/** The flags of a call, behind those of the server, unless the call says itself which tools there are. */
function withOwn(own: readonly string[], given: readonly string[]): readonly string[] {
  const chooses = given.some((flag) => flag === "--toolsets" || flag === "--tools");
  return chooses ? given : [...own, ...given];
}

/** How an entry calls the server: the words behind `mcp serve`; null where it starts something else. */
export function serveFlags(host: Host, entry: unknown): readonly string[] | null {
  const { command, args } = readAs(host, entry);
  if (typeof command !== "string" || !Array.isArray(args)) return null;
  const words = args.map(String);
  const at = words.findIndex((word, index) =>
    (word === "serve" || word === "start") && (words[index - 1] === "mcp" || index === 0)
  );
  return at < 0 ? null : words.slice(at + 1);
}

/** What of an entry of ours stays when it is written anew; null where it is none of ours. */
function keptOf(host: Host, there: unknown): {
  readonly members: Fields;
  readonly env: Fields;
  /** The variables that the host hands on. */
  readonly names: readonly unknown[];
  readonly flags: readonly string[];
} | null {
  const flags = serveFlags(host, there);
  if (flags === null) return null;
  const { command: _, args: __, env, env_vars: names, ...members } = readAs(host, there);
  // The control repository is said by a variable, which the flag would overrule.
  const without = flags.filter((word, index) =>
    word !== "--root" && flags[index - 1] !== "--root" && !word.startsWith("--root=")
  );
  return {
    members,
    env: isObject(env) ? env : {},
    names: Array.isArray(names) ? names : [],
    flags: without,
  };
}

type World = Pick<System, "env" | "files" | "processes">;

/** An entry that starts amof, or a file that may have one. */
interface EntryCheck {
  /** "amof in Cursor". */
  readonly name: string;
  /** What is wrong, with the file; null where nothing is. */
  readonly problem: string | null;
  /** What is to be installed anew; null where it is none of our servers. */
  readonly of: { readonly host: Host; readonly server: Server; readonly isProject: boolean } | null;
}

/** Looks at the entries of a user, and at those of a project. */
export async function checkEntries(system: World, project: string): Promise<EntryCheck[]> {
  const checks: EntryCheck[] = [];
  for (const host of HOSTS) {
    const places = placesOf(host, project, system.env);
    for (const [index, path] of places.entries()) {
      const isProject = index > 0 || system.env.home === null;
      checks.push(...await checkFile(system, host, path, isProject));
    }
  }
  return checks;
}

async function checkFile(
  system: World,
  host: Host,
  path: string,
  isProject: boolean,
): Promise<EntryCheck[]> {
  const title = factsOf(host).title;
  try {
    const { table } = await readHostFile(system, path, factsOf(host).file);
    const checks: EntryCheck[] = [];
    for (const [name, written] of table.entries) {
      const entry = readAs(host, written);
      const flags = serveFlags(host, written);
      if (flags === null || !isOurs(name, entry)) continue;
      const problem = await problemOf(system, entry, flags) ?? keptBack(system, host, entry);
      checks.push({
        name: `${name} in ${title}`,
        problem: problem === null ? null : `${problem} (${path})`,
        of: isServer(name) ? { host, server: name, isProject } : null,
      });
    }
    return checks;
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    const text = await system.files.readText(path).catch(() => null);
    return text?.includes("amof") === true
      ? [{ name: `amof in ${title}`, problem: error.message, of: null }]
      : [];
  }
}

function isServer(name: string): name is Server {
  return SERVERS.some((server) => server === name);
}

/** Whether an entry of a server starts amof: by its name, or by the program. */
function isOurs(name: string, { command, args }: Fields): boolean {
  const words = [command, ...Array.isArray(args) ? args : []].map(String);
  return isServer(name) || words.some((word) => /(?:^|[\\/])amof(?:\.exe)?$|^amof@/.test(word));
}

async function problemOf(
  system: World,
  { command, args, env }: Fields,
  flags: readonly string[],
): Promise<string | null> {
  const words = Array.isArray(args) ? args.map(String) : [];
  return await programProblem(system, String(command), words) ??
    await rootProblem(system, rootOf(words) ?? fieldsOf(env)["AMOF_ROOT"]) ??
    flagProblem(flags);
}

async function programProblem(
  system: World,
  command: string,
  words: readonly string[],
): Promise<string | null> {
  const { files, processes } = system;
  const version = words.find((word) => word.startsWith("amof@"))?.slice("amof@".length);
  if (version !== undefined) {
    return version === VERSION || version === "latest"
      ? null
      : `it starts version ${version}, and this is ${VERSION}`;
  }
  const isPath = /[\\/]/.test(command);
  const path = isPath ? command : await findProgram(system, command);
  const real = path === null ? null : await files.realPath(path);
  if (real === null) {
    return `it starts ${command}, ${isPath ? "which is gone" : "which is in no directory of PATH"}`;
  }
  const [self = "", ...more] = processes.self();
  const isAmof = /[\\/]amof(?:\.exe)?$/.test(command);
  return isAmof && more.length === 0 && real !== await files.realPath(self)
    ? `it starts ${command}, and this is ${self}`
    : null;
}

/** What git needs and the host keeps from the server; null where nothing is known. */
function keptBack({ env }: World, host: Host, given: Fields): string | null {
  const { names, values } = handedOn(host);
  const there = [
    ...Array.isArray(given["env_vars"]) ? given["env_vars"].map(String) : [],
    ...Object.keys(fieldsOf(given["env"])),
  ];
  const missing = [...names, ...Object.keys(values)]
    .filter((name) => env.get(name) !== undefined && !there.includes(name));
  return missing.length === 0
    ? null
    : `${factsOf(host).title} keeps ${missing.join(", ")} of your shell from it`;
}

/** The control repository that the words name. */
function rootOf(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === "--root" || word.startsWith("--root="));
  return at < 0 ? undefined : words[at]?.split("=")[1] ?? words[at + 1];
}

async function rootProblem({ files }: World, root: unknown): Promise<string | null> {
  // What is no path of this machine is read where the host starts the server.
  if (typeof root !== "string" || !isAbsolute(root) || root.includes("$")) return null;
  if (await files.stat(root) === null) return `it is for ${root}, which is gone`;
  return await files.stat(`${root}/ecosystems`) === null
    ? `it is for ${root}, which is no control repository`
    : null;
}

function flagProblem(flags: readonly string[]): string | null {
  const unknown = flags.find((word) =>
    word.startsWith("--") && !SERVE_FLAGS.includes(word.slice(2).split("=")[0] ?? "")
  );
  return unknown === undefined
    ? null
    : `it has the flag ${unknown}, which this version does not know`;
}
