/**
 * `amof complete`: what the completion scripts of all shells ask.
 *
 * One candidate a line, `value TAB meaning`, or the line `:directories`. It is called while somebody types, so
 * whatever goes wrong, the answer is only shorter.
 */

import type { Settings } from "../../../state/settings/mod.ts";
import type { System } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { flagsWithValue, takeWords } from "../../../pipeline/line/words.ts";
import { aliasEntries, expanded } from "../entries.ts";
import type { Grammar, Slot, Slots } from "../../../pipeline/line/grammar.ts";
import { ownLine } from "../programs/mod.ts";
import { GRAMMAR } from "./grammar.ts";
import { type Candidate, DIRECTORIES, type LookUp, lookUpIn } from "./lookup.ts";

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
async function candidatesAt(
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

/** What can stand where the last of the words behind the program's name stands. */
async function candidates(
  system: System,
  settings: Settings,
  words: readonly string[],
): Promise<readonly Candidate[]> {
  const given = words.slice(0, -1);
  const typed = words.at(-1) ?? "";
  const lookUp = lookUpIn(system, settings);
  // "amof help push" is "amof push --help".
  const { aliases } = settings;
  const before = expanded(given[0] === "help" ? given.slice(1) : given, aliases);
  const grammar = { ...GRAMMAR, entries: [...GRAMMAR.entries, ...aliasEntries(aliases)] };
  const begun = takeWords(before, GRAMMAR.entries);
  const own = await ownLine(begun.words[0]);
  const found = own !== null
    ? await candidatesAt(await own.grammar(), begun.rest, typed, lookUp)
    : [
      ...await candidatesAt(grammar, before, typed, lookUp),
      ...given.length === 1 && given[0] === "help"
        ? await lookUp({ name: "topic", help: "", source: "topic" }, new Map(), typed)
        : [],
    ];
  return found.filter(({ value }) => value.endsWith(DIRECTORIES) || value.startsWith(typed));
}

function line({ value, help }: Candidate): string {
  // The shell itself knows what stands before its directories.
  if (value.endsWith(DIRECTORIES)) return DIRECTORIES;
  return help === "" ? value : `${value}\t${cleanLine(help, 100)}`;
}

/** The lines for the words behind the program's name, of which the last is being typed. Never fails. */
export async function complete(
  system: System,
  settings: Settings,
  words: readonly string[],
): Promise<string> {
  try {
    const lines = (await candidates(system, settings, words)).map(line);
    return [...new Set(lines)].map((text) => `${text}\n`).join("");
  } catch {
    // An error message would be printed into the line that is being typed.
    return "";
  }
}
