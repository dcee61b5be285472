/**
 * Where the service does not behave as its description says, or as one would expect. All of that is dealt with here,
 * in the record readers (`records.ts`) and in the transport; nothing above the client knows any of it.
 *
 * 1. A filtered read without a match answers 404, not an empty list: {@linkcode listOf}, {@linkcode oneOf}.
 * 2. Some lists answer 404 for whole accounts. Without a filter that never means "none": {@linkcode wholeList}.
 * 3. An object, a list or null may come where one of them is described: {@linkcode rows}.
 * 4. Texts that are called required are null: every member of a record is read leniently.
 * 5. The status of a purchase order is a word or its number: {@linkcode statusOf}.
 * 6. POST writes over what has the same key: whoever creates looks first, the client says where.
 * 7. A date cannot be cleared by null, and
 * 8. null may overwrite while a member that is left out keeps its value: {@linkcode present} sends no null, ever.
 * 9. Deletes answer 200, 201 or 204, all of them empty: any good status is done, whatever the body.
 * 10. DELETE without its filter may wipe a collection: the transport refuses to send one.
 * 11. Some declared answers are wrong: the bodies of stock are not read.
 * 12. Pages are counted and end in different ways: {@linkcode pageOf}.
 * 13. The id of a product and the code that people use differ: {@linkcode theProduct}.
 */

import { AmofError } from "../../../base/error.ts";
import { isObject } from "../../../base/object.ts";
import type { Answer } from "./transport.ts";

/** The objects of an answer: those of a list, the one alone, none of null or of anything else. */
export function rows(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

/** Reads the records of an answer; what is no record of the kind is left out. */
export function read<T>(value: unknown, record: (row: unknown) => T | null): readonly T[] {
  return rows(value).map(record).filter((item) => item !== null);
}

/** The records of a list without a filter, of which 404 does not tell that it is empty. */
export function wholeList<T>(
  what: string,
  answer: Answer,
  value: () => unknown,
  record: (row: unknown) => T | null,
): readonly T[] {
  if (answer.status !== 404) return read(value(), record);
  throw new AmofError(
    "stocktrim_failed",
    `Cannot ${what}: StockTrim answered 404 for this list; it may be switched off for your account`,
    {
      hint: "Ask for a single one by its code, or ask StockTrim whether the list is available",
      details: { status: 404, kind: "list_not_available" },
    },
  );
}

/** One page of a list that the service gives out in pages. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Whether there may be another page behind it. */
  readonly more: boolean;
}

/** A page of a list: a full one may have another behind it. */
export function pageOf<T>(items: readonly T[], rowCount: number, size: number): Page<T> {
  return { items, more: rowCount >= size };
}

/** How far purchase orders can be, in their order. */
export const STATUSES = ["Draft", "Approved", "Sent", "Received"] as const;
/** How far a purchase order is. */
export type PurchaseOrderStatus = typeof STATUSES[number];

/** An object without its members that are null or undefined, at every depth. */
export function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([name, member]) => [name, present(member)]),
  );
}
