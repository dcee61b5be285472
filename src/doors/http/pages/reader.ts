/** What pages show: answers of reading commands, asked for as any caller of the server asks (PAGE-1). */

import type { App } from "../../../pipeline/app.ts";
import { loadCommand } from "../../../pipeline/registry.ts";
import { errorObject, toAmofError } from "../../../base/error.ts";
import { forOthers } from "../../../base/system/layout.ts";
import { carrying, type CarryOut } from "../call.ts";
import type { Failed } from "./parts.tsx";
import type { StatusData } from "../../../commands/status/view.ts";

/** What a command answered: its data, or why there are none, with the part of them that there is. */
export type Answered<T> =
  | { readonly data: T; readonly part?: undefined; readonly failed?: undefined }
  | { readonly data: null; readonly part: T | null; readonly failed: Failed };

/** Asks reading commands. */
export class Reader {
  readonly #app: App;
  readonly #over: AbortSignal;
  readonly #carryOut: CarryOut;

  /** Commands that still run when `over` aborts are given up. */
  constructor(app: App, over: AbortSignal) {
    this.#app = app;
    this.#over = over;
    this.#carryOut = carrying(
      app,
      { mode: "ask", maxMode: "ask", confirmBy: "human" },
      () => false,
    );
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#app.system.clock.now();
  }

  /** Asks a command by its name; `T` is what it answers. Never throws for what a command refuses. */
  async ask<T>(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
  ): Promise<Answered<T>> {
    const command = await loadCommand(name);
    if (command?.kind !== "query") throw new TypeError(`${name} is no reading command`);
    const { hex } = this.#app.system.ids;
    const by = {
      sessionId: `sess_${hex(12)}`,
      owner: "pages",
      client: "pages",
      signal: this.#over,
    };
    const outcome = await this.#carryOut({ command, args, by });
    const { envelope } = outcome;
    if (!outcome.isError) return { data: envelope as unknown as T };
    return {
      data: null,
      part: envelope["error"] === "partial_failure" ? envelope as unknown as T : null,
      failed: {
        code: String(envelope["error"]),
        message: String(envelope["message"]),
        hint: outcome.hint,
        status: statusOf(Number(envelope["http"] ?? 0)),
      },
    };
  }

  /** What was thrown, as pages show it. */
  failureOf(thrown: unknown): Failed {
    const { system } = this.#app;
    const { error, message, hint, http } = errorObject(
      forOthers(system, toAmofError(thrown, () => system.ids.hex(8))),
    );
    return { code: error, message, hint, status: statusOf(http) };
  }
}

/** The status of an answer that tells of a failure; one without a status of its own is about what was asked. */
function statusOf(http: number): number {
  return http === 0 ? 400 : http;
}

// The state of repositories at the last look. A look costs a git process for each of them. So pages show what
// is known at once, and one look serves everybody who waits for it (PAGE-2).

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
    return await this.#going.getOrInsertComputed(
      ecosystem,
      () => this.#look(ecosystem).finally(() => this.#going.delete(ecosystem)),
    );
  }

  async #look(ecosystem: string): Promise<Look> {
    const answer = await this.#reader.ask<StatusData>("amof_get_ecosystem_status", { ecosystem });
    const look = { at: this.#reader.now(), answer };
    this.#known.set(ecosystem, look);
    return look;
  }
}
