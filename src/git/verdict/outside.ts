/**
 * What answers of git depend on outside of clones: the program, the environment, and the configuration of the person and
 * the machine.
 */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { findProgram, pathDirectories } from "../../base/system/find_program.ts";
import type { ConfigKeys } from "../files/config_text.ts";

/** The same for all clones. */
export interface Outside {
  /** The environment as one text: what is not the same was another one. */
  readonly environment: string;
  /** What has to stand as it stood. */
  readonly paths: readonly string[];
  /** Files of configuration, and of attributes. */
  readonly config: readonly string[];
  readonly attributes: readonly string[];
  /** The configuration that the environment holds. */
  readonly keys: ConfigKeys;
  readonly home: string;
}

/** Variables that count besides those of git. Of `PATH` it counts which git it leads to. */
const ALSO = ["HOME", "XDG_CONFIG_HOME", "SUDO_UID"];
/** Those of git that {@linkcode ../call/client.ts} sets for each call, or that only say where it tells of itself. */
const NOT =
  /^GIT_(?:TRACE|TRACE2|PAGER|EDITOR|SEQUENCE_EDITOR|ASKPASS|SSH|AUTHOR|COMMITTER)(?:_|$)/;

/** The variables that git goes by, as one text. No process. */
function environmentText({ env }: Pick<System, "env">): string {
  const names = [
    ...env.names().filter((name) => name.startsWith("GIT_") && !NOT.test(name)),
    ...ALSO,
  ];
  return names.sort().map((name) => `${name}=${env.get(name) ?? ""}`).join("\n");
}

/** The configuration that variables hold, one by one; null where it is held in another form. */
function keysOf({ env }: Pick<System, "env">): ConfigKeys | null {
  if ((env.get("GIT_CONFIG_PARAMETERS") ?? "") !== "") return null;
  const keys = new Map<string, string[]>();
  for (let at = 0; at < Number(env.get("GIT_CONFIG_COUNT") ?? 0); at++) {
    const key = env.get(`GIT_CONFIG_KEY_${at}`) ?? "";
    // Section and name count in any case, what is between them does not.
    const known = key.replace(/^[^.]*|[^.]*$/g, (part) => part.toLowerCase());
    keys.set(known, [...keys.get(known) ?? [], env.get(`GIT_CONFIG_VALUE_${at}`) ?? ""]);
  }
  return keys;
}

/** What begins a program, and not a script that may choose another one each time. */
const PROGRAM = [0x7f, 0x45, 0x4c, 0x46];

/** Where the program lies, and where another one would be found before it; null where it is no plain program. */
async function programs(system: System): Promise<string[] | null> {
  const found = await findProgram(system, "git");
  if (found === null) return null;
  const real = await system.files.realPath(found) ?? found;
  const head = await system.files.readPiece(real, 0, PROGRAM.length);
  if (head === null || !PROGRAM.every((byte, at) => head[at] === byte)) return null;
  const before: string[] = [];
  for (const directory of pathDirectories(system)) {
    before.push(join(directory, "git"));
    if (before.at(-1) === found) break;
  }
  return [...before, real];
}

/**
 * What answers depend on outside of clones; null where that is not understood. `systemFile` says which file a git reads
 * before all others, null where nobody knows it.
 */
export async function outsideOf(
  system: System,
  systemFile: (program: string) => Promise<string | null>,
): Promise<Outside | null> {
  const { env } = system;
  const keys = keysOf(system);
  if (env.platform !== "linux" || env.home === null || keys === null) return null;
  const program = await programs(system);
  if (program === null) return null;
  const own = env.get("XDG_CONFIG_HOME") || join(env.home, ".config");
  const isSet = (name: string) => /^(?:1|true|yes|on)$/i.test(env.get(name) ?? "");
  const machine = isSet("GIT_CONFIG_NOSYSTEM")
    ? []
    : [env.get("GIT_CONFIG_SYSTEM") ?? await systemFile(program.at(-1) ?? "")];
  const given = env.get("GIT_CONFIG_GLOBAL");
  const config = [
    ...machine,
    ...given === undefined ? [join(own, "git", "config"), join(env.home, ".gitconfig")] : [given],
  ];
  if (!config.every((path) => path !== null && path.startsWith("/"))) return null;
  const files = config.filter((path): path is string => path !== null && path !== "/dev/null");
  const [machineFile] = machine;
  const attributes = [
    ...typeof machineFile === "string" ? [machineFile.replace(/[^/]*$/, "gitattributes")] : [],
    join(own, "git", "attributes"),
  ];
  return {
    environment: environmentText(system),
    paths: [...program, ...files, ...attributes, join(own, "git", "ignore")],
    config: files,
    attributes,
    keys,
    home: env.home,
  };
}
