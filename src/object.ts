/**
 * Objects whose members may be missing.
 *
 * @module
 */

/** The members of an object, those that may be undefined as ones that may be missing. */
export type Defined<T> =
  & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/**
 * The object without the members that are undefined; null stays.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { defined } from "./object.ts";
 *
 * const hint: string | undefined = undefined;
 * assertEquals({ message: "gone", ...defined({ hint, code: null }) }, { message: "gone", code: null });
 * ```
 */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
