/**
 * A hermetic world for one test: a temporary home, a cleared environment, no global git configuration,
 * real repositories on the disk, and the real program.
 *
 * With `AMOF_BIN` set the program is that binary, with `AMOF_ENTRY` a bundle of the source, which starts faster
 * than the source, which is run otherwise. Only a binary is started for each and every call.
 *
 * @module
 */

import { dirname, fromFileUrl, join, relative, resolve, toFileUrl } from "@std/path";
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { copyOfNew, exists } from "./copies.ts";
import { type Ground, ground } from "./like.ts";
import { newDirectory } from "./place.ts";
import { writeProgram } from "./program.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

/** What only the test's own git gets: no second process after each commit that looks for something to tidy. */
export const QUIET_GIT = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
};

/** First words of what goes on until it is told to end, and takes the streams of its process. */
const RESIDENT = ["mcp", "serve"];

/** How worlds of each kind are built, as source. */
const ways = new Map<string, string>();

/** How one run of a program ended. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as the one JSON object it must be. */
  json(): Record<string, unknown>;
}

/** What a control repository is made with. */
export interface EcosystemOptions {
  /** Repository names; those in `readonly` are marked so. */
  readonly repos?: readonly string[];
  readonly readonly?: readonly string[];
  /** More lines for the end of the manifest. */
  readonly extra?: string;
}

/** How the program under test is run. */
interface AmofOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  /** In a process of its own, whatever that costs. */
  readonly apart?: boolean;
}

/** The argument vector that starts the program under test. */
export function program(): string[] {
  const binary = Deno.env.get("AMOF_BIN");
  if (binary) return [resolve(binary)];
  const entry = Deno.env.get("AMOF_ENTRY");
  // A bundle needs neither configuration nor lock file, and not looking for them makes each start faster. As much
  // room for what a short run allocates the compiled program has, too.
  const bundled = entry
    ? [
      "--no-config",
      "--no-lock",
      "--unstable-worker-options",
      "--v8-flags=--min-semi-space-size=2,--max-semi-space-size=2,--heap-growing-percent=100,--no-turbofan,--no-maglev-destroy-on-background,--invocation-count-for-maglev=1600",
      resolve(entry),
    ]
    : [MAIN];
  return [Deno.execPath(), "run", "--quiet", "--allow-all", ...bundled];
}

function inherited(name: string): Record<string, string> {
  const value = Deno.env.get(name);
  return value === undefined ? {} : { [name]: value };
}

/** The input of a child, or null when it has none. */
function stdinOf(child: Deno.ChildProcess): WritableStream<Uint8Array> | null {
  try {
    return child.stdin;
  } catch {
    return null;
  }
}

/** Whether new repositories keep their refs in tables, as a run with the newest git may ask for. */
export const IN_TABLES = Deno.env.get("GIT_DEFAULT_REF_FORMAT") === "reftable";

/** A world; dispose of it when the test ends. */
export class World implements AsyncDisposable {
  /** The directory everything lies in, without symbolic links. */
  readonly directory: string;
  /** The control repository. */
  readonly control: string;
  /** Where bare remotes lie. */
  readonly remotes: string;
  /** The environment programs get, and nothing else. */
  readonly env: Record<string, string>;
  /** What else belongs to it, such as a service that programs speak to: as texts that tell every change there. */
  readonly outside: (() => string)[] = [];
  /** What is ended with it. */
  readonly along: AsyncDisposable[] = [];
  /** Whether a command line is being run in this process. */
  static #isCalled = false;
  readonly #children = new Set<Deno.ChildProcess>();
  readonly #ground: Ground | null;

  private constructor(directory: string, ground: Ground | null = null) {
    this.#ground = ground;
    this.directory = directory;
    this.control = join(directory, "control");
    this.remotes = join(directory, "remotes");
    this.env = {
      ...inherited("PATH"),
      ...inherited("DENO_DIR"),
      ...inherited("XDG_CACHE_HOME"),
      ...inherited("SystemRoot"),
      // How new repositories keep their refs and name their objects, for a run with other than the usual ones.
      ...inherited("GIT_DEFAULT_REF_FORMAT"),
      ...inherited("GIT_DEFAULT_HASH"),
      // Deno finds its module cache through the home directory when nothing else names it.
      ...(Deno.env.get("DENO_DIR") === undefined && Deno.env.get("XDG_CACHE_HOME") === undefined
        ? {
          DENO_DIR: join(
            Deno.env.get("HOME") ?? Deno.env.get("LOCALAPPDATA") ?? homedir(),
            ".cache",
            "deno",
          ),
        }
        : {}),
      // Else a runtime that lives for a while asks the network whether there is a newer one.
      DENO_NO_UPDATE_CHECK: "1",
      HOME: join(directory, "home"),
      USER: "tester",
      AMOF_HOME: join(directory, "state"),
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Tester",
      GIT_AUTHOR_EMAIL: "tester@example.invalid",
      GIT_COMMITTER_NAME: "Tester",
      GIT_COMMITTER_EMAIL: "tester@example.invalid",
      GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
      GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
      NO_COLOR: "1",
      COLUMNS: "100",
      TZ: "UTC",
    };
  }

  /** Makes an empty world. */
  static async make(): Promise<World> {
    const world = new World(newDirectory());
    await Deno.mkdir(join(world.directory, "home"));
    return world;
  }

  /**
   * Makes a world by `build` out of an empty one. The second world of a `kind` is a copy of what the first was after
   * that, in the same place. Test files that run together share their kinds; throws when two build one differently.
   */
  static like(kind: string, build: (world: World) => Promise<void>): Promise<World> {
    return World.#copied(kind, build, false);
  }

  /** As {@linkcode World.like} for a `kind` that means the same in all test files: they share the copies. */
  static common(kind: string, build: (world: World) => Promise<void>): Promise<World> {
    return World.#copied(kind, build, true);
  }

  static async #copied(
    kind: string,
    build: (world: World) => Promise<void>,
    common: boolean,
  ): Promise<World> {
    const way = String(build);
    if ((ways.get(kind) ?? way) !== way) throw new Error(`Two ways to build a world "${kind}"`);
    ways.set(kind, way);
    const found = await ground(kind, common);
    const world = new World(found.directory, found);
    if (found.ready) return world;
    try {
      await Deno.mkdir(join(world.directory, "home"), { recursive: true });
      await build(world);
      await found.keep();
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Makes a world with a control repository and an ecosystem `demo` over repositories with bare remotes. */
  static async withEcosystem(options: EcosystemOptions = {}): Promise<World> {
    const world = await World.make();
    await world.makeControl();
    await world.addEcosystem("demo", options);
    return world;
  }

  /** Makes a world as {@linkcode World.withEcosystem} does and installs the ecosystem. */
  static installed(options: EcosystemOptions = {}): Promise<World> {
    return World.common(
      `installed ${JSON.stringify(options)}`,
      (world) => world.makeInstalled(options),
    );
  }

  /** Makes the control repository with one commit. */
  async makeControl(): Promise<void> {
    await copyOfNew(this.#madeHere("control"), this.control, async (directory) => {
      await Deno.mkdir(join(directory, "ecosystems"));
      await this.git(directory, "init", "--quiet", "--initial-branch=main", "--template=");
      await Deno.writeTextFile(join(directory, "README.md"), "# Control\n");
      await this.git(directory, "add", "README.md");
      await this.git(directory, "commit", "--quiet", "-m", "Begin");
    });
  }

  /** Makes the control repository and an ecosystem `demo`, and installs it. */
  async makeInstalled(options: EcosystemOptions = {}): Promise<void> {
    await this.makeControl();
    await this.addEcosystem("demo", options);
    await this.install();
  }

  /** Adds an ecosystem with one bare remote per repository, and commits its manifest. */
  async addEcosystem(name: string, options: EcosystemOptions = {}): Promise<void> {
    const repos = options.repos ?? ["api", "web", "docs"];
    const lines = [
      `name: ${name}`,
      `description: The ${name} ecosystem`,
      repos.length === 0 ? "repos: []" : "repos:",
    ];
    for (const repo of repos) {
      await this.addRemote(repo);
      lines.push(`  - name: ${repo}`, `    url: ${this.url(repo)}`, "    branch: main");
      if ((options.readonly ?? (options.repos === undefined ? ["docs"] : [])).includes(repo)) {
        lines.push("    readonly: true");
      }
    }
    await this.write(
      `control/ecosystems/${name}/ecosystem.yaml`,
      `${lines.join("\n")}\n${options.extra ?? ""}`,
    );
    await this.git(this.control, "add", "ecosystems");
    await this.git(this.control, "commit", "--quiet", "-m", `Add ${name}`);
  }

  /** A name that means the same content in every world: commits also say who made them, and when. */
  #madeHere(what: string): string {
    const said = Object.entries(this.env).filter(([name]) =>
      /^GIT_(?:AUTHOR|COMMITTER)_/.test(name)
    );
    return JSON.stringify([what, said.toSorted(([a], [b]) => a < b ? -1 : 1)]);
  }

  /** The URL of a remote. */
  url(repo: string): string {
    return toFileUrl(join(this.remotes, `${repo}.git`)).href;
  }

  /** Makes a bare remote with one commit on main, unless it exists. */
  async addRemote(repo: string): Promise<void> {
    const bare = join(this.remotes, `${repo}.git`);
    if (await Deno.stat(bare).then(() => true, () => false)) return;
    await copyOfNew(this.#madeHere(`remote ${repo}`), this.directory, async (directory) => {
      const [seed, remote] = [
        join(directory, "seed", repo),
        join(directory, "remotes", `${repo}.git`),
      ];
      await Deno.mkdir(seed, { recursive: true });
      await Deno.mkdir(remote, { recursive: true });
      await this.git(remote, "init", "--quiet", "--bare", "--initial-branch=main", "--template=");
      await this.git(seed, "init", "--quiet", "--initial-branch=main", "--template=");
      await Deno.writeTextFile(join(seed, "README.md"), `# ${repo}\n`);
      await this.git(seed, "add", ".");
      await this.git(seed, "commit", "--quiet", "-m", `Begin ${repo}`);
      await this.git(seed, "push", "--quiet", remote, "main");
    });
  }

  /** The workspace of an ecosystem. */
  workspace(ecosystem = "demo"): string {
    return join(this.control, "worktrees", ecosystem);
  }

  /** The clone of a repository. */
  clone(repo: string, ecosystem = "demo"): string {
    return join(this.workspace(ecosystem), "repos", repo);
  }

  /** Writes a file below the world's directory. */
  async write(path: string, text: string): Promise<void> {
    const file = join(this.directory, path);
    await Deno.mkdir(join(file, ".."), { recursive: true });
    await Deno.writeTextFile(file, text);
  }

  /** Runs git and answers its output without the last newline; throws when it fails. */
  async git(cwd: string, ...args: string[]): Promise<string> {
    // Git replaces the file it writes to: as root that would be the device.
    if (args.includes("--global") && this.env["GIT_CONFIG_GLOBAL"] === "/dev/null") {
      throw new TypeError("Cannot write the settings of the user: this world has no file for them");
    }
    const ran = await this.command("git", args, { cwd, env: QUIET_GIT });
    if (ran.code !== 0) throw new Error(`git ${args.join(" ")} failed in ${cwd}: ${ran.stderr}`);
    return ran.stdout.replace(/\n$/, "");
  }

  /** Runs any program in the hermetic environment. */
  async command(
    command: string,
    args: readonly string[],
    options: {
      readonly cwd?: string;
      readonly env?: Record<string, string>;
      readonly stdin?: string;
    } = {},
  ): Promise<Ran> {
    const child = this.spawn(command, args, { ...options, stdin: options.stdin !== undefined });
    if (options.stdin !== undefined) {
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(options.stdin));
      await writer.close();
    }
    const output = await child.output();
    this.#children.delete(child);
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    const stdout = decode(output.stdout);
    return {
      code: output.code,
      stdout,
      stderr: decode(output.stderr),
      json: () => JSON.parse(stdout) as Record<string, unknown>,
    };
  }

  /** Starts a program in the hermetic environment; it is ended with the world. */
  spawn(
    command: string,
    args: readonly string[],
    options: {
      readonly cwd?: string;
      readonly env?: Record<string, string>;
      readonly stdin?: boolean;
    } = {},
  ): Deno.ChildProcess {
    const child = new Deno.Command(command, {
      args: [...args],
      cwd: options.cwd ?? this.#place(),
      env: { ...this.env, ...options.env },
      clearEnv: true,
      stdin: options.stdin ? "piped" : "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#children.add(child);
    return child;
  }

  /** Where programs are run unless told otherwise. */
  #place(): string {
    try {
      return Deno.statSync(this.control).isDirectory ? this.control : this.directory;
    } catch {
      return this.directory;
    }
  }

  /**
   * Runs the program under test, in the control repository unless told otherwise. It runs in this process,
   * which saves the start of one, where nothing asks for a process of its own and none of its calls is under
   * way. Throws when it says what nobody can follow.
   */
  async amof(args: readonly string[], options: AmofOptions = {}): Promise<Ran> {
    const [command = "", ...before] = program();
    const ran = await this.#here(args, options) ??
      await this.command(command, [...before, ...args], options);
    // All commands come with it, and many test files call none.
    const { assertFollowable } = await import("./spoken.ts");
    await assertFollowable(args, ran.stdout, ran.stderr);
    return ran;
  }

  /** As a call in this process; null where it takes one of its own. */
  async #here(
    args: readonly string[],
    { cwd, env = {}, stdin, apart }: AmofOptions,
  ): Promise<Ran | null> {
    const other = Deno.env.get("AMOF_BIN") || Deno.build.os === "windows";
    // Programs of a test that stand before others on the PATH end whoever has called them, or tell who that is.
    if (
      other || apart === true || stdin !== undefined || "PATH" in env || World.#isCalled ||
      RESIDENT.includes(args[0] ?? "")
    ) return null;
    World.#isCalled = true;
    try {
      const { runHere } = await import("./in_process.ts");
      const ran = await runHere({
        cwd: cwd ?? this.#place(),
        env: { ...this.env, ...env },
        program,
      }, args);
      return { ...ran, json: () => JSON.parse(ran.stdout) as Record<string, unknown> };
    } finally {
      World.#isCalled = false;
    }
  }

  /** Starts the program under test and leaves it running; it is ended with the world. */
  start(
    args: readonly string[],
    options: {
      readonly cwd?: string;
      readonly env?: Record<string, string>;
      readonly stdin?: boolean;
    } = {},
  ): Deno.ChildProcess {
    const [command = "", ...before] = program();
    return this.spawn(command, [...before, ...args], options);
  }

  /** Whether a path below the world's directory, or an absolute one, leads to something. */
  exists(path: string): Promise<boolean> {
    return Deno.lstat(resolve(this.directory, path)).then(() => true, () => false);
  }

  /** The state file of an ecosystem's workspace. */
  stateFile(ecosystem = "demo"): string {
    return join(this.workspace(ecosystem), ".amof", "state.json");
  }

  /** The state of an ecosystem's workspace. */
  async state(ecosystem = "demo"): Promise<Record<string, unknown>> {
    return JSON.parse(await Deno.readTextFile(this.stateFile(ecosystem))) as Record<
      string,
      unknown
    >;
  }

  /** Puts members into the state of an ecosystem's workspace, as another program would. */
  async patchState(members: Record<string, unknown>, ecosystem = "demo"): Promise<void> {
    const state = { ...await this.state(ecosystem), ...members };
    await Deno.writeTextFile(this.stateFile(ecosystem), JSON.stringify(state));
  }

  /** Writes an executable shell script below the world's directory; answers where it is. */
  async script(path: string, lines: string): Promise<string> {
    const file = join(this.directory, path);
    await writeProgram(file, `#!/bin/sh\n${lines}\n`);
    return file;
  }

  /** Gives a git directory a hook that its owner knows; `name` such as `pre-push`. */
  async hook(gitDirectory: string, name: string, lines: string): Promise<void> {
    await this.script(join(relative(this.directory, gitDirectory), "hooks", name), lines);
    await this.trust(dirname(gitDirectory));
  }

  /** Seals a clone as it is now, as its owner does who has looked at it; nothing where no clone is sealed there. */
  async trust(clone: string): Promise<void> {
    const { trustClone } = await import("./trust.ts");
    await trustClone(join(this.env["AMOF_HOME"] ?? "", "state", "amof.db"), clone);
  }

  /** Forgets every seal, as if no program had ever made one. */
  async forgetSeals(): Promise<void> {
    const { forgetSeals } = await import("./trust.ts");
    forgetSeals(join(this.env["AMOF_HOME"] ?? "", "state", "amof.db"));
  }

  /** Notes that something has run in a box in the clones below a directory. */
  async markBoxed(directory: string): Promise<void> {
    const { markBoxed } = await import("./trust.ts");
    markBoxed(join(this.env["AMOF_HOME"] ?? "", "state", "amof.db"), directory);
  }

  /** Makes every call of git go through shell lines first; answers the environment that does so. */
  async wrapGit(lines: string): Promise<Record<string, string>> {
    const found = await this.command("sh", ["-c", "command -v git"]);
    await this.script("bin/git", `${lines}\nexec '${found.stdout.trim()}' "$@"`);
    return { PATH: `${join(this.directory, "bin")}:${this.env["PATH"] ?? ""}` };
  }

  /** Installs an ecosystem; throws when that fails. */
  async install(ecosystem = "demo"): Promise<void> {
    const ran = await this.amof(["-e", ecosystem, "install", "--yes", "--quiet"]);
    if (ran.code !== 0) throw new Error(`install failed: ${ran.stderr}`);
  }

  /** Puts a repository on a feature branch with one commit of its own. */
  async commitOnFeature(repo: string, branch = "feature/T-1", file = "work.txt"): Promise<string> {
    const clone = this.clone(repo);
    await this.git(clone, "switch", "--quiet", "-c", branch);
    await Deno.writeTextFile(join(clone, file), `work in ${repo}\n`);
    await this.git(clone, "add", ".");
    await this.git(clone, "commit", "--quiet", "-m", `Work in ${repo}`);
    return await this.git(clone, "rev-parse", "HEAD");
  }

  /**
   * Everything about files and refs below the control repository and the remotes, and what is outside, for "nothing changed":
   * paths with size and content hash, and every ref. Git's own bookkeeping that a mere look may refresh
   * is left out, and so is the lock by which processes of the program take turns.
   */
  async fingerprint(): Promise<string> {
    const tables: string[] = [];
    const lines: string[] = [];
    // At once: there are hundreds of small files, and to wait for each costs more than to read it.
    const walk = (path: string): void => {
      const entries = [...Deno.readDirSync(path)];
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const full = join(path, entry.name);
        // The program's own place in a git directory; what it leaves there would be told all the same.
        const own = /\/\.git(?:\/worktrees\/[^/]+)?\/amof(?:\/turn\.lock)?$/.test(full);
        // Tables are packed together at any time: what counts is what they say.
        if (entry.name === "reftable") tables.push(path);
        else if (entry.isDirectory) {
          if (!own) lines.push(`${full}/`);
          walk(full);
        } else if (entry.isSymlink) lines.push(`${full} -> ${Deno.readLinkSync(full)}`);
        else if (!own) {
          const hash = createHash("sha256").update(Deno.readFileSync(full)).digest("hex");
          lines.push(`${full} ${hash}`);
        }
      }
    };
    walk(this.control);
    if (exists(this.remotes)) walk(this.remotes);
    for (const path of tables) lines.push(`${path} ${await this.git(path, "for-each-ref")}`);
    return [...lines, ...this.outside.map((tell) => tell())].join("\n");
  }

  /** The lines of the fingerprint that differ from an earlier one: `- ` for what is gone, `+ ` for what is new. */
  async changesSince(before: string): Promise<string[]> {
    const then = before.split("\n");
    const now = (await this.fingerprint()).split("\n");
    return [
      ...then.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
      ...now.filter((line) => !then.includes(line)).map((line) => `+ ${line}`),
    ];
  }

  /** Every file below a directory as one text, to look for what must not be in any. */
  async contents(directory: string): Promise<string> {
    const parts: string[] = [];
    for await (const entry of Deno.readDir(directory)) {
      const path = join(directory, entry.name);
      parts.push(
        entry.isDirectory
          ? await this.contents(path)
          : new TextDecoder("latin1").decode(await Deno.readFile(path)),
      );
    }
    return parts.join("\n");
  }

  /** Ends what was started and removes the directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended by itself.
      }
      await child.stdout.cancel().catch(() => {});
      await child.stderr.cancel().catch(() => {});
      await stdinOf(child)?.abort().catch(() => {});
      await child.status;
    }
    for (const other of this.along) await other[Symbol.asyncDispose]();
    await removed(this.directory);
    this.#ground?.leave();
  }
}

/** Removes a directory in which the worker of a run, whose end is told already, may still tidy up. */
async function removed(directory: string): Promise<void> {
  for (let left = 200;; left--) {
    try {
      return await Deno.remove(directory, { recursive: true });
    } catch (error) {
      if (left === 0 || !(error instanceof Error && error.message.includes("not empty"))) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
