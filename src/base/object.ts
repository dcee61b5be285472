/** Objects whose members may be missing, or of which nothing is known. */

/** The members of an object of which nothing is known: of JSON, of YAML, of a call. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** The members of a value; none where it is no object. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** The value that a text holds as JSON; undefined where it holds none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object that a text of JSON holds; why it holds none, as the end of a sentence about the text. */
export function readObject(text: string): Fields | string {
  const value = jsonIn(text);
  if (value === undefined) return "it is not valid JSON";
  return isObject(value) ? value : "it does not hold an object";
}

/** The value that a path leads to, undefined where it leads nowhere. Only members of an object's own count. */
export function memberAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === "object" && Object.hasOwn(at, step)
        ? (at as Readonly<Record<PropertyKey, unknown>>)[step]
        : undefined,
    value,
  );
}

/** The members of an object, those that may be undefined as ones that may be missing. */
type Defined<T> =
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

/** A list or an object with each member changed; the same one where no member was, so that little is copied. */
export function mapMembers(
  value: object,
  change: (member: unknown, name: string) => unknown,
): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => change(item, ""));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const changed = new Map<string, unknown>();
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    const other = change(member, name);
    if (other !== member) changed.set(name, other);
  }
  if (changed.size === 0) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      changed.has(name) ? changed.get(name) : member,
    ]),
  );
}
