/** What a command line asks for instead of work: a page of help, the version, or the commands of a group. */

import { readFlags } from "../../pipeline/line/arguments.ts";
import { GLOBAL_FLAGS } from "../../pipeline/line/flags.ts";
import {
  firstWord,
  ownWords,
  unknownCommand,
  type Worded,
  type Words,
} from "../../pipeline/line/words.ts";
import { loadSettings } from "../../state/settings/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { COMMIT, VERSION } from "../../base/version.ts";
import { aliasEntries, type AnyEntry, ENTRIES } from "./entries.ts";
import { fit } from "./wrap.ts";
import { withPager } from "./show.ts";
import { versionText } from "./version_alone.ts";
import { commandHelp, groupHelp, overview } from "./help.ts";
import { TOPIC_ROWS, topicHelp, TOPICS } from "./topics.ts";

/** The page of a group of commands; of all of them without words. */
async function groupPage(world: System, words: readonly string[]): Promise<string> {
  if (words.length > 0) return groupHelp(words, ENTRIES);
  const { aliases } = await loadSettings(world, { lenient: true });
  return overview(ENTRIES, TOPIC_ROWS, aliasEntries(aliases));
}

/** The page that a line asks for with `--help` or `help`; throws for words that are nothing. */
async function pageOf(
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

/** Whether a page is asked for as JSON. */
function asksJson(own: readonly string[]): boolean {
  return own.some((word) => /^--json(?:=|$)/.test(word));
}

/** The version alone, or with `--json` all that is known of this program. */
async function versionPage(
  { env, processes }: System,
  own: readonly string[],
): Promise<string> {
  if (!asksJson(own)) return versionText();
  const { onlyFields, takeFields } = await import("../../pipeline/line/fields.ts");
  const { fields } = takeFields(own);
  const about = {
    version: VERSION,
    commit: COMMIT,
    build: processes.self().length === 1 ? "binary" : "source",
    distribution: env.get("AMOF_DISTRIBUTION") || null,
    runtime: navigator.userAgent,
    platform: env.platform,
  };
  const told = fields === null ? about : onlyFields(about, fields);
  return `${JSON.stringify(told)}\n`;
}

/** Whether a line ends before it names a command. With `--json` that is an error, and not a question. */
function endsEarly(rest: readonly string[], own: readonly string[]): boolean {
  return firstWord(rest) === undefined && !own.some((word) => /^--(?:json|jq)(?:=|$)/.test(word));
}

/**
 * Prints the page that a line asks for; false where it asks for none. `given` is the line as it was typed. Throws for
 * words that are nothing.
 */
export async function printAsked(
  world: System,
  given: readonly string[],
  entry: AnyEntry | undefined,
  words: Words,
): Promise<boolean> {
  const { terminal } = world;
  const own = ownWords(words.rest);
  const asked = (long: string, short: string) => own.includes(long) || own.includes(short);
  if (asked("--help", "-h")) {
    const whole = await pageOf(world, given, entry, words);
    const page = asksJson(own) ? `${JSON.stringify({ help: whole })}\n` : fit(whole, terminal);
    // `--help` is asked for while typing a command, so its page is printed; `amof help` opens the pager.
    if (given[0] !== "help" || own.includes("--no-pager")) terminal.out(page);
    else {
      const settings = await loadSettings(world, { lenient: true });
      await withPager(world, settings, ({ out }) => out(page));
    }
    return true;
  }
  if (asked("--version", "-V")) {
    terminal.out(await versionPage(world, own));
    return true;
  }
  if (entry !== undefined || !endsEarly(words.rest, own)) return false;
  const all = { all: GLOBAL_FLAGS, repeatable: [] };
  const flags = readFlags(words.rest, all, ["amof", ...words.words].join(" "));
  const page = words.words.length > 0
    ? await groupPage(world, words.words)
    : await import("./front_page.ts").then(async ({ frontPage, standOf }) =>
      frontPage(await standOf(world, typeof flags["root"] === "string" ? flags["root"] : null))
    );
  terminal.out(fit(page, terminal));
  return true;
}
