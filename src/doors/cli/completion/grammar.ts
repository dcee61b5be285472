/** The command line of amof as completion sees it, out of the declarations that parser and help come from. */

import { ENTRIES } from "../entries.ts";
import { GLOBAL_FLAGS, TICKET_FLAG } from "../../../pipeline/line/flags.ts";
import { globalSlot, type Grammar, type Slot, type Slots } from "../../../pipeline/line/grammar.ts";
import type { EntryFlag } from "../../../pipeline/line/arguments.ts";
import { doorFlags, entryFlags } from "../../../pipeline/line/parse.ts";
import { defined } from "../../../base/object.ts";

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
