/**
 * A small stand-in for the zod namespace, for the usual case that what was given is right.
 *
 * zod takes longer to load and to build its first schema than a short command has for everything else. What this
 * accepts, zod accepts with the same result; what it does not accept, or cannot say, is zod's to judge, whose messages
 * are the only ones.
 */

import type { ZodNamespace } from "./input.ts";

/** What a schema answers that does not accept. */
const NOT = Symbol("not accepted");

/** The ids that this program makes; there are more that zod accepts. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Read = (value: unknown) => unknown;
type Shape = Readonly<Record<string, Light>>;
type Fields = Readonly<Record<string, unknown>>;

/** What is told of a schema, under the names that zod has for it. */
interface Definition {
  readonly type: string;
  readonly innerType?: Light;
  readonly element?: Light;
  readonly valueType?: Light;
  readonly defaultValue?: unknown;
  readonly entries?: Readonly<Record<string, string>>;
}

/** Whether a value is a mapping and nothing more; what else zod takes for one is left to it. */
function isPlain(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) &&
    !Object.hasOwn(value, "__proto__") &&
    Object.getOwnPropertySymbols(value).length === 0;
}

class Light {
  /** The members of an object. */
  readonly shape: Shape | undefined;
  readonly #about: Fields;
  readonly #read: Read;

  constructor(
    readonly def: Definition,
    read: Read,
    { shape, about = {} }: { readonly shape?: Shape | undefined; readonly about?: Fields } = {},
  ) {
    this.#read = read;
    this.#about = about;
    this.shape = shape;
  }

  get description(): unknown {
    return this.#about["description"];
  }

  /** Whether a member of this kind may be missing. */
  get mayBeMissing(): boolean {
    return ["optional", "default"].includes(this.def.type) ||
      (this.def.type === "nullable" && this.def.innerType?.mayBeMissing === true);
  }

  /** What a value comes to, or {@linkcode NOT}. */
  read(value: unknown): unknown {
    return this.#read(value);
  }

  /** Like zod's, but that a failure says nothing more. */
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown } {
    const data = this.#read(value);
    return data === NOT ? { success: false } : { success: true, data };
  }

  describe(description: string): Light {
    return this.#with({ description });
  }

  meta(more?: Fields): Fields | Light {
    return more === undefined ? this.#about : this.#with(more);
  }

  min(least: number): Light {
    return this.#checked((size) => size >= least);
  }

  max(most: number): Light {
    return this.#checked((size) => size <= most);
  }

  regex(expression: RegExp): Light {
    if (expression.global || expression.sticky) throw new TypeError("It would remember a place");
    return this.#also((value) => typeof value === "string" && expression.test(value));
  }

  optional(): Light {
    // A missing value may have a default, which zod would look for.
    if (this.mayBeMissing) throw new TypeError("It may be missing already");
    return new Light(
      { type: "optional", innerType: this },
      (value) => value === undefined ? value : this.#read(value),
    );
  }

  nullable(): Light {
    return new Light(
      { type: "nullable", innerType: this },
      (value) => value === null ? value : this.#read(value),
    );
  }

  nullish(): Light {
    return this.nullable().optional();
  }

  default(defaultValue: unknown): Light {
    const isList = Array.isArray(defaultValue);
    if (!isList && typeof defaultValue === "object" && defaultValue !== null) {
      throw new TypeError("It would be shared");
    }
    if (typeof defaultValue === "function") throw new TypeError("It would be called");
    return new Light({ type: "default", innerType: this, defaultValue }, (value) => {
      if (value !== undefined) return this.#read(value);
      return isList ? [...defaultValue] : defaultValue;
    });
  }

  #with(about: Fields): Light {
    return new Light(this.def, this.#read, {
      shape: this.shape,
      about: { ...this.#about, ...about },
    });
  }

  #checked(fits: (size: number) => boolean): Light {
    const { type } = this.def;
    if (!["string", "array", "number"].includes(type)) throw new TypeError(`${type} has no size`);
    return this.#also((value) => fits(type === "number" ? Number(value) : sizeOf(value)));
  }

  #also(holds: (value: unknown) => boolean): Light {
    return new Light(this.def, (value) => {
      const read = this.#read(value);
      return read === NOT || holds(read) ? read : NOT;
    }, { shape: this.shape, about: this.#about });
  }
}

function sizeOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : NaN;
}

/** A schema for what is of one kind and stays as it is. */
function when(type: string, holds: (value: unknown) => boolean, def: Partial<Definition> = {}) {
  return new Light({ type, ...def }, (value) => holds(value) ? value : NOT);
}

function object(shape: Shape, isStrict: boolean): Light {
  const members = Object.entries(shape);
  return new Light({ type: "object" }, (value) => {
    if (!isPlain(value)) return NOT;
    const result: Record<string, unknown> = {};
    for (const [name, schema] of members) {
      const isThere = Object.hasOwn(value, name);
      // Names such as `toString` are in every object.
      if (!isThere && (name in value || !schema.mayBeMissing)) return NOT;
      const read = schema.read(value[name]);
      if (read === NOT) return NOT;
      if (read !== undefined || isThere) result[name] = read;
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(shape, name)) continue;
      if (isStrict) return NOT;
      result[name] = value[name];
    }
    return result;
  }, { shape });
}

function array(element: Light): Light {
  return new Light({ type: "array", element }, (value) => {
    if (!Array.isArray(value)) return NOT;
    const result: unknown[] = [];
    for (const item of value) {
      const read = element.read(item);
      if (read === NOT) return NOT;
      result.push(read);
    }
    return result;
  });
}

function record(key: Light, valueType: Light): Light {
  if (key.def.type !== "string") throw new TypeError("Keys of other kinds may be required");
  return new Light({ type: "record", valueType }, (value) => {
    if (!isPlain(value)) return NOT;
    const result: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(value)) {
      const read = key.read(name) === NOT ? NOT : valueType.read(item);
      if (read === NOT) return NOT;
      result[name] = read;
    }
    return result;
  });
}

function union(options: readonly Light[]): Light {
  return new Light({ type: "union" }, (value) => {
    for (const option of options) {
      const read = option.read(value);
      if (read !== NOT) return read;
    }
    return NOT;
  });
}

const LIGHT = {
  array,
  record,
  union,
  boolean: () => when("boolean", (value) => typeof value === "boolean"),
  enum: (values: readonly string[]) =>
    when("enum", (value) => typeof value === "string" && values.includes(value), {
      entries: Object.fromEntries(values.map((value) => [value, value])),
    }),
  int: () => when("number", Number.isSafeInteger),
  literal: (wanted: string | boolean) => {
    if (!["string", "boolean"].includes(typeof wanted)) throw new TypeError("It may be a list");
    return when("literal", (value) => value === wanted);
  },
  looseObject: (shape: Shape) => object(shape, false),
  strictObject: (shape: Shape) => object(shape, true),
  string: () => when("string", (value) => typeof value === "string"),
  unknown: () => when("unknown", () => true),
  uuid: () => when("string", (value) => typeof value === "string" && UUID.test(value)),
};

/**
 * What `build` makes with this in place of zod; null where it asks for more than this has. Of the result only `shape`,
 * `safeParse` and what a definition says may be used, and no message of a failure.
 */
export function lightly<T>(build: (z: ZodNamespace) => T): T | null {
  try {
    return build(LIGHT as unknown as ZodNamespace);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
