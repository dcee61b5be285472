/**
 * Kills commands inside their git calls, with the wrapper of the chaos suite.
 *
 * @module
 */

import type { Random } from "../chaos/random.ts";
import type { Report } from "../chaos/report.ts";
import { STRIKE_WORDS, STRIKES, Wrapper } from "../chaos/strike.ts";
import type { World } from "../support/world.ts";

/** One command in so many is struck. */
const ONE_IN = 3;
/** The last call of git that is struck; a command with fewer calls ends by itself. */
const LAST_CALL = 14;
/** How long a git that is killed with its caller runs at most, in milliseconds. */
const MOST_MS = 25;

/** What a command is run with, and what to do once it has ended. */
interface Armed {
  readonly env: Readonly<Record<string, string>>;
  readonly ended: () => Promise<void>;
}

const UNARMED: Armed = { env: {}, ended: () => Promise.resolve() };

/** Strikes at one place. */
export class Strikes implements AsyncDisposable {
  /** Whether commands are struck now. */
  active = false;
  readonly #wrapper: Wrapper;
  readonly #directory: string;
  readonly #report: Report;

  private constructor(wrapper: Wrapper, directory: string, report: Report) {
    this.#wrapper = wrapper;
    this.#directory = directory;
    this.#report = report;
  }

  /** Puts the wrapper where the disk is never full. */
  static async make(world: World, report: Report): Promise<Strikes> {
    const directory = await Deno.makeTempDir({ prefix: "amof-strikes-" });
    return new Strikes(await Wrapper.make(world, directory), directory, report);
  }

  /** What the next command is run with: mostly nothing, sometimes what kills it in one of its calls of git. */
  async next(random: Random): Promise<Armed> {
    const strike = random.one(STRIKES);
    const at = 1 + random.below(LAST_CALL);
    const delay = random.below(MOST_MS);
    if (random.below(ONE_IN) > 0 || !this.active) return UNARMED;
    const env = await this.#wrapper.armed(at, strike, delay);
    const call = `${env["CHAOS_CALLS"]}/${at}`;
    return {
      env,
      ended: async () => {
        const struck = await Deno.stat(call).then(() => true, () => false);
        if (struck) this.#report.count(`command ${STRIKE_WORDS[strike]}`);
      },
    };
  }

  /** Removes the wrapper. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#directory, { recursive: true }).catch(() => {});
  }
}
