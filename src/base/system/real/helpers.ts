/**
 * Small processes that start programs for this one.
 *
 * This process takes about a millisecond to start another, because the system copies the tables of a large memory for
 * that, and it starts one after the other. A shell takes a fraction of it, and several do it at the same time. Each
 * runs one fixed script: what is run was given to it as its arguments, where is a line of its input, and neither is
 * ever read as part of a script.
 */

import { Slots } from "../../async/pool.ts";
import type { Helpers, ProcessRequest, ProcessResult } from "../mod.ts";
import { Helper } from "./helper.ts";

/** The most helpers of one kind of call. What is more at once, this process starts itself. */
const MOST = 8;
/**
 * Names that every shell hands on to the programs it starts, functions, which it may, and the one that a task of Deno
 * leaves behind, which nobody reads.
 */
const HANDED_ON = /^(?:[A-Za-z_][A-Za-z0-9_]*|BASH_FUNC_.*|\?)$/;
/** Variables by which a shell would do something else than its script says. */
const TURNING = /^(?:SHELLOPTS|BASHOPTS|amof_.*)$/;

type Environment = NonNullable<ProcessRequest["env"]>;

/** The helpers for calls that differ only in where they run. */
interface Family {
  /** The first call of the kind. */
  readonly like: ProcessRequest;
  /** Whether a shell hands its environment on as it is. */
  readonly isHandedOn: boolean;
  helpers: Helper[];
  /** Whether it is known that there is more than one call of the kind. */
  isLarge: boolean;
}

/** Whether a helper can run it: it needs to be told the directory alone, by a line. */
function isSimple(request: ProcessRequest): request is ProcessRequest & { readonly cwd: string } {
  const { cwd, stdin, onLine, silenceMs } = request;
  return cwd !== undefined && cwd.startsWith("/") && !cwd.includes("\n") && cwd.isWellFormed() &&
    stdin === undefined && onLine === undefined && silenceMs === undefined;
}

/** Whether two calls differ only in where they run. Asked for each call, so nothing is made for it. */
function isAlike(one: ProcessRequest, other: ProcessRequest): boolean {
  return one.command === other.command && one.clearEnv === other.clearEnv &&
    one.args.length === other.args.length &&
    one.args.every((argument, index) => argument === other.args[index]) &&
    hasSame(one.env ?? {}, other.env ?? {});
}

function hasSame(one: Environment, other: Environment): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && one[name] === other[name]);
}

/** Whether a shell hands a variable on as it is, and does what it would do without. */
function isHandedOn(name: string): boolean {
  return HANDED_ON.test(name) && !TURNING.test(name);
}

/** Helpers of this process. */
export class RealHelpers implements Helpers {
  /** How many calls can be given to these at once, so that as many run as were asked for and none waits for this process. */
  readonly lanes: number;
  readonly #most: number;
  /** Turns for what this process starts itself. */
  readonly #own: Slots;
  readonly #families: Family[] = [];
  readonly #all: Helper[] = [];
  #usable = Object.keys(Deno.env.toObject()).every(isHandedOn);

  /** For at most `jobs` programs at once. */
  constructor(jobs: number) {
    const most = Math.max(1, jobs);
    this.#most = Math.min(MOST, most);
    this.lanes = most + this.#most;
    this.#own = new Slots(most);
  }

  async run(request: ProcessRequest): Promise<ProcessResult | null> {
    if (!this.#usable || !isSimple(request) || request.signal?.aborted) return null;
    const family = this.#familyOf(request);
    if (!family.isHandedOn) return null;
    const [free] = family.helpers.filter(({ isReady }) => isReady)
      .sort((one, other) => one.taken - other.taken);
    const helper = free?.taken === 0 ? free : this.#start(family, request) ?? free;
    return await helper?.run(request) ?? null;
  }

  turn<T>(work: () => Promise<T>): Promise<T> {
    return this.#own.turn(work);
  }

  async close(): Promise<void> {
    this.#usable = false;
    await Promise.all(this.#all.map((helper) => helper.close()));
  }

  #familyOf(request: ProcessRequest): Family {
    const known = this.#families.find(({ like }) => isAlike(like, request));
    if (known !== undefined) {
      known.isLarge = true;
      return known;
    }
    const family: Family = {
      like: request,
      isHandedOn: Object.keys(request.env ?? {}).every(isHandedOn),
      helpers: [],
      // The first question of a process is asked of all repositories; others may be asked once only.
      isLarge: this.#families.length === 0,
    };
    this.#families.push(family);
    return family;
  }

  #start(
    family: Family,
    request: ProcessRequest & { readonly cwd: string },
  ): Helper | null {
    family.helpers = family.helpers.filter(({ isSound }) => isSound);
    if (!family.isLarge || family.helpers.length >= this.#most) return null;
    try {
      const helper = new Helper(request);
      family.helpers.push(helper);
      this.#all.push(helper);
      return helper;
    } catch {
      // Where no shell can be started, this process starts all programs itself.
      this.#usable = false;
      return null;
    }
  }
}
