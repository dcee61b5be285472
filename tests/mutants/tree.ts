/**
 * Copies of a checkout in which the program may be broken, and the programs that run there.
 *
 * @module
 */

import { join } from "@std/path";

/** What is not copied: the history, and what was built. */
const NOT_COPIED = new Set([".git", "bin", "node_modules", "coverage"]);

/** How a program ended in a tree. */
export interface Ended {
  readonly code: number;
  /** Both streams, one after the other. */
  readonly text: string;
  /** Whether it was ended because it took too long. */
  readonly hung: boolean;
  readonly milliseconds: number;
}

/** A copy of a checkout, with a cache of modules of its own; dispose of it. */
export class Tree implements AsyncDisposable {
  /** The root of the copy. */
  readonly root: string;
  readonly #directory: string;
  readonly #modules: string;
  /** What stood in the files that are broken now, by their paths. */
  readonly #whole = new Map<string, string>();
  #running: Deno.ChildProcess | null = null;

  private constructor(directory: string) {
    this.#directory = directory;
    this.root = join(directory, "tree");
    this.#modules = join(directory, "modules");
  }

  /** Copies a checkout. */
  static async of(checkout: string): Promise<Tree> {
    const tree = new Tree(Deno.realPathSync(await Deno.makeTempDir({ prefix: "amof-mutants-" })));
    await copy(checkout, tree.root);
    await Deno.mkdir(tree.#modules);
    // Packages are shared; what is made of the sources of a copy goes with the copy.
    await Deno.symlink(join(await modulesHere(), "npm"), join(tree.#modules, "npm"));
    return tree;
  }

  /** The text of a file, or null where it is not there. */
  read(file: string): string | null {
    try {
      return Deno.readTextFileSync(join(this.root, file));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    }
  }

  /** Writes another text into a file, until {@linkcode mend}. */
  breakFile(file: string, text: string): void {
    if (!this.#whole.has(file)) this.#whole.set(file, this.read(file) ?? "");
    Deno.writeTextFileSync(join(this.root, file), text);
  }

  /** Makes whole whatever was broken. */
  mend(): void {
    for (const [file, text] of this.#whole) Deno.writeTextFileSync(join(this.root, file), text);
    this.#whole.clear();
  }

  /** Runs Deno in the root, at most for `limit` milliseconds; what it left running is ended. */
  async deno(
    args: readonly string[],
    limit: number,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const begin = performance.now();
    const child = new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: this.root,
      env: { ...env, DENO_DIR: this.#modules, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      // A group of its own, so that its children end with it.
      detached: true,
    }).spawn();
    this.#running = child;
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      this.#end();
    }, limit);
    try {
      const { code, stdout, stderr } = await child.output();
      const decoder = new TextDecoder();
      const text = `${decoder.decode(stdout)}\n${decoder.decode(stderr)}`;
      return { code, text, hung, milliseconds: performance.now() - begin };
    } finally {
      clearTimeout(timer);
      this.#end();
      this.#running = null;
    }
  }

  /** Ends what runs, and whatever was started by it and outlived it. */
  #end(): void {
    if (this.#running !== null) kill(-this.#running.pid);
    for (const pid of withVariable(`DENO_DIR=${this.#modules}`)) kill(pid);
  }

  /** Ends what runs there, and removes the copy. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (let turn = 0;; turn++) {
      this.#end();
      try {
        return await Deno.remove(this.#directory, { recursive: true });
      } catch (error) {
        // What was just ended may have been writing there.
        if (turn === 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (NOT_COPIED.has(name)) continue;
    if (isSymlink) await Deno.symlink(await Deno.readLink(source), target);
    else if (isDirectory) await copy(source, target);
    else await Deno.copyFile(source, target);
  }
}

/** Where Deno keeps modules in this process. */
async function modulesHere(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(stdout)) as { readonly denoDir: string };
  return denoDir;
}

/** The processes whose environment holds a variable like this, where the system tells. */
function withVariable(variable: string): number[] {
  try {
    return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) =>
      pid > 1 && pid !== Deno.pid && environment(pid).includes(variable)
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function environment(pid: number): readonly string[] {
  try {
    return Deno.readTextFileSync(join("/proc", String(pid), "environ")).split("\0");
  } catch {
    // It has ended, or is somebody else's.
    return [];
  }
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
