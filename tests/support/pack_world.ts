/**
 * A hermetic world for the agentpack domain: a temporary home with a config repo, a project with a git
 * repository, real files, real git, a clock that stands still, counted ids.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { makePack, type Pack } from "../../src/agentpack/pack.ts";
import { isReadOnlyGit } from "../../src/git/mod.ts";
import { layoutOf } from "../../src/store/mod.ts";
import type { System } from "../../src/system/mod.ts";
import { readOnly } from "../../src/system/read_only.ts";
import { realSystem } from "../../src/system/real/mod.ts";
import { withoutTerminal } from "./no_terminal.ts";
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

/** A world; dispose of it when the test ends. */
export class PackWorld implements AsyncDisposable {
  /** The world of processes and temporary directories below. */
  readonly world: World;
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

  private constructor(world: World, options: PackWorldOptions) {
    this.world = world;
    this.home = join(world.directory, "home");
    this.root = join(this.home, options.homeName ?? ".agentpack");
    this.repo = join(this.root, "repo");
    this.project = join(world.directory, "project");
    this.system = this.#makeSystem(options);
  }

  /** Makes a world without a configuration. */
  static async make(options: PackWorldOptions = {}): Promise<PackWorld> {
    const world = await World.make();
    const made = new PackWorld(world, options);
    await Deno.mkdir(made.repo, { recursive: true });
    await Deno.mkdir(made.project, { recursive: true });
    await Deno.mkdir(made.#state(), { recursive: true });
    // Without the sample hooks, which are most of what a new repository consists of.
    await world.git(made.project, "init", "--quiet", "--initial-branch=main", "--template=");
    await world.git(
      made.project,
      "remote",
      "add",
      "origin",
      "https://github.com/example/example.git",
    );
    return made;
  }

  /** Where the program keeps its database. */
  #state(): string {
    return dirname(layoutOf(this.system.env).database);
  }

  #makeSystem(options: PackWorldOptions): System {
    const real = realSystem();
    const variables: Record<string, string> = { AGENTPACK_MACHINE_ID: "box", ...options.env };
    if (options.homeName !== undefined) variables["AGENTPACK_HOME"] = this.root;
    let ids = 0;
    return {
      ...real,
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
        run: (request) =>
          real.processes.run({
            ...request,
            clearEnv: true,
            env: { ...this.world.env, ...request.env },
          }),
      },
    };
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

  /** Writes a file, absolute or below the config repo. */
  async write(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
    const file = path.startsWith("/") ? path : join(this.repo, path);
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeFile(
      file,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
    if (mode !== undefined) await Deno.chmod(file, mode);
  }

  /** The text of a file, or null when it does not exist. */
  async read(path: string): Promise<string | null> {
    try {
      return await Deno.readTextFile(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    }
  }

  /**
   * Every file below directories with text and mode, for comparing whole states; links as `-> target`. The
   * program's own database, which logs refusals, too, is none of them.
   */
  async tree(...directories: readonly string[]): Promise<Record<string, DiskFile>> {
    const found: Record<string, DiskFile> = {};
    const state = this.#state();
    const walk = async (directory: string): Promise<void> => {
      const entries: Deno.DirEntry[] = [];
      try {
        for await (const entry of Deno.readDir(directory)) entries.push(entry);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return;
        throw error;
      }
      for (const entry of entries) {
        const path = join(directory, entry.name);
        if (entry.name === ".git" || path === this.root || path === state) continue;
        if (entry.isDirectory) {
          found[`${path}/`] = { text: "", mode: "" };
          await walk(path);
        } else if (entry.isSymlink) {
          found[path] = { text: `-> ${await Deno.readLink(path)}`, mode: "" };
        } else {
          const mode = ((await Deno.stat(path)).mode ?? 0) & 0o7777;
          found[path] = { text: await Deno.readTextFile(path), mode: mode.toString(8) };
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
    await this.world[Symbol.asyncDispose]();
  }
}
