/** The command line of amof as completion sees it, out of the declarations that parser and help come from. */

import { ENTRIES } from "../entries.ts";
import { type FlagSpec, GLOBAL_FLAGS, TICKET_FLAG } from "../../../pipeline/line/flags.ts";
import type { EntryFlag } from "../../../pipeline/line/arguments.ts";
import { doorFlags, entryFlags } from "../../../pipeline/line/parse.ts";
import { defined } from "../../../base/object.ts";
import type { Worded } from "../../../pipeline/line/words.ts";

/** What the values of a member are, wherever it occurs. */
const BY_MEMBER: Readonly<Record<string, Pick<Slot, "source" | "commas">>> = {
  ecosystem: { source: "ecosystem" },
  repos: { source: "selection", commas: true },
  tags: { source: "tag", commas: true },
  only: { source: "standing", commas: true },
  ticket: { source: "any_ticket" },
  ticket_id: { source: "ticket" },
  tickets: { source: "ticket" },
  run_id: { source: "run" },
  run: { source: "run" },
  failed_from: { source: "run" },
  retry_failed: { source: "run" },
  resume: { source: "run" },
  engine: { source: "engine" },
  campaign: { source: "campaign" },
  task: { source: "task" },
  archive: { source: "archive" },
  tag: { source: "release" },
  toolsets: { source: "toolset", commas: true },
  tools: { source: "tool", commas: true },
  exclude_tools: { source: "tool", commas: true },
  directory: { source: "directory" },
  project_root: { source: "directory" },
  adopt: { source: "directory" },
};

/** Members that are something else in one command. */
const BY_PLACE: Readonly<Record<string, Pick<Slot, "source" | "commas">>> = {
  // New repositories, with their addresses.
  "ecosystem create repos": {},
  "journal add tags": {},
  // A new name.
  "campaign start campaign": {},
  "ticket start ticket_id": { source: "base_ticket" },
  "ticket end ticket_id": { source: "any_ticket" },
  "ticket switch ticket_id": { source: "place_ticket" },
  "ticket detach ticket_id": { source: "own_ticket" },
  "ticket env ticket_id": { source: "own_ticket" },
  "operations run": { source: "operation" },
  "undo run": { source: "undoable" },
  "runs cancel run_id": { source: "active_run" },
  "path repo": { source: "repository" },
  "open repo": { source: "repository" },
  "approve id": { source: "approval" },
  "deny id": { source: "approval" },
  "schema name": { source: "schema" },
  "config get name": { source: "setting" },
  "config set name": { source: "setting" },
  "config unset name": { source: "setting" },
};

/** A flag that all commands have, as a slot. */
export function globalSlot(flag: FlagSpec): Slot {
  if (flag.value === "DIR" || flag.value === "PATH") return { ...flag, source: "directory" };
  if (flag.optional !== undefined) return { ...flag, source: "field", commas: true };
  return flag.name === "ecosystem" ? { ...flag, source: "ecosystem" } : flag;
}

function ownSlot(path: readonly string[], flag: EntryFlag): Slot {
  return {
    ...flag,
    ...BY_PLACE[[...path, flag.member].join(" ")] ?? BY_MEMBER[flag.member],
    repeats: flag.type === "array",
  };
}

async function slotsOf(words: readonly string[]): Promise<Slots> {
  const named = ENTRIES.find(({ path }) => path.join(" ") === words.join(" "));
  if (named === undefined) return { flags: [], positionals: [] };
  const entry = await named.load();
  const names = entry.positionals ?? [];
  const globals = new Set(GLOBAL_FLAGS.map((flag) => flag.name));
  const own = await entryFlags(entry);
  return {
    flags: [
      ...own.filter((flag) => !globals.has(flag.name) && !names.includes(flag.member))
        .map((flag) => ownSlot(entry.path, flag)),
      ...doorFlags(entry).filter((flag) => !own.some(({ name }) => name === flag.name))
        .map((flag) => flag === TICKET_FLAG ? { ...flag, source: "workspace_ticket" } : flag),
    ],
    ...defined({ fields: "fields" in entry ? entry.fields : undefined }),
    positionals: names.flatMap((name) => own.filter((flag) => flag.member === name))
      .map((flag) => ownSlot(entry.path, flag)),
  };
}

/** The command line of amof. */
export const GRAMMAR: Grammar = {
  entries: [
    ...ENTRIES.filter((entry) => entry.kind !== "program" || entry.hidden !== true),
    { path: ["help"], summary: "Show help for a command." },
  ],
  flags: GLOBAL_FLAGS.map(globalSlot),
  own: slotsOf,
};

// Which candidates the place allows that is being typed: words, flags, or values of a flag or an argument. Knows no
// command line of its own: a Grammar says what there is.

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
