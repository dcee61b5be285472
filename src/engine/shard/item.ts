/** What the work on one item of a plan is given, and what it answers, whatever the kind of the action. */

import type { PathChange } from "../../git/write/mod.ts";
import type { System } from "../../base/system/mod.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import type { Budgets } from "./budget.ts";
import type { ItemEnd, Piece } from "./line.ts";

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

/** An item whose clone is there. */
export interface Cloned {
  readonly item: PlanItem;
  /** The clone, absolute. */
  readonly directory: string;
  /** The commit it stands at; null where the branch has none. */
  readonly commit: string | null;
}
