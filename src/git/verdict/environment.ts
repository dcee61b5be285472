/** How everything outside of clones stands that answers of git depend on, for one call of a command. */

import { sha256 } from "../../base/hash.ts";
import type { ProcessResult, System } from "../../base/system/mod.ts";
import type { Book } from "./books.ts";
import type { Outside } from "./outside.ts";
import { type StampFacts, stampFacts } from "../files/signature.ts";

/** How it stood at a moment. */
export interface EnvironmentState {
  readonly outside: Outside;
  /** A hash of it, and when it was looked at. */
  readonly environment: string;
  readonly at: number;
  readonly facts: StampFacts;
}

/** Asks git something in a clone. */
export type Ask = (args: readonly string[]) => Promise<ProcessResult>;

/** How long a look at what is outside of clones serves, so that it is not taken for each of them. */
const OUTSIDE_MS = 1_000;

/** Looks at what is outside of clones. */
export class GitEnvironment {
  readonly #system: System;
  #outside: Promise<Outside | null> | null = null;
  #last: EnvironmentState | null = null;

  constructor(system: System) {
    this.#system = system;
  }

  /** Looks anew when it is asked next: what comes now may have been changed by what came between. */
  forget(): void {
    this.#last = null;
  }

  /** How it stands; null where that is not understood. */
  async at(now: number, run: Ask, book: Book): Promise<EnvironmentState | null> {
    const known = this.#last;
    if (known !== null && known.at <= now && now < known.at + OUTSIDE_MS) return known;
    const outside = await this.#outsideOf(run, book);
    // To say that there is nothing costs far less than not to find it.
    const there = await Promise.all(
      outside?.paths.map(async (path) => await this.#system.files.exists(path) ? [path] : []) ?? [],
    );
    const stamps = await this.#stamps(there.flat());
    if (outside === null || stamps === null) return null;
    const environment = sha256([outside.environment, ...there.flat(), stamps].join("\n"))
      .slice(0, 20);
    this.#last = { outside, environment, at: now, facts: stampFacts(stamps) };
    return this.#last;
  }

  #stamps(paths: readonly string[]): Promise<Int32Array | null> {
    return this.#system.files.stamps("/", paths).catch(() => null);
  }

  #outsideOf(run: Ask, book: Book): Promise<Outside | null> {
    this.#outside ??= (async () => {
      const { outsideOf } = await import("./outside.ts");
      return await outsideOf(this.#system, async (program) => {
        const stamp = `${await this.#stamps([program])}`;
        if (book.program?.stamp === stamp) return book.program.file;
        const file = systemFileIn(
          await run(["config", "--list", "--system", "--show-origin", "--no-includes", "-z"]),
        );
        if (file !== null) book.program = { stamp, file };
        return file;
      });
    })().catch(() => null);
    return this.#outside;
  }
}

/** The file that git reads before all others, as it names it; null where it does not. */
function systemFileIn({ stdout, stderr }: ProcessResult): string | null {
  return /^file:([^\0]+)\0/.exec(stdout)?.[1] ??
    /unable to read config file '(.+)': No such file/.exec(stderr)?.[1] ?? null;
}
