/**
 * Looks up what a box has to hide, show and guard on this machine. It also lists what no program gets to see of
 * a person's home unless the person allows it (BOX-3).
 */

import { dirname, join } from "@std/path";
import type { Layout } from "../../state/store/mod.ts";
import { isBelow } from "../../base/paths.ts";
import type { ProcessRequest, System } from "../../base/system/mod.ts";

// What a program in the box may do where: rules for places, of which the closest one counts (BOX-2).

/**
 * What a rule allows below its place: nothing, not even to see what is there; to read; to read and write. `private` is
 * a directory of the box's own that takes the place of what is there.
 */
type Access = "none" | "read" | "write" | "private";

/** A rule for a place and everything below it, as far as no closer rule says otherwise. */
export interface Rule {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly kind: "directory" | "file";
  readonly access: Access;
}

/** What applies to a path where no rule but those of `rules` counts; a path without one can be read. */
export function accessTo(rules: readonly Rule[], path: string): Access {
  let closest: Rule | null = null;
  for (const rule of rules) {
    if (!isBelow(rule.path, path)) continue;
    if (closest === null || rule.path.length >= closest.path.length) closest = rule;
  }
  return closest?.access ?? "read";
}

/**
 * The rules in the order in which mounts have to be made: places before what lies in them. Of several rules for
 * one place the last counts. A rule that repeats the access of the place around it is left out.
 */
export function settledRules(rules: readonly Rule[]): readonly Rule[] {
  const last = new Map(rules.map((rule) => [rule.path, rule]));
  const settled: Rule[] = [];
  // A path sorts before every path that it begins.
  for (const rule of [...last.values()].toSorted((a, b) => a.path < b.path ? -1 : 1)) {
    if (rule.access === "private" || accessTo(settled, rule.path) !== rule.access) {
      settled.push(rule);
    }
  }
  return settled;
}

/** Directories and files below the home directory, on any system. */
const ANYWHERE: readonly string[] = [
  ".1password",
  ".ICEauthority",
  ".Xauthority",
  ".aws",
  ".azure",
  ".bash_history",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".colima",
  ".config/1Password",
  ".config/Bitwarden",
  ".config/Bitwarden CLI",
  ".config/BraveSoftware",
  ".config/age",
  ".config/chromium",
  ".config/containers/auth.json",
  ".config/doctl",
  ".config/gcloud",
  ".config/gh",
  ".config/git/credentials",
  ".config/glab-cli",
  ".config/google-chrome",
  ".config/google-chrome-beta",
  ".config/hub",
  ".config/keepassxc",
  ".config/microsoft-edge",
  ".config/op",
  ".config/opera",
  ".config/rclone",
  ".config/sops",
  ".config/tea",
  ".config/vivaldi",
  ".docker",
  ".gem/credentials",
  ".git-credentials",
  ".gnupg",
  ".gradle/gradle.properties",
  ".kube",
  ".lima",
  ".local/share/fish/fish_history",
  ".local/share/gnupg",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".local/share/password-store",
  ".m2/settings-security.xml",
  ".m2/settings.xml",
  ".mozilla",
  ".my.cnf",
  ".mysql_history",
  ".netrc",
  ".node_repl_history",
  ".npmrc",
  ".nuget/NuGet/NuGet.Config",
  ".password-store",
  ".pgpass",
  ".pki",
  ".psql_history",
  ".pypirc",
  ".python_history",
  ".rd",
  ".s3cfg",
  ".ssh",
  ".terraform.d",
  ".terraformrc",
  ".thunderbird",
  ".var/app",
  ".vault-token",
  ".yarnrc.yml",
  ".zsh_history",
  "snap",
];

/** What macOS keeps besides. */
const DARWIN: readonly string[] = [
  "Library/Application Support/1Password",
  "Library/Application Support/BraveSoftware",
  "Library/Application Support/Firefox",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Microsoft Edge",
  "Library/Containers",
  "Library/Cookies",
  "Library/Group Containers",
  "Library/Keychains",
  "Library/Mail",
  "Library/Messages",
  "Library/Safari",
];

/** The paths below the home directory that are hidden unless a person shows them. */
function credentials(platform: "linux" | "darwin" | "windows"): readonly string[] {
  return platform === "darwin" ? [...ANYWHERE, ...DARWIN] : ANYWHERE;
}

/** How much of the network a program in the box has. */
export const NETWORKS = ["none", "full"] as const;
/** One of {@linkcode NETWORKS}. */
export type Network = typeof NETWORKS[number];

/** What a person opens and closes in every box; absolute paths. */
interface BoxPaths {
  /** Nothing of them is seen. */
  readonly hide: readonly string[];
  /** They can be read although they are among what is hidden. */
  readonly show: readonly string[];
  /** They can be written. */
  readonly write: readonly string[];
}

/** What a box is wanted for. */
export interface BoxWish {
  /** The directory that programs in it may write to, and begin in; absolute. */
  readonly directory: string;
  /** What in it they may only read. */
  readonly guarded: readonly string[];
  /**
   * Directories of which only these entries are seen, also when others are added while the box is in use; whatever a
   * person opens.
   */
  readonly curtains: readonly { readonly directory: string; readonly keep: readonly string[] }[];
  /** What they have to be able to read, wherever it lies. */
  readonly needed: readonly string[];
  readonly network: Network;
  readonly paths: BoxPaths;
}

/** A box as it can be made. */
export interface BoxPlan {
  /** Where programs begin: absolute, without symbolic links. */
  readonly directory: string;
  readonly network: Network;
  /** Places before what lies in them. */
  readonly rules: readonly Rule[];
  /** Symbolic links that lie in directories that are seen only in part. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** What a person wanted to open and is not opened, each with why, as the end of a sentence about it. */
  readonly unopened: readonly { readonly path: string; readonly why: string }[];
}

/** Sockets and credentials of the running system, which are reached by their names whatever may be written. */
const RUNTIME = ["/run", "/var/run", "/private/var/run"];
/** What of that is no way out, and needed by much: other places lead there. */
const HARMLESS_RUNTIME = [
  "/run/booted-system",
  "/run/current-system",
  "/run/opengl-driver",
  "/run/systemd/resolve/resolv.conf",
  "/run/systemd/resolve/stub-resolv.conf",
  "/run/wrappers",
];
/** Variables that name sockets by which programs act for a person. */
const SOCKETS = ["SSH_AUTH_SOCK", "GPG_AGENT_INFO", "XAUTHORITY"];

/** Finds places as they are: without symbolic links, and only where there is something. */
class Finder {
  readonly #system: System;
  readonly rules: Rule[] = [];

  constructor(system: System) {
    this.#system = system;
  }

  /** The real path, and what is there; null where there is nothing. */
  async place(path: string): Promise<Pick<Rule, "path" | "kind"> | null> {
    const { files } = this.#system;
    try {
      const real = await files.realPath(path);
      const info = real === null ? null : await files.lstat(real);
      return real === null || info === null
        ? null
        : { path: real, kind: info.kind === "directory" ? "directory" : "file" };
    } catch {
      // A file that this person cannot reach is out of reach for a program in the box as well.
      return null;
    }
  }

  async add(access: Access, paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      const place = await this.place(path);
      if (place !== null && place.path !== "/") this.rules.push({ ...place, access });
    }
  }
}

/** What nothing opens: what amof keeps, and what belongs to other tickets (BOX-4). */
async function hardRules(
  system: System,
  layout: Layout,
  wish: BoxWish,
  links: { path: string; target: string }[],
): Promise<readonly Rule[]> {
  const { files } = system;
  const finder = new Finder(system);
  await finder.add("none", [layout.state, layout.data, layout.cache]);
  await finder.add("read", wish.needed);
  for (const { directory, keep } of wish.curtains) {
    const curtain = await finder.place(directory);
    if (curtain === null) continue;
    finder.rules.push({ ...curtain, access: "none" });
    for (const { name, kind } of await files.list(curtain.path)) {
      if (!keep.includes(name)) continue;
      const path = join(curtain.path, name);
      if (kind === "symlink") {
        const target = await files.readLink(path);
        if (target !== null) links.push({ path, target });
      } else {
        finder.rules.push({
          path,
          kind: kind === "directory" ? "directory" : "file",
          access: "read",
        });
      }
    }
  }
  await finder.add("write", [wish.directory]);
  await finder.add("read", wish.guarded);
  return finder.rules;
}

/** What applies where a person has said nothing. */
async function usualRules(system: System, layout: Layout): Promise<readonly Rule[]> {
  const { env, processes } = system;
  const finder = new Finder(system);
  const set = (name: string) => env.get(name) ?? "";
  await finder.add("none", RUNTIME);
  await finder.add("none", [set("TMPDIR"), set("XDG_RUNTIME_DIR")].filter((path) => path !== ""));
  await finder.add("read", [...HARMLESS_RUNTIME, "/etc/resolv.conf"]);
  if (env.platform === "linux") {
    await finder.add("private", ["/dev", "/proc", "/tmp", "/var/tmp"]);
  } else {
    await finder.add("none", ["/tmp", "/var/tmp"]);
  }
  // The program itself, and what lies beside it, also where it was put among temporary files.
  await finder.add("read", processes.self().filter((word) => word.startsWith("/")));
  if (env.home !== null) {
    const { home } = env;
    await finder.add("read", [home]);
    await finder.add("none", credentials(env.platform).map((name) => join(home, name)));
  }
  await finder.add("none", SOCKETS.map(set).filter((path) => path.startsWith("/")));
  await finder.add("read", [layout.config]);
  return finder.rules;
}

/** What a person opens and closes, and what of it is not opened. */
async function ownRules(
  system: System,
  { hide, show, write }: BoxPaths,
  hard: readonly Rule[],
): Promise<{ readonly rules: readonly Rule[]; readonly unopened: BoxPlan["unopened"] }> {
  const finder = new Finder(system);
  const unopened: { path: string; why: string }[] = [];
  await finder.add("none", hide);
  for (const [access, paths] of [["read", show], ["write", write]] as const) {
    for (const path of paths) {
      const place = await finder.place(path);
      if (place === null) unopened.push({ path, why: "there is nothing" });
      else if (place.path === "/") unopened.push({ path, why: "it is everything" });
      else if (hard.some((rule) => rule.access === "none" && isBelow(rule.path, place.path))) {
        unopened.push({ path, why: "it lies where amof or other tickets keep what is theirs" });
      } else finder.rules.push({ ...place, access });
    }
  }
  return { rules: finder.rules, unopened };
}

/** Looks up the box for a wish, without changing anything. */
export async function planBox(system: System, layout: Layout, wish: BoxWish): Promise<BoxPlan> {
  const links: { path: string; target: string }[] = [];
  const hard = await hardRules(system, layout, wish, links);
  const own = await ownRules(system, wish.paths, hard);
  const rules = settledRules([...await usualRules(system, layout), ...own.rules, ...hard]);
  const directory = await system.files.realPath(wish.directory) ?? wish.directory;
  return {
    directory,
    network: wish.network,
    rules,
    links: links.filter(({ path }) => accessTo(rules, dirname(path)) === "none"),
    unopened: own.unopened,
  };
}

// Looks for files that have a name outside of a directory, too: whoever writes to them here writes there (BOX-2).

/** More output of one look is not read. */
const MOST_BYTES = 64 * 1024 * 1024;
/** How many files are named. */
const NAMED = 5;

const LINKED = ["-xdev", "-type", "f", "-links", "+1"];
/** How `find` is told to name each with its inode and how many names that has: by GNU's, and by that of macOS. */
const TOLD = {
  gnu: [...LINKED, "-printf", "%D:%i %n %p\\0"],
  bsd: [...LINKED, "-exec", "stat", "-f", "%d:%i %l %N", "{}", "+"],
};

/** Whether a request is such a look, which changes nothing. */
export function isSharedFilesLook({ command, args }: ProcessRequest): boolean {
  const [directory = "", ...rest] = args;
  return command === "find" && directory.startsWith("/") &&
    [TOLD.gnu, TOLD.bsd].some((told) => told.join("\n") === rest.join("\n"));
}

/** Files below a directory that have names outside of it: how many, and some of them. */
interface SharedFiles {
  readonly count: number;
  readonly named: readonly string[];
}

/** Those in what `find` says, which names each with its inode and how many names that has. */
export function sharedIn(output: string): SharedFiles {
  const seen = new Map<string, { readonly names: number; readonly paths: string[] }>();
  for (const entry of output.split(/[\0]|\n(?=\d+:\d+ \d+ \/)/)) {
    const [, inode, names, path] = /^(\S+) (\d+) (.*)$/s.exec(entry) ?? [];
    if (inode === undefined || path === undefined) continue;
    const known = seen.get(inode) ?? { names: Number(names), paths: [] };
    known.paths.push(path);
    seen.set(inode, known);
  }
  const shared = [...seen.values()].filter(({ names, paths }) => paths.length < names)
    .map(({ paths: [path = ""] }) => path);
  return { count: shared.length, named: shared.toSorted().slice(0, NAMED) };
}

/** Looks for them; null where that cannot be told. Runs on a world that refuses changes, too. */
export async function findSharedFiles(
  { processes, env }: System,
  directory: string,
): Promise<SharedFiles | null> {
  const told = env.platform === "darwin" ? TOLD.bsd : TOLD.gnu;
  const result = await processes.run({
    command: "find",
    args: [directory, ...told],
    maxOutputBytes: MOST_BYTES,
  });
  return result.exitCode === 0 && !result.truncated ? sharedIn(result.stdout) : null;
}
