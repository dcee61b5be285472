/** The options of agentpack's commands as data: parser, help, `help --json` and tool schemas come from them. */

import type { JsonSchema } from "../../../contract/input.ts";

interface OptionFacts {
  /** One line for help. */
  readonly help: string;
  /** The long flag without dashes; the member's name with `-` for `_` when absent. */
  readonly long?: string;
  /** What the value is called in help. */
  readonly value?: string;
  /** Its JSON Schema as an argument of a tool, word for word; absent where only the command line has it. */
  readonly schema?: JsonSchema;
}

/** An option whose value is a `T`. */
export interface Option<T = unknown> extends OptionFacts {
  /** `switch` is a flag with a twin `--no-…`. */
  readonly kind: "flag" | "switch" | "text" | "list";
  /** Whether it stands without a flag, behind the words of the command. */
  readonly positional: boolean;
  readonly required: boolean;
  /** The values it may have; empty for any. */
  readonly choices: readonly string[];
  /** Its value when it is not given. */
  readonly fallback: T;
}

/** Options by the members of the input. */
export type Options = Readonly<Record<string, Option>>;

/** The input that options produce. */
export type InputOf<O extends Options> = {
  readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never;
};

const PLAIN = { positional: false, required: false, choices: [] } as const;

/** A flag. */
export function flag(facts: OptionFacts): Option<boolean> {
  return { ...PLAIN, kind: "flag", fallback: false, ...facts };
}

/** A flag that can be forced off, too; undefined when it is not given. */
export function onOrOff(facts: OptionFacts): Option<boolean | undefined> {
  return { ...PLAIN, kind: "switch", fallback: undefined, ...facts };
}

/** A text. */
export function text(facts: OptionFacts): Option<string | undefined> {
  return { ...PLAIN, kind: "text", fallback: undefined, ...facts };
}

/** A text that has to be given. */
export function requiredText(facts: OptionFacts): Option<string> {
  return { ...PLAIN, kind: "text", required: true, fallback: "", ...facts };
}

/** A text that has to be given, behind the words of the command. */
export function argument(facts: OptionFacts): Option<string> {
  return { ...requiredText(facts), positional: true };
}

/** One of several words. */
export function choice<const T extends string>(
  choices: readonly T[],
  fallback: T,
  facts: OptionFacts,
): Option<T> {
  return { ...PLAIN, kind: "text", choices, fallback, ...facts };
}

/** One of several words, or undefined when it is not given. */
export function optionalChoice<const T extends string>(
  choices: readonly T[],
  facts: OptionFacts,
): Option<T | undefined> {
  return { ...PLAIN, kind: "text", choices, fallback: undefined, ...facts };
}

/** One of several words, which has to be given, behind the words of the command. */
export function choiceArgument<const T extends string>(
  choices: readonly [T, ...T[]],
  facts: OptionFacts,
): Option<T> {
  return {
    kind: "text",
    positional: true,
    required: true,
    choices,
    fallback: choices[0],
    ...facts,
  };
}

/** Several texts, repeated or with commas between; of a closed set when choices are named. */
export function list<const T extends string>(
  choices: readonly T[],
  facts: OptionFacts,
): Option<readonly T[]> {
  return { ...PLAIN, kind: "list", choices, fallback: [], ...facts };
}

/** The long flag of an option. */
export function longName(id: string, option: OptionFacts): string {
  return option.long ?? id.replaceAll("_", "-");
}
