/**
 * A hermetic world for the agentpack domain: a temporary home with a config repo, a project with a git
 * repository, a clock that stands still, counted ids. Its files are in memory, where git says no more than which project
 * this is, or on the disk, with real git and real processes.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { makePack, type Pack } from "../../src/apps/agentpack/pack.ts";
import { isReadOnlyGit } from "../../src/git/mod.ts";
import { layoutOf } from "../../src/state/store/mod.ts";
import type { Files, ProcessRequest, ProcessResult, System } from "../../src/base/system/mod.ts";
import { readOnly } from "../../src/base/system/read_only.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { MemoryFiles } from "./memory_files.ts";
import { withoutTerminal } from "./no_terminal.ts";
import { processResult } from "./process_result.ts";
import { World } from "./world.ts";

/** What a world is made with. */
export interface PackWorldOptions {
  /** More environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The name of the agentpack home below the user's; `.agentpack` when absent, as by default. */
  readonly homeName?: string;
}

/** A file as it lies on the disk. */
export interface DiskFile {
  readonly text: string;
  /** Permission bits as octal digits. */
  readonly mode: string;
}

const ORIGIN = "https://github.com/example/example.git";

/** Which questions git answers in memory, and with what; null is the top of the working copy. */
const GIT_ANSWERS: Readonly<Record<string, string | null>> = {
  "rev-parse --show-toplevel": null,
  "remote get-url --end-of-options origin": ORIGIN,
};

/** A world; dispose of it when the test ends. */
export class PackWorld implements AsyncDisposable {
  /** Its own directory. */
  readonly directory: string;
  /** The user's home. */
  readonly home: string;
  /** The agentpack home. */
  readonly root: string;
  /** The config repo. */
  readonly repo: string;
  /** The project, a git repository with an origin. */
  readonly project: string;
  /** The writable world. */
  readonly system: System;
  /** Milliseconds since the epoch at which the clock stands. */
  now = Date.UTC(2026, 1, 3, 8, 15, 30, 123);
  readonly #disk: World | MemoryFiles;

  private constructor(disk: World | MemoryFiles, options: PackWorldOptions) {
    this.#disk = disk;
    this.directory = disk instanceof World ? disk.directory : "/tester";
    this.home = join(this.directory, "home");
    this.root = join(this.home, options.homeName ?? ".agentpack");
    this.repo = join(this.root, "repo");
    this.project = join(this.directory, "project");
    this.system = this.#makeSystem(options);
  }

  /** Makes a world without a configuration on the disk. */
  static async make(options: PackWorldOptions = {}): Promise<PackWorld> {
    const world = await World.make();
    const made = new PackWorld(world, options);
    await made.#makeDirectories();
    // Without the sample hooks, which are most of what a new repository consists of.
    await world.git(made.project, "init", "--quiet", "--initial-branch=main", "--template=");
    await world.git(made.project, "remote", "add", "origin", ORIGIN);
    return made;
  }

  /** Makes a world without a configuration in memory. */
  static async inMemory(options: PackWorldOptions = {}): Promise<PackWorld> {
    let written = Date.UTC(2026, 0, 1);
    const made = new PackWorld(new MemoryFiles(() => ++written, Deno.pid), options);
    await made.#makeDirectories();
    await made.files.makeDirectory(join(made.project, ".git"));
    return made;
  }

  async #makeDirectories(): Promise<void> {
    for (const path of [this.repo, this.project, this.#state()]) {
      await this.files.makeDirectory(path);
    }
  }

  /** The world of processes and temporary directories below one that is on the disk. */
  get world(): World {
    if (this.#disk instanceof World) return this.#disk;
    throw new Error("A world in memory has no processes");
  }

  /** Its files. */
  get files(): Files {
    return this.system.files;
  }

  /** Where the program keeps its database. */
  #state(): string {
    return dirname(layoutOf(this.system.env).database);
  }

  #makeSystem(options: PackWorldOptions): System {
    const real = realSystem();
    const disk = this.#disk;
    const variables: Record<string, string> = { AGENTPACK_MACHINE_ID: "box", ...options.env };
    if (options.homeName !== undefined) variables["AGENTPACK_HOME"] = this.root;
    let ids = 0;
    return {
      ...real,
      files: disk instanceof World ? real.files : disk.files,
      env: {
        ...real.env,
        get: (name) => variables[name],
        cwd: this.project,
        home: this.home,
        user: "tester",
      },
      clock: { ...real.clock, now: () => this.now },
      ids: {
        uuid: () => `00000000-0000-4000-8000-${(++ids).toString(16).padStart(12, "0")}`,
        hex: (digits) => (++ids).toString(16).padStart(digits, "0"),
      },
      terminal: withoutTerminal(real.terminal),
      processes: {
        ...real.processes,
        run: disk instanceof World
          ? (request) =>
            real.processes.run({
              ...request,
              clearEnv: true,
              env: { ...disk.env, ...request.env },
            })
          : (request) => this.#git(request),
      },
    };
  }

  /** What git says of a world in memory: where the working copy around a directory is, and its origin. */
  async #git(request: ProcessRequest): Promise<ProcessResult> {
    const asked = request.args.filter((arg, index, all) => arg !== "-c" && all[index - 1] !== "-c");
    const words = asked.join(" ");
    if (request.command !== "git" || !(words in GIT_ANSWERS)) {
      throw new Error(`Unexpected program: ${[request.command, ...asked].join(" ")}`);
    }
    let top = request.cwd ?? this.project;
    while (!await this.files.exists(join(top, ".git")) && dirname(top) !== top) top = dirname(top);
    if (dirname(top) === top) {
      const stderr = "fatal: not a git repository (or any of the parent directories): .git";
      return processResult(request, { exitCode: 128, stderr });
    }
    return processResult(request, { stdout: `${GIT_ANSWERS[words] ?? top}\n` });
  }

  /** A pack over the writable world, or over any other. */
  pack(system: System = this.system): Pack {
    return makePack({ system, version: "0.1.0", prefix: "agentpack" });
  }

  /** A pack over a read-only world whose checkouts can be fetched. */
  reader(): Pack {
    return makePack({
      system: readOnly(this.system, isReadOnlyGit),
      cache: this.system,
      version: "0.1.0",
      prefix: "agentpack",
    });
  }

  /** A pack that works in another directory. */
  packIn(cwd: string): Pack {
    return this.pack({ ...this.system, env: { ...this.system.env, cwd } });
  }

  /** The writable world without flushing to the disk, which is slow and changes nothing that a test sees. */
  unflushed(): System {
    const { files } = this.system;
    let count = 0;
    return {
      ...this.system,
      files: {
        ...files,
        create: (path, content, options) =>
          files.create(path, content, { ...options, flush: false }),
        async write(path, content, options) {
          const temporary = `${path}.${++count}.unflushed`;
          await files.makeDirectory(dirname(path));
          await files.create(temporary, content, { ...options, flush: false });
          await files.rename(temporary, path);
        },
      },
    };
  }

  /** Moves the clock on. */
  tick(ms = 1000): void {
    this.now += ms;
  }

  /** Writes `agentpack.yaml`. */
  async config(text: string): Promise<void> {
    await this.write(join(this.repo, "agentpack.yaml"), text);
  }

  /** Writes a file, absolute or below the config repo, whatever is there. */
  async write(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
    const file = path.startsWith("/") ? path : join(this.repo, path);
    const { files } = this;
    const kept = mode ?? (await files.stat(file))?.mode ?? 0o644;
    await files.makeDirectory(dirname(file));
    if (this.#disk instanceof MemoryFiles) return this.#disk.put(file, content, kept);
    await Deno.writeFile(
      file,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
    await Deno.chmod(file, kept);
  }

  /** The text of a file, or null when it does not exist. */
  read(path: string): Promise<string | null> {
    return this.files.readText(path);
  }

  /** Sets the permission bits of a file. */
  async chmod(path: string, mode: number): Promise<void> {
    if (this.#disk instanceof MemoryFiles) this.#disk.chmod(path, mode);
    else await Deno.chmod(path, mode);
  }

  /**
   * Every file below directories with text and mode, for comparing whole states; links as `-> target`. The
   * program's own database, which logs refusals, too, is none of them.
   */
  async tree(...directories: readonly string[]): Promise<Record<string, DiskFile>> {
    const found: Record<string, DiskFile> = {};
    const { files } = this;
    const state = this.#state();
    const walk = async (directory: string): Promise<void> => {
      for (const { name, kind } of await files.list(directory)) {
        const path = join(directory, name);
        if (name === ".git" || path === this.root || path === state) continue;
        if (kind === "directory") {
          found[`${path}/`] = { text: "", mode: "" };
          await walk(path);
        } else if (kind === "symlink") {
          found[path] = { text: `-> ${await files.readLink(path)}`, mode: "" };
        } else {
          const mode = (await files.stat(path))?.mode ?? 0;
          found[path] = { text: await files.readText(path) ?? "", mode: mode.toString(8) };
        }
      }
    };
    for (const directory of directories) await walk(directory);
    return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Runs git; throws when it fails. */
  git(cwd: string, ...args: string[]): Promise<string> {
    return this.world.git(cwd, ...args);
  }

  /** Makes the config repo a git repository with everything in it committed. */
  async commitRepo(message = "Begin"): Promise<string> {
    if (await this.read(join(this.repo, ".git", "HEAD")) === null) {
      await this.git(this.repo, "init", "--quiet", "--initial-branch=main");
    }
    await this.git(this.repo, "add", "-A");
    await this.git(this.repo, "commit", "--quiet", "--allow-empty", "-m", message);
    return await this.git(this.repo, "rev-parse", "HEAD");
  }

  /** Removes everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#disk instanceof World) await this.#disk[Symbol.asyncDispose]();
  }
}
