/**
 * Which page of help a line asks for.
 *
 * @module
 */

import { unknownCommand, type Worded, type Words } from "../../pipeline/line/words.ts";
import { loadSettings } from "../../state/settings/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { aliasEntries } from "./aliases.ts";
import { type AnyEntry, ENTRIES } from "./entries.ts";
import { commandHelp, groupHelp, overview } from "./help.ts";
import { TOPIC_ROWS, topicHelp, TOPICS } from "./topics.ts";

/** The page of a group of commands; of all of them without words. */
export async function groupPage(world: System, words: readonly string[]): Promise<string> {
  if (words.length > 0) return groupHelp(words, ENTRIES);
  const { aliases } = await loadSettings(world, { lenient: true });
  return overview(ENTRIES, TOPIC_ROWS, aliasEntries(aliases));
}

/** The page that a line asks for with `--help` or `help`; throws for words that are nothing. */
export async function pageOf(
  world: System,
  given: readonly string[],
  entry: AnyEntry | undefined,
  { words, rest }: Words,
): Promise<string> {
  const byWord = given[0] === "help";
  const topic = byWord ? await topicHelp(given[1] ?? "") : null;
  if (topic !== null) return topic;
  if (entry !== undefined) return await commandHelp(await entry.load(), ENTRIES);
  // An unknown command is an error; the name of a group shows its help.
  if (rest[0] !== undefined && !rest[0].startsWith("-")) {
    const pages: readonly Worded[] = Object.keys(TOPICS).map((name) => ({ path: [name] }));
    throw unknownCommand(words, rest, byWord ? [...ENTRIES, ...pages] : ENTRIES);
  }
  return await groupPage(world, words);
}
