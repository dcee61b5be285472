/**
 * What the operations of the stand-in work with and answer.
 *
 * @module
 */

import type { Row, Shop } from "./fixture.ts";

/** A request as the stand-in reads and records it. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is answered: an object or list goes as JSON, a string as it is. */
export interface FakeAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How this account behaves where accounts differ. */
export interface Behaviour {
  /** One record is answered as a list of one. */
  lists: boolean;
  /** Statuses of purchase orders are numbers. */
  numbers: boolean;
  /** The older lists of purchase orders, sales orders and locations answer 404. */
  off: boolean;
}

/** What operations work on. */
export interface Desk {
  readonly shop: Shop;
  readonly behaviour: Behaviour;
  /** How often the progress of a calculation is asked for until it is done; null where none goes on. */
  polls: number | null;
}

/** What answers a request. */
export type Operation = (desk: Desk, request: FakeRequest) => FakeAnswer;

/** An error in the form of RFC 7807. */
export function problem(status: number, title: string, detail: string): FakeAnswer {
  return {
    status,
    body: { type: "about:blank", title, status, detail },
    headers: { "content-type": "application/problem+json" },
  };
}

/** What the service says where nothing matches. */
export const NONE: FakeAnswer = problem(404, "Not Found", "No match was found");
/** An answer without a body. */
export const EMPTY = (status: number): FakeAnswer => ({ status });
/** What the service says to a body that it cannot take. */
export const WRONG_SHAPE: FakeAnswer = { status: 415, body: "Unsupported Media Type" };

/** Whether a member has the value that was asked for; never where none was. */
export function equal(value: unknown, wanted: string | undefined): boolean {
  return wanted !== undefined && value === wanted;
}

/** The one that was asked for, alone or as a list, and 404 for none. */
export function one(desk: Desk, found: readonly Row[]): FakeAnswer {
  if (found.length === 0) return NONE;
  return { status: 200, body: desk.behaviour.lists ? found : found[0] };
}

/** Writes a record over the one with the same key, or adds it; members that are left out stay. */
export function upsert(
  all: Row[],
  key: string,
  given: Row,
): { readonly row: Row; readonly fresh: boolean } {
  const stored = all.find((row) => row[key] !== null && row[key] === given[key]);
  if (stored === undefined) {
    const row = { id: 9_000 + all.length, ...given };
    all.push(row);
    return { row, fresh: true };
  }
  Object.assign(stored, given);
  return { row: stored, fresh: false };
}

function removeAll(all: Row[], isIt: (row: Row) => boolean): boolean {
  const rest = all.filter((row) => !isIt(row));
  const removed = rest.length < all.length;
  all.splice(0, all.length, ...rest);
  return removed;
}

/** A delete of all that `isIt` for the value of the parameter `filter`. */
export function remove(
  all: (shop: Shop) => Row[],
  filter: string,
  isIt: (row: Row, wanted: string | undefined) => boolean,
  status: number,
): Operation {
  return ({ shop }, { query }) =>
    removeAll(all(shop), (row) => isIt(row, query[filter])) ? EMPTY(status) : NONE;
}
