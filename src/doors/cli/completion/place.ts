/**
 * Which candidates the place allows that is being typed: words, flags, or values of a flag or an argument.
 *
 * Knows no command line of its own: a {@linkcode Grammar} says what there is.
 */

import type { FlagSpec } from "../../../pipeline/line/flags.ts";
import { flagsWithValue, takeWords, type Worded } from "../../../pipeline/line/words.ts";

/** Something that can stand at the place, and what it means. */
export interface Candidate {
  readonly value: string;
  readonly help: string;
}

/** A flag or an argument. */
export interface Slot extends FlagSpec {
  /** What its values are called where they are looked up; absent for a closed set and for free text. */
  readonly source?: string;
  /** Whether it may be given more than once. */
  readonly repeats?: boolean;
  /** Whether one value may be a list with commas. */
  readonly commas?: boolean;
}

/** The flags and arguments of one command. */
export interface Slots {
  readonly flags: readonly Slot[];
  readonly positionals: readonly Slot[];
  /** What is asked of its answer: the first values of every slot for fields. */
  readonly fields?: readonly string[];
}

/** What can be said on a command line. */
export interface Grammar {
  /** Everything with words. */
  readonly entries: readonly (Worded & { readonly summary: string })[];
  /** The flags of all commands. */
  readonly flags: readonly Slot[];
  /** What the command with exactly these words has besides. */
  readonly own: (words: readonly string[]) => Promise<Slots>;
}

/** Looks up the values of a slot; `given` are the flags of the line by name, `typed` is what is there of the value. */
export type LookUp = (
  slot: Slot,
  given: ReadonlyMap<string, string>,
  typed: string,
) => Promise<readonly Candidate[]>;

/** What was said behind the words of a command. */
interface Said {
  readonly given: ReadonlyMap<string, string>;
  readonly positionals: number;
  /** The flag whose value comes next, or null. */
  readonly pending: Slot | null;
  /** Whether `--` ended the flags. */
  readonly ended: boolean;
}

function listen(tokens: readonly string[], flags: readonly Slot[]): Said {
  const given = new Map<string, string>();
  let positionals = 0;
  let pending: Slot | null = null;
  let ended = false;
  for (const token of tokens) {
    if (pending !== null) {
      given.set(pending.name, token);
      pending = null;
    } else if (ended || !token.startsWith("-")) {
      positionals++;
    } else if (token === "--") {
      ended = true;
    } else {
      const [written = "", value] = splitOnce(token, "=");
      const flag = named(flags, written);
      if (flag === undefined) continue;
      given.set(flag.name, value ?? "");
      if (flag.value !== undefined && value === undefined) pending = flag;
    }
  }
  return { given, positionals, pending, ended };
}

function splitOnce(text: string, mark: string): readonly [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function named(flags: readonly Slot[], written: string): Slot | undefined {
  return flags.find((flag) =>
    written === `--${flag.name}` || (flag.also !== undefined && written === `--${flag.also}`) ||
    (flag.short !== undefined && written === `-${flag.short}`)
  );
}

/** The words that can come next, each once: what the command does, or which commands are below. */
function nextWords(grammar: Grammar, words: readonly string[]): Candidate[] {
  const below = grammar.entries.filter(({ path }) =>
    path.length > words.length && words.every((word, index) => path[index] === word)
  );
  return [...Map.groupBy(below, ({ path }) => path[words.length] ?? "")].map(([value, group]) => ({
    value,
    help: group.find(({ path }) => path.length === words.length + 1)?.summary ??
      [...new Set(group.map(({ path }) => path[words.length + 1]))].join(", "),
  }));
}

function flagCandidates(flags: readonly Slot[], given: ReadonlyMap<string, string>): Candidate[] {
  return flags.filter((flag) => flag.repeats || !given.has(flag.name))
    .map((flag) => ({ value: `--${flag.name}`, help: flag.help }));
}

/** The values of a slot; of a list such as `api,we` only the last one is being typed. */
async function values(
  slot: Slot,
  typed: string,
  given: ReadonlyMap<string, string>,
  lookUp: LookUp,
): Promise<Candidate[]> {
  const start = slot.commas ? typed.lastIndexOf(",") + 1 : 0;
  const all = await lookUp(slot, given, typed.slice(start));
  const chosen = typed.slice(0, start);
  const taken = new Set(chosen.split(","));
  return all.filter(({ value }) => !taken.has(value))
    .map(({ value, help }) => ({ value: `${chosen}${value}`, help }));
}

/** What can stand where `typed` stands, behind the words `before`. Not yet reduced to what begins like `typed`. */
export async function candidatesAt(
  grammar: Grammar,
  before: readonly string[],
  typed: string,
  lookUp: LookUp,
): Promise<readonly Candidate[]> {
  const { words, rest } = takeWords(before, grammar.entries, flagsWithValue(grammar.flags));
  const isCommand = grammar.entries.some((entry) => entry.path.join(" ") === words.join(" "));
  const own: Slots = isCommand ? await grammar.own(words) : { flags: [], positionals: [] };
  const flags = [...own.flags, ...grammar.flags];
  const look: LookUp = async (slot, ...more) => [
    ...(slot.source === "field" ? own.fields ?? [] : []).map((value) => ({ value, help: "" })),
    ...await lookUp(slot, ...more),
  ];
  const { given, positionals, pending, ended } = listen(rest, flags);
  if (pending !== null) return await values(pending, typed, given, look);
  if (typed.startsWith("-") && !ended) {
    const [written, value] = splitOnce(typed, "=");
    const flag = value === undefined ? undefined : named(flags, written);
    const takesNone = flag?.value === undefined && flag?.optional === undefined;
    if (flag === undefined || takesNone || value === undefined) return flagCandidates(flags, given);
    return (await values(flag, value, given, look)).map((candidate) => ({
      ...candidate,
      value: `${written}=${candidate.value}`,
    }));
  }
  const last = own.positionals.at(-1);
  const slot = own.positionals[positionals] ?? (last?.repeats ? last : undefined);
  const found = [
    ...positionals === 0 && !ended ? nextWords(grammar, words) : [],
    ...slot === undefined ? [] : await values(slot, typed, given, look),
  ];
  // If only flags can follow, they are offered before a dash is typed.
  return found.length === 0 && slot === undefined && isCommand && typed === "" && !ended
    ? flagCandidates(flags, given)
    : found;
}
