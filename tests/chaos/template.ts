/**
 * A world that can be brought back to where it was, in its own place: worktrees of git know each other by full path.
 *
 * @module
 */

import { join } from "@std/path";
import { newDirectory } from "../support/place.ts";
import type { World } from "../support/world.ts";

/** A copy of a world. */
export class Copy implements AsyncDisposable {
  readonly #world: World;
  /** A directory that comes and goes with the copy, for what must outlive the world's changes. */
  readonly beside: string;

  private constructor(world: World, beside: string) {
    this.#world = world;
    this.beside = beside;
  }

  /** Copies a world as it is. */
  static async of(world: World): Promise<Copy> {
    const copy = new Copy(world, newDirectory());
    await copy.#run("cp", ["-a", world.directory, join(copy.beside, "world")]);
    return copy;
  }

  /** Brings the world back. */
  async restore(): Promise<void> {
    const entries = await Array.fromAsync(Deno.readDir(this.#world.directory));
    const paths = entries.map(({ name }) => join(this.#world.directory, name));
    await this.#run("rm", ["-rf", ...paths]);
    await this.#run("cp", ["-a", `${join(this.beside, "world")}/.`, this.#world.directory]);
  }

  async #run(command: string, args: string[]): Promise<void> {
    const { success, stderr } = await new Deno.Command(command, { args, stdout: "null" }).output();
    if (!success) throw new Error(`${command} failed: ${new TextDecoder().decode(stderr)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.beside, { recursive: true });
  }
}
