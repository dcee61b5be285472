/**
 * A world in which a chosen write fails, for proving that changes are all or nothing.
 *
 * @module
 */

import type { Files, System } from "../../src/base/system/mod.ts";

/** How the chosen write goes wrong. */
export type Fault =
  /** It throws, and everything after it works. */
  | "fails"
  /** It does not happen, and neither does anything after it, as when the process is killed. */
  | "killed before"
  /** A new file is written by half, and nothing after it happens. */
  | "killed within";

/** Thrown by the write that goes wrong, and by every later one of a killed process. */
export class InjectedFault extends Error {
  override readonly name = "InjectedFault";
}

/** The world, and how many writes were asked of it. */
export interface FaultySystem {
  readonly system: System;
  /** Writes so far. */
  writes(): number;
  /** Whether the `nth` of them made a new file, which can be cut off in the middle. */
  creates(nth: number): boolean;
}

/** Wraps a world so that its `nth` write, counted from 1, goes wrong; 0 lets all pass and only counts. */
export function faultySystem(system: System, nth: number, fault: Fault): FaultySystem {
  let count = 0;
  let dead = false;
  const creations = new Set<number>();
  const guard = async <T>(work: () => Promise<T>, torn?: () => Promise<unknown>): Promise<T> => {
    if (dead) throw new InjectedFault("killed");
    count++;
    if (torn !== undefined) creations.add(count);
    if (count !== nth) return await work();
    dead = fault !== "fails";
    if (fault === "killed within") await torn?.();
    throw new InjectedFault(`write ${nth} ${fault}`);
  };
  const { files } = system;
  const half = (content: string | Uint8Array) => content.slice(0, Math.floor(content.length / 2));
  const faulty: Files = {
    ...files,
    write: (path, content, options) => guard(() => files.write(path, content, options)),
    create: (path, content, options) =>
      guard(
        () => files.create(path, content, options),
        () => files.create(path, half(content), options),
      ),
    makeDirectory: (path) => guard(() => files.makeDirectory(path)),
    rename: (from, to) => guard(() => files.rename(from, to)),
    remove: (path) => guard(() => files.remove(path)),
    removeTree: (path) => guard(() => files.removeTree(path)),
    copy: (from, path, options) =>
      guard(
        () => files.copy(from, path, options),
        () => files.create(path, "half", options),
      ),
    duplicate: (from, path) =>
      guard(
        () => files.duplicate(from, path),
        () => files.create(path, "half"),
      ),
    link: (file, path) => guard(() => files.link(file, path)),
    symlink: (target, path) => guard(() => files.symlink(target, path)),
  };
  return {
    system: { ...system, files: faulty },
    writes: () => count,
    creates: (nth) => creations.has(nth),
  };
}
