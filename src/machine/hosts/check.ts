/** What is wrong with the entries by which AI hosts start amof (HOST-7). */

import { isAbsolute } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { type Fields, fieldsOf } from "../../base/object.ts";
import { findProgram } from "../../base/system/find_program.ts";
import type { System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { readHostFile } from "./edit.ts";
import { serveFlags, type Server, SERVERS } from "./entry.ts";
import { handedOn, type Host, HOSTS, placesOf, readAs, serverFileOf, titleOf } from "./host.ts";
import { SERVE_FLAGS } from "./serve_flags.ts";

type World = Pick<System, "env" | "files" | "processes">;

/** An entry that starts amof, or a file that may have one. */
interface EntryCheck {
  /** "amof in Cursor". */
  readonly name: string;
  /** What is wrong, with the file; null where nothing is. */
  readonly problem: string | null;
  /** A command that mends it, or null. */
  readonly fix: string | null;
}

/** Looks at the entries of a user, and at those of a project. */
export async function checkEntries(system: World, project: string): Promise<EntryCheck[]> {
  const checks: EntryCheck[] = [];
  for (const host of HOSTS) {
    const places = placesOf(host, project, system.env);
    for (const [index, path] of places.entries()) {
      const isProject = index > 0 || system.env.home === null;
      checks.push(...await checkFile(system, host, path, isProject ? " --scope project" : ""));
    }
  }
  return checks;
}

async function checkFile(
  system: World,
  host: Host,
  path: string,
  scope: string,
): Promise<EntryCheck[]> {
  const title = titleOf(host);
  try {
    const { table } = await readHostFile(system, path, serverFileOf(host));
    const checks: EntryCheck[] = [];
    for (const [name, written] of table.entries) {
      const entry = readAs(host, written);
      const flags = serveFlags(host, written);
      if (flags === null || !isOurs(name, entry)) continue;
      const problem = await problemOf(system, entry, flags) ?? keptBack(system, host, entry);
      const server = name === "amof" ? "" : ` --server ${name}`;
      checks.push({
        name: `${name} in ${title}`,
        problem: problem === null ? null : `${problem} (${path})`,
        fix: isServer(name) ? `amof mcp install ${host}${server}${scope}` : null,
      });
    }
    return checks;
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    const text = await system.files.readText(path).catch(() => null);
    return text?.includes("amof") === true
      ? [{ name: `amof in ${title}`, problem: error.message, fix: null }]
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
    : `${titleOf(host)} keeps ${missing.join(", ")} of your shell from it`;
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
