/**
 * Small processes that start programs for this one.
 *
 * This process takes about a millisecond to start another, because the system copies the tables of a large memory for
 * that, and it starts one after the other. A shell takes a fraction of it, and several do it at the same time. Each
 * runs one fixed script: what is run was given to it as its arguments, where is a line of its input, and neither is
 * ever read as part of a script.
 *
 * @module
 */

import type { Helpers, ProcessRequest, ProcessResult } from "../mod.ts";
import { Helper } from "./helper.ts";

/** The most helpers of one kind of call. Where there are more calls at once, this process starts the rest itself. */
const MOST = 8;
/**
 * Names that every shell hands on to the programs it starts, functions, which it may, and the one that a task of Deno
 * leaves behind, which nobody reads.
 */
const HANDED_ON = /^(?:[A-Za-z_][A-Za-z0-9_]*|BASH_FUNC_.*|\?)$/;
/** Variables by which a shell would do something else than its script says. */
const TURNING = /^(?:SHELLOPTS|BASHOPTS|amof_.*)$/;

/** The helpers for calls that differ only in where they run. */
interface Family {
  readonly idle: Helper[];
  count: number;
  /** Whether it is known that there is more than one call of the kind. */
  isLarge: boolean;
}

/** Whether a helper can run it: it needs to be told the directory alone, by a line. */
function isSimple(request: ProcessRequest): request is ProcessRequest & { readonly cwd: string } {
  const { cwd, stdin, onLine, silenceMs } = request;
  return cwd !== undefined && cwd.startsWith("/") && !cwd.includes("\n") && cwd.isWellFormed() &&
    stdin === undefined && onLine === undefined && silenceMs === undefined &&
    Object.keys(request.env ?? {}).every(isHandedOn);
}

/** Whether a shell hands a variable on as it is, and does what it would do without. */
function isHandedOn(name: string): boolean {
  return HANDED_ON.test(name) && !TURNING.test(name);
}

/** Helpers of this process. */
export class RealHelpers implements Helpers {
  readonly #families = new Map<string, Family>();
  readonly #all: Helper[] = [];
  #usable = Object.keys(Deno.env.toObject()).every(isHandedOn);

  async run(request: ProcessRequest): Promise<ProcessResult | null> {
    if (!this.#usable || !isSimple(request) || request.signal?.aborted) return null;
    const family = this.#familyOf(request);
    const helper = family.idle.pop() ?? this.#start(family, request);
    if (helper === null) return null;
    const result = await helper.run(request);
    if (helper.isReady) family.idle.push(helper);
    else family.count--;
    return result;
  }

  async close(): Promise<void> {
    this.#usable = false;
    await Promise.all(this.#all.map((helper) => helper.close()));
  }

  #familyOf(request: ProcessRequest): Family {
    const { command, args, env = null, clearEnv = false } = request;
    const key = JSON.stringify([command, args, env, clearEnv]);
    const known = this.#families.get(key);
    if (known !== undefined) {
      known.isLarge = true;
      return known;
    }
    // The first question of a process is asked of all repositories; others may be asked once only.
    const family: Family = { idle: [], count: 0, isLarge: this.#families.size === 0 };
    this.#families.set(key, family);
    return family;
  }

  #start(family: Family, request: ProcessRequest): Helper | null {
    if (!family.isLarge || family.count >= MOST) return null;
    try {
      const helper = new Helper(request);
      family.count++;
      this.#all.push(helper);
      return helper;
    } catch {
      // Where no shell can be started, this process starts all programs itself.
      this.#usable = false;
      return null;
    }
  }
}
