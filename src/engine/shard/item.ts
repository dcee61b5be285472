/** What the work on one item of a plan is given, and what it answers, whatever the kind of the action. */

import type { PathChange } from "../../git/write/mod.ts";
import type { System } from "../../base/system/mod.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import type { Budgets } from "./budget.ts";
import type { ItemEnd, Piece } from "./line.ts";
import { hostOf } from "../../git/mod.ts";

/** Says why changes must not leave the repository, or null; `noTouch` are the globs of the plan. */
export type Judge = (
  changes: readonly PathChange[],
  noTouch: readonly string[],
) => Promise<string | null>;

/** What the work on an item needs besides the item. */
export interface ItemContext {
  readonly system: System;
  readonly plan: Plan;
  readonly budgets: Budgets;
  /** Where clones of this start of the shard lie, absolute. */
  readonly scratch: string;
  /** Where this node keeps mirrors, absolute; null for none. */
  readonly mirrors: string | null;
  /** NAME=VALUE by which everything that is started is found again. */
  readonly mark: string;
  /** The variables with which everything is started that is to be found again, that of `mark` among them. */
  readonly marks: Readonly<Record<string, string>>;
  /** Ends it early; its reason tells whether the time is over. */
  readonly signal: AbortSignal;
  /** What says of paths that a program has changed why they must not leave; see {@linkcode Judge}. */
  readonly judge: Judge;
  /** Sends a piece of something home. */
  readonly send: (piece: Piece) => void;
  readonly log: (stream: "stdout" | "stderr", text: string) => void;
}

/** An item with its number in the plan. */
export interface Numbered {
  readonly at: number;
  readonly item: PlanItem;
}

/** The reason with which work is ended whose time is over. */
export const TIME_IS_OVER = "the time of the shard is over";

/** How an item ended, without what every end says. */
export type Ending = Omit<ItemEnd, "i" | "repo" | "seconds">;

// In which order a shard works on its items: those whose host is to be left alone for a while come later (PLAN-5).

/** An item that waits for its turn. */
export interface Queued extends Numbered {
  /** What its host said when it was asked too often; null where nothing was asked for it yet. */
  readonly why: string | null;
}

/** An item, and for how long its host is to be left alone, in milliseconds; infinite where it is not asked again. */
interface Next extends Queued {
  readonly waitMs: number;
}

/** The items of a shard that are still to be worked on. */
export class Queue {
  readonly #budgets: Pick<Budgets, "closedFor">;
  /** The last one is the next. */
  readonly #open: Queued[];
  /** Those whose host was closed when it was their turn, by their hosts; the first one is the next. */
  readonly #held = new Map<string, Queued[]>();

  constructor(items: readonly Numbered[], budgets: Pick<Budgets, "closedFor">) {
    this.#budgets = budgets;
    this.#open = items.map((item) => ({ ...item, why: null })).reverse();
  }

  /**
   * The item that comes next, null when there is none. It is taken out, unless its host is to be left alone for a while:
   * then none may be begun before.
   */
  next(): Next | null {
    for (const [host, held] of this.#held) {
      if (this.#closedFor(held) === 0) return { ...this.#take(host, held), waitMs: 0 };
    }
    for (let queued = this.#open.pop(); queued !== undefined; queued = this.#open.pop()) {
      if (this.#budgets.closedFor(queued.item.url) === 0) return { ...queued, waitMs: 0 };
      this.#heldOf(queued).push(queued);
    }
    const [soonest] = [...this.#held].map(([host, held]) => ({
      host,
      held,
      waitMs: this.#closedFor(held),
    })).toSorted((a, b) => a.waitMs - b.waitMs);
    const first = soonest?.held[0];
    if (soonest === undefined || first === undefined) return null;
    const { host, held, waitMs } = soonest;
    return { ...(waitMs === Infinity ? this.#take(host, held) : first), waitMs };
  }

  /** Puts back an item whose host was asked too often: it is the first of that host again. */
  again({ at, item }: Numbered, why: string | null): void {
    this.#heldOf({ item }).unshift({ at, item, why });
  }

  #heldOf({ item }: Pick<Numbered, "item">): Queued[] {
    const host = hostOf(item.url);
    const held = this.#held.get(host) ?? [];
    this.#held.set(host, held);
    return held;
  }

  #closedFor([first]: readonly Queued[]): number {
    return first === undefined ? 0 : this.#budgets.closedFor(first.item.url);
  }

  #take(host: string, held: Queued[]): Queued {
    const first = held.shift();
    if (held.length === 0) this.#held.delete(host);
    if (first === undefined) {
      throw new TypeError(`Cannot take what waits for ${host}: nothing does`);
    }
    return first;
  }
}
