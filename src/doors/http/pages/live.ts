/**
 * How repositories stood when they were looked at last. A look costs a git process for each of them, so that pages show
 * what is known at once, and one look serves everybody who waits for it (PAGE-2).
 */

import type { StatusData } from "../../../commands/status/view.ts";
import type { Answered, Reader } from "./reader.ts";

/** A look that is younger is not repeated, in milliseconds. */
const FRESH_MS = 2_000;

/** What a look found, and when. */
export interface Look {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly answer: Answered<StatusData>;
}

/** The last look at each ecosystem. */
export class Looks {
  readonly #reader: Reader;
  readonly #known = new Map<string, Look>();
  readonly #going = new Map<string, Promise<Look>>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** What was found last; null before the first look. */
  known(ecosystem: string): Look | null {
    return this.#known.get(ecosystem) ?? null;
  }

  /** Looks now, unless somebody just did. */
  async now(ecosystem: string): Promise<Look> {
    const known = this.known(ecosystem);
    if (known !== null && this.#reader.now() - known.at < FRESH_MS) return known;
    const going = this.#going.get(ecosystem);
    if (going !== undefined) return await going;
    const look = this.#look(ecosystem).finally(() => this.#going.delete(ecosystem));
    this.#going.set(ecosystem, look);
    return await look;
  }

  async #look(ecosystem: string): Promise<Look> {
    const answer = await this.#reader.ask<StatusData>("amof_get_ecosystem_status", { ecosystem });
    const look = { at: this.#reader.now(), answer };
    this.#known.set(ecosystem, look);
    return look;
  }
}
