/**
 * Says in the words of tools what is written as command lines. Hints, alternatives and fixes are written once, for the
 * command line (`See them: amof ticket list; or go to one: amof ticket switch ID`). A model is told the tool and its
 * arguments.
 *
 * `amof ticket switch ID --stash` becomes `amof_ticket_switch(ticket_id="ID", stash=true)`, by the parser that
 * would read the line (MCP-10). What only a person at a terminal can do stays a command line.
 */

import { type Fields, mapMembers } from "../base/object.ts";
import { type Mode, MODES } from "../base/policy/mode.ts";
import { type Command, isOnlyTyped, isUnlisted, type Known } from "../contract/mod.ts";
import { COMMAND_ENTRIES } from "./line/entries.ts";
import type { GlobalFlags } from "./line/flags.ts";
import type { EntryFlag } from "./line/arguments.ts";
import { entryFlags, parseInvocation } from "./line/parse.ts";
import { takeWords } from "./line/words.ts";
import { ownCommand } from "./registry.ts";
import { partsOf, plainText } from "../base/text/parts.ts";
import type { Outcome } from "./envelope.ts";
import { FOREIGN, type Speaker, speakerOf, textsOfOthers } from "./hint.ts";

// Says an answer in the words of tools: what in it is ours is changed, what others wrote stays as it is (MCP-10).

/** Says a text in other words. */
type Change = (text: string) => string | Promise<string>;

/** A JSON value with every text of ours, also one that is mixed with others', as `say` gives it. */
function mapOurs(
  value: unknown,
  speaker: Speaker,
  say: (text: string, speaker: Exclude<Speaker, "theirs">) => string,
): unknown {
  if (typeof value === "string") return speaker === "theirs" ? value : say(value, speaker);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return mapMembers(value, (item) => mapOurs(item, speaker, say));
  return mapMembers(
    value,
    (item, name) => FOREIGN.has(name) ? item : mapOurs(item, speakerOf(name, item), say),
  );
}

/** The members of an answer with every text of ours in other words. */
export async function inOtherWords(
  envelope: Outcome["envelope"],
  change: Readonly<Record<Exclude<Speaker, "theirs">, Change>>,
): Promise<Outcome["envelope"]> {
  const changes = { ours: new Map<string, string>(), mixed: new Map<string, string>() };
  mapOurs(envelope, "theirs", (text, speaker) => {
    changes[speaker].set(text, text);
    return text;
  });
  for (const speaker of ["ours", "mixed"] as const) {
    for (const text of changes[speaker].keys()) {
      changes[speaker].set(text, await change[speaker](text));
    }
  }
  const said = mapOurs(envelope, "theirs", (text, speaker) => changes[speaker].get(text) ?? text);
  return said as Outcome["envelope"];
}

/** An answer as it is told to a model; `session` is the mode of calls that name none. */
export async function outcomeInToolWords(
  outcome: Outcome,
  offers: Listener["offers"],
  session?: Mode,
): Promise<Outcome> {
  const context = outcome.envelope["_context"] as { readonly mode: Mode } | undefined;
  const isRaised = session !== undefined && session !== "execute" && context?.mode === "execute";
  const listener: Listener = {
    offers,
    command: outcome.command,
    ...(isRaised ? { mode: "execute" } : {}),
  };
  let foreign: readonly string[] | null = null;
  const isForeign = (part: string) => {
    foreign ??= textsOfOthers(outcome.envelope);
    return foreign.some((text) => text.includes(part));
  };
  const ours: Change = (text) => inToolWords(text, listener);
  const mixed: Change = (text) => inToolWords(text, listener, isForeign);
  return {
    ...outcome,
    envelope: await inOtherWords(outcome.envelope, { ours, mixed }),
    summary: await ours(outcome.summary),
    details: partsOf(await mixed(plainText(outcome.details))),
    notes: partsOf(await mixed(plainText(outcome.notes))),
    hint: outcome.hint === null ? null : await ours(outcome.hint),
  };
}

/** A command line inside a text. */
interface WrittenLine {
  /** Where it begins and ends in the text. */
  readonly start: number;
  readonly end: number;
  /** Its words without the program's name, as a shell would hand them over. */
  readonly words: readonly string[];
}

/** Words that go on with the sentence; none of them is an argument in a hint. */
const CONNECTIVES = new Set([
  "again",
  "and",
  "before",
  "first",
  "for",
  "if",
  "in",
  "or",
  "then",
  "to",
  "when",
  "with",
  "without",
]);
/** What closes a command line at the end of a word. */
const CLOSING = /[;,:.)`!?…]+$/;

interface Word {
  readonly text: string;
  /** Where it ends in the text, without what closes the line. */
  readonly end: number;
  /** Whether the command line ends with it. */
  readonly last: boolean;
}

/** The word at a place, with quotes as a shell reads them; null where the command line is over. */
function wordAt(text: string, start: number): Word | null {
  let read = "";
  let index = start;
  let plainFrom = start;
  while (index < text.length && !/\s/.test(text[index] ?? "")) {
    const char = text[index] ?? "";
    if (char === "'" || char === '"') {
      const close = text.indexOf(char, index + 1);
      if (close < 0) return null;
      read += text.slice(index + 1, close);
      index = close + 1;
      plainFrom = index;
    } else if (char === "\\") {
      read += text[index + 1] ?? "";
      index += 2;
      plainFrom = index;
    } else {
      read += char;
      index++;
    }
  }
  const closing = CLOSING.exec(text.slice(plainFrom, index))?.[0].length ?? 0;
  const word = closing === 0 ? read : read.slice(0, -closing);
  const end = index - closing;
  if (end <= start || word.startsWith("(")) return null;
  if (plainFrom === start && CONNECTIVES.has(word)) return null;
  return { text: word, end, last: closing > 0 };
}

/** Every command line of a text, in order: from `amof` to the end of the clause. */
export function writtenLines(text: string): WrittenLine[] {
  const found: WrittenLine[] = [];
  for (const { index: start } of text.matchAll(/(?<![\w/.-])amof (?=[-a-z])/g)) {
    if (start < (found.at(-1)?.end ?? 0)) continue;
    const words: string[] = [];
    let end = start;
    let index = start + "amof ".length;
    for (let word = wordAt(text, index); word !== null; word = wordAt(text, index)) {
      words.push(word.text);
      end = word.end;
      if (word.last || text[end] !== " ") break;
      index = end + 1;
    }
    if (words.length > 0) found.push({ start, end, words });
  }
  return found;
}

/** Who is spoken to. */
interface Listener {
  /** Whether a tool can be called. */
  readonly offers: (command: Known) => boolean;
  /** The command that the text is about, whose flags it may name; null when there is none. */
  readonly command: Known | null;
  /** The mode that the call named and the next one has to name again; absent where the session has it. */
  readonly mode?: Mode;
}

/** Whether a part of a text was written by others, so that it stays as it is. */
type IsForeign = (part: string) => boolean;

/** A call of a tool: `amof_ticket_switch(ticket_id="ID")`. */
function toolCall(tool: string, args: Fields): string {
  const members = Object.entries(args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${tool}(${members.join(", ")})`;
}

/** The words of a selection, which a command line joins with commas, one by one. */
function apart(args: Fields): Fields {
  return Object.fromEntries(
    ["repos", "tags", "only"].flatMap((member) => {
      const words = args[member];
      return Array.isArray(words)
        ? [[member, words.flatMap((word) => typeof word === "string" ? word.split(",") : [word])]]
        : [];
    }),
  );
}

/** The shared arguments that a tool takes for the global flags of a line. */
function shared(command: Known, flags: GlobalFlags): Fields {
  const named = command.scope === "ecosystem" && flags.ecosystem !== null;
  const changes = command.kind === "mutation";
  return {
    ...(named ? { ecosystem: flags.ecosystem } : {}),
    ...(changes && flags.mode !== null ? { mode: flags.mode } : {}),
    ...(changes && flags.yes ? { confirm: true } : {}),
    ...(changes && flags.confirmName !== null ? { confirm_name: flags.confirmName } : {}),
  };
}

/** The members that a line gives to its command, with what its input declares them as. */
async function given(command: Command, args: Fields): Promise<unknown[]> {
  const z = await import("../contract/zod.ts");
  const { shape } = command.input(z);
  return Object.keys(args).map((name) => shape[name] ?? {});
}

/** What a command line means over MCP; null where it stays as it is. What no offered tool does, a person does. */
async function meant(
  line: WrittenLine,
  text: string,
  listener: Listener,
): Promise<string | null> {
  const written = text.slice(line.start, line.end);
  const { words, rest } = takeWords(line.words, COMMAND_ENTRIES);
  const help = rest.includes("--help");
  const byHand = text.includes("terminal") ? null : `${written} (in a terminal)`;
  if (words.length === 0) return help ? "tools/list" : null;
  const named = COMMAND_ENTRIES.find(({ path }) => path.join(" ") === words.join(" "));
  if (named === undefined) return null;
  if (!listener.offers(named)) {
    return byHand;
  }
  if (help) return `the input schema of ${named.name}`;
  try {
    const entry = await named.load();
    const { args, flags, switches } = await parseInvocation(entry, rest);
    const members = await given(entry, args);
    if (members.some(isOnlyTyped)) {
      return byHand === null ? null : `${written} (only by a person, in a terminal)`;
    }
    // A host may refuse what the list of tools leaves out.
    if (entry.mcp !== "asked for" && members.some(isUnlisted)) return byHand;
    // Positional arguments come first, as on the command line.
    const first = (entry.positionals ?? []).filter((name) => Object.hasOwn(args, name))
      .map((name) => [name, args[name]] as const);
    return toolCall(entry.name, {
      ...Object.fromEntries(first),
      ...args,
      ...apart(args),
      ...(entry.kind === "mutation" && listener.mode !== undefined ? { mode: listener.mode } : {}),
      ...shared(entry, flags),
      ...(switches.timeout === null ? {} : { timeout: switches.timeout }),
    });
  } catch {
    return null;
  }
}

/** What the flags of every command line are called as arguments. */
const SHARED_FLAGS: Readonly<Record<string, string>> = {
  "ecosystem": "ecosystem",
  "ticket": "ticket",
  "mode": "mode",
  "dry-run": "dry_run",
  "yes": "confirm",
  "confirm-name": "confirm_name",
  "timeout": "timeout",
};

const SHARED_TYPES: Readonly<Record<string, EntryFlag["type"]>> = {
  "dry-run": "boolean",
  "yes": "boolean",
  "timeout": "integer",
};

/** A flag in a sentence, with the word behind it, which may be its value. */
const FLAG = /(without )?(?<![\w-])--([a-z][a-z-]*)(?:([= ])("[^"]*"|'[^']*'|[^\s;,)]+))?/g;

/** What a flag is called as an argument. */
interface Named {
  readonly member: string;
  readonly type: EntryFlag["type"];
  readonly choices: readonly string[];
  readonly means?: Fields;
}

function named(name: string, flags: readonly EntryFlag[]): Named | null {
  const own = flags.find((flag) => flag.name === name);
  if (own !== undefined) return own;
  const member = SHARED_FLAGS[name];
  if (member === undefined) return null;
  const type = SHARED_TYPES[name] ?? "string";
  return { member, type, choices: name === "mode" ? MODES : [] };
}

/** Whether the word behind a flag is its value, and not the rest of the sentence. */
function isValue(flag: Named, sign: string, word: string): boolean {
  return flag.type !== "boolean" &&
    (sign === "=" || /^["']|^[A-Z][A-Z_]*$/.test(word) || flag.choices.includes(word) ||
      flag.type === "integer" && /^\d+$/.test(word));
}

/** A flag as arguments: `stash=true`, `repos=["NAME"]`, or the name alone where no value is said. */
function argument(flag: Named, value: string | null): string {
  const { member, type, means } = flag;
  if (means !== undefined) {
    return Object.entries(means).map(([key, said]) => `${key}=${JSON.stringify(said)}`).join(", ");
  }
  if (type === "boolean") return `${member}=true`;
  if (value === null) return member;
  if (type === "integer") return `${member}=${value}`;
  const plain = value.replace(/^(["'])(.*)\1$/, "$2");
  return `${member}=${JSON.stringify(type === "array" ? [plain] : plain)}`;
}

/** Says the flags of the command that was called as arguments. */
async function withoutFlags(
  text: string,
  { command }: Listener,
  isForeign: IsForeign,
): Promise<string> {
  if (command === null || !text.includes("--")) return text;
  const flags = await entryFlags(await ownCommand(command.name));
  return text
    .replace(/\bsame command (?=with)/g, "same call ")
    .replace(
      FLAG,
      (whole, ...parts: readonly (string | undefined)[]) => {
        const [without, name = "", sign, word] = parts;
        const flag = isForeign(whole) ? null : named(name, flags);
        if (flag === null) return whole;
        const rest = `${sign ?? ""}${word ?? ""}`;
        const value = sign !== undefined && word !== undefined && isValue(flag, sign, word)
          ? word
          : null;
        const said = argument(flag, value);
        const tail = value === null ? rest : "";
        return without === undefined
          ? `${said}${tail}`
          : `without ${said.replaceAll(/=[^,]*/g, "")}${tail}`;
      },
    );
}

/** Commands of git, whose flags are git's. */
const OF_GIT = /(?<![\w-])git [a-z-]+[^;,)\n]*/;

/** Whether what stands before a command line sends a person to a terminal with it. */
function isForTerminal(before: string): boolean {
  return /\bin a terminal\b[^;\n]*$/.test(before);
}

/**
 * A text of the command line in the words of tools. `isForeign` says of a part whether others wrote it: that
 * part stays as it is.
 */
export async function inToolWords(
  text: string,
  listener: Listener,
  isForeign: IsForeign = () => false,
): Promise<string> {
  if (!text.includes("amof ") && !text.includes("--")) return text;
  const parts: string[] = [];
  let from = 0;
  const plain = async (to: number) => {
    for (const piece of text.slice(from, to).split(new RegExp(`(${OF_GIT.source})`))) {
      parts.push(
        OF_GIT.test(piece) ? piece : await withoutFlags(piece, listener, isForeign),
      );
    }
  };
  for (const line of writtenLines(text)) {
    const written = text.slice(line.start, line.end);
    const call = isForeign(written) || isForTerminal(text.slice(0, line.start))
      ? null
      : await meant(line, text, listener);
    await plain(line.start);
    parts.push(call ?? written);
    from = line.end;
  }
  await plain(text.length);
  return parts.join("");
}
