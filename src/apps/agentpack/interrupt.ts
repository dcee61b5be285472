/**
 * Lets a call be interrupted, and others have their turn while it works.
 *
 * Looking at files blocks, so a call that looks at thousands of them would notice nothing until its end. Its
 * files therefore pause now and then for everything else, and end the call once it is interrupted. They do not
 * end it in the middle of a change: from the first write on only {@linkcode safePoint} does.
 */

import type { Pause } from "../../base/async/pool.ts";
import type { Files, System } from "../../base/system/mod.ts";
import { interrupted } from "./error.ts";

/** After so many milliseconds others have a turn. */
const TURN_MS = 20;

interface Behind {
  readonly files: Files;
  readonly signal: AbortSignal | undefined;
  readonly turn: () => Promise<void> | null;
}

const behind = new WeakMap<Files, Behind>();

/** Answers when others have had their turn, or null as long as they need none. */
function turns(system: System): () => Promise<void> | null {
  let since = performance.now();
  let turn: Promise<void> | null = null;
  return () => {
    if (turn !== null) return turn;
    if (performance.now() - since < TURN_MS) return null;
    turn = system.clock.sleep(0).then(() => {
      since = performance.now();
      turn = null;
    });
    return turn;
  };
}

/** A world whose files stop for others, and end the call when `signal` aborts. */
export function interruptible(system: System, signal?: AbortSignal): System {
  const { files } = system;
  const turn = turns(system);
  let writing = false;
  const check = () => {
    if (signal?.aborted && !writing) throw interrupted(signal.reason);
  };
  const reading =
    <A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> => {
      const wait = turn();
      if (wait === null && !signal?.aborted) return work(...args);
      return (wait ?? GOES_ON).then(() => {
        check();
        return work(...args);
      });
    };
  const changing = <A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) =>
  (
    ...args: A
  ): Promise<T> => {
    writing = true;
    return work(...args);
  };
  const wrapped: Files = {
    ...files,
    readText: reading(files.readText),
    readBytes: reading(files.readBytes),
    hash: reading(files.hash),
    stat: reading(files.stat),
    exists: reading(files.exists),
    lstat: reading(files.lstat),
    list: reading(files.list),
    realPath: reading(files.realPath),
    readLink: reading(files.readLink),
    isWritable: reading(files.isWritable),
    write: changing(files.write),
    copy: changing(files.copy),
    duplicate: changing(files.duplicate),
    create: changing(files.create),
    makeDirectory: changing(files.makeDirectory),
    rename: changing(files.rename),
    remove: changing(files.remove),
    removeTree: changing(files.removeTree),
    link: changing(files.link),
    symlink: changing(files.symlink),
  };
  behind.set(wrapped, { files, signal, turn });
  return { ...system, files: wrapped };
}

/** The same files for work that has to come to its end: they never end the call. */
export function steady(files: Files): Files {
  return behind.get(files)?.files ?? files;
}

/** A place in a change, or in long work without files, where others have their turn and the call may end. */
export function safePoint(files: Files): Promise<void> {
  const found = behind.get(files);
  if (found === undefined) return GOES_ON;
  const wait = found.turn();
  if (wait === null && !found.signal?.aborted) return GOES_ON;
  return (wait ?? GOES_ON).then(() => {
    if (found.signal?.aborted) throw interrupted(found.signal.reason);
  });
}

/** One for all: of a thousand safe points nearly every one is this. */
const GOES_ON = Promise.resolve();

/** The safe points of work on what a call found, which needs no files any more. */
export function safePoints(system: System, signal: AbortSignal): Pause {
  const { files } = interruptible(system, signal);
  return () => safePoint(files);
}
