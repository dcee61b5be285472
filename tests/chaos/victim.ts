/**
 * What the chaos suite knows about a command.
 *
 * @module
 */

import type { World } from "../support/world.ts";

/** A command that is interrupted. */
export interface Victim {
  readonly name: string;
  readonly args: readonly string[];
  /** Arguments that are only known once the world is prepared. */
  readonly more?: (world: World) => Promise<readonly string[]>;
  /** What settles an interruption; `doctor --repair` of the ecosystem when absent. */
  readonly repair?: readonly string[];
  readonly prepare: () => Promise<World>;
  /**
   * How what is left may look: as before or as after, all of it (`whole`) or each repository for itself (`each`).
   * `told` means that nothing can be compared, because the command writes down when it did what; `done` decides then.
   */
  readonly ends: "whole" | "each" | "told";
  /** Whether all of it has happened. */
  readonly done?: (world: World) => Promise<boolean>;
  /** Lines of the inventory that may be anything in between: what a transfer has brought, and notes about it. */
  readonly overlooks?: RegExp;
  /** Whether its world begins with something to repair. */
  readonly broken?: boolean;
  /** Whether it is meant to give up what is only here. */
  readonly givesUp?: boolean;
  /** Whether it is meant to make other commits of those that are only here. */
  readonly rewrites?: boolean;
  /**
   * What the same command says where a repository was left in the middle, with the command that leads out of it as the
   * first group; it is pasted then.
   */
  readonly wayOut?: RegExp;
  /** What the same command answers once it is done, besides success. */
  readonly again?: readonly string[];
}

/** Runs a command that must succeed. */
export async function must(world: World, ...args: string[]): Promise<void> {
  const ran = await world.amof(args);
  if (ran.code !== 0) throw new Error(`amof ${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
}

/** Whether nothing is uncommitted. */
export async function isClean(world: World, directory: string): Promise<boolean> {
  return await world.git(directory, "status", "--porcelain") === "";
}
