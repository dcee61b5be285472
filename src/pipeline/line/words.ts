/** The words at the front of a command line: which command they name, and what is meant where they name none. */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, shellWord } from "../../base/text/words.ts";
import { type FlagSpec, GLOBAL_FLAGS, TICKET_FLAG, usage } from "./flags.ts";

const HABITS: Readonly<Record<string, string>> = {
  add: "Changes are committed together: amof push --commit",
  branch: "A branch in every repository is a ticket: amof ticket start ID",
  cd:
    "Print where a repository is: amof path REPO\nA shell function that goes there: amof shell-init",
  checkout: "Go to the branches of a ticket: amof ticket switch ID",
  clone: "Clone every repository of an ecosystem: amof install",
  create: "Begin an ecosystem: amof ecosystem create NAME",
  delete: "Delete a workspace: amof discard\nKeep a record of it: amof archive",
  deploy: "Deploy the environment: amof spin deploy",
  destroy: "Destroy the environment: amof spin destroy",
  down: "Destroy the environment: amof spin destroy",
  each: "Run a program in every repository: amof exec -- PROGRAM",
  edit: "Open a repository in your editor: amof open REPO\nThe settings: amof config edit",
  export: "Write the list for another tool: amof lock --format repos",
  fetch: "Ask the remotes while looking: amof status --fetch\nFetch and fast-forward: amof sync",
  forall: "Run a program in every repository: amof exec -- PROGRAM",
  foreach: "Run a program in every repository: amof exec -- PROGRAM",
  freeze: "Write down the commits of all repositories: amof lock",
  import: "Take over the list of another tool: amof ecosystem create NAME --from FILE",
  info: "Describe an ecosystem: amof ecosystem describe",
  init: "Begin an ecosystem: amof ecosystem create NAME\nThen get its repositories: amof install",
  list:
    "List the ecosystems: amof ecosystem list\nList the tickets: amof ticket list\nList the runs: amof runs list",
  ll: "See how every repository stands: amof status",
  logs: "Read the log of a run: amof runs logs",
  ls: "List the ecosystems: amof ecosystem list\nSee the repositories of one: amof status",
  merge: "Merging is left to git\nTake in what the remotes have: amof sync",
  new: "Begin an ecosystem: amof ecosystem create NAME",
  pr: "Open the page of a repository: amof open REPO --web",
  ps: "See what is running: amof runs active",
  pull: "Fetch and fast-forward every repository: amof sync",
  rebase: "Rebasing is left to git\nTake in what the remotes have: amof sync",
  remote: "See the remotes of the repositories: amof ecosystem describe",
  remove: "Delete a workspace: amof discard\nKeep a record of it: amof archive",
  repos: "See the repositories: amof ecosystem describe",
  restore: "Bring an archived workspace back: amof archive restore",
  rm: "Delete a workspace: amof discard\nKeep a record of it: amof archive",
  shell: "Run a program in every repository: amof exec -- PROGRAM",
  st: "See how every repository stands: amof status",
  start: "One branch in every repository is a ticket: amof ticket start ID",
  stash: "Put changes away while going to a ticket: amof ticket switch ID --stash",
  stop: "End a run: amof runs cancel",
  switch:
    "Go to the branches of a ticket: amof ticket switch ID\nGo to an ecosystem: amof ecosystem switch NAME",
  tag: "See which version can follow: amof release status",
  up: "Deploy the environment: amof spin deploy",
  update: "Fetch and fast-forward every repository: amof sync",
  upload: "Send the commits of every repository: amof push",
  validate:
    "Check the manifest: amof manifest validate\nCheck what a release needs: amof release validate",
  version: "See the version: amof --version",
};

/** What to do instead of a command that does not exist, or null. */
function habitHint(word: string): string | null {
  return Object.hasOwn(HABITS, word) ? HABITS[word] ?? null : null;
}

/** The words. */
export const HABIT_WORDS: readonly string[] = Object.keys(HABITS);

/** Every hint, for a test that pastes them all. */
export const HABIT_HINTS: readonly string[] = Object.values(HABITS);

/** Anything that is called by words. */
export interface Worded {
  readonly path: readonly string[];
}

/** The first words of an argument vector, and what is left without them. */
export interface Words {
  readonly words: readonly string[];
  readonly rest: readonly string[];
}

/** How flags that take a value are written. */
export function flagsWithValue(flags: readonly FlagSpec[]): ReadonlySet<string> {
  return new Set(
    flags.filter((flag) => flag.value !== undefined).flatMap((flag) => [
      `--${flag.name}`,
      ...(flag.also === undefined ? [] : [`--${flag.also}`]),
      ...(flag.short === undefined ? [] : [`-${flag.short}`]),
    ]),
  );
}

/** The ticket is named where the ecosystem is, also in front of commands that turn out to have none. */
const WITH_VALUE = flagsWithValue([...GLOBAL_FLAGS, TICKET_FLAG]);

/** Where the first word stands that is neither a flag nor the value of a global one; −1 where there is none. */
export function firstWordAt(
  tokens: readonly string[],
  withValue: ReadonlySet<string> = WITH_VALUE,
): number {
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? "";
    if (!token.startsWith("-")) return index;
    if (withValue.has(token)) index++;
  }
  return -1;
}

/** The first word that is neither a flag nor the value of a global one. */
export function firstWord(
  tokens: readonly string[],
  withValue: ReadonlySet<string> = WITH_VALUE,
): string | undefined {
  return tokens[firstWordAt(tokens, withValue)];
}

function begins(entry: Worded, words: readonly string[]): boolean {
  return words.every((word, index) => entry.path[index] === word);
}

function isWhole(entry: Worded, words: readonly string[]): boolean {
  return entry.path.length === words.length && begins(entry, words);
}

/** Takes the words that name a command from the front, passing over global flags between them. */
export function takeWords(
  argv: readonly string[],
  entries: readonly Worded[],
  withValue: ReadonlySet<string> = WITH_VALUE,
): Words {
  const words: string[] = [];
  const rest: string[] = [];
  let index = 0;
  let flagsEnded = false;
  const isWord = (token: string) => entries.some((entry) => begins(entry, [...words, token]));
  for (; index < argv.length; index++) {
    const token = argv[index] ?? "";
    if (token.startsWith("-") && !flagsEnded && !isWord(token)) {
      // Behind it a command that is complete takes the words of another program.
      if (token === "--" && entries.some((entry) => isWhole(entry, words))) break;
      rest.push(token);
      flagsEnded = token === "--";
      if (withValue.has(token) && index + 1 < argv.length) rest.push(argv[++index] ?? "");
      continue;
    }
    if (!isWord(token)) break;
    words.push(token);
    if (
      entries.some((entry) => isWhole(entry, words)) &&
      !entries.some((entry) => entry.path.length > words.length && begins(entry, words))
    ) {
      index++;
      break;
    }
  }
  return withFlagWord(words, [...rest, ...argv.slice(index)], entries);
}

/** A flag that makes another command of the words, such as `confirm --cancel`, may stand behind arguments, too. */
function withFlagWord(
  words: readonly string[],
  rest: readonly string[],
  entries: readonly Worded[],
): Words {
  const end = rest.indexOf("--");
  const plain = end < 0 ? rest : rest.slice(0, end);
  const at = plain.findIndex((token) =>
    token.startsWith("--") &&
    entries.some((entry) =>
      entry.path.length === words.length + 1 && begins(entry, [...words, token])
    )
  );
  return at < 0
    ? { words, rest }
    : { words: [...words, rest[at] ?? ""], rest: rest.filter((_, index) => index !== at) };
}

/** What is wrong with words that name no command. */
export function unknownCommand(
  words: readonly string[],
  rest: readonly string[],
  entries: readonly Worded[],
  { prefix = "amof", withValue = WITH_VALUE }: {
    readonly prefix?: string | undefined;
    readonly withValue?: ReadonlySet<string> | undefined;
  } = {},
): AmofError {
  // As git has it; what stands behind it is no command.
  const [flag, place, ...after] = rest;
  if (flag === "-C" && place !== undefined && words.length === 0 && prefix === "amof") {
    const [there, again] = [shellWord(place), after.map((word) => ` ${shellWord(word)}`).join("")];
    return usage(
      "There is no flag -C",
      `Go there first: cd ${there}\nName the control repository: amof --root ${there}${again}`,
    );
  }
  const first = firstWord(rest, withValue);
  const hint = `See: ${[prefix, ...words, "--help"].join(" ")}`;
  if (first === undefined) {
    return usage(
      words.length === 0 ? "No command was given" : `"${words.join(" ")}" needs another word`,
      hint,
    );
  }
  const candidates = entries.filter((entry) =>
    words.every((word, index) => entry.path[index] === word)
  ).map((entry) => entry.path[words.length]).filter((word) => word !== undefined);
  const shown = cleanLine([...words, first].join(" "), 60);
  const habit = prefix === "amof" ? habitHint([...words, first].join(" ")) : null;
  if (habit !== null) return usage(`There is no command "${shown}"`, habit);
  const near = didYouMean(first, [...new Set(candidates)]);
  return usage(
    `Cannot find the command "${shown}"${
      near === null ? "" : `; did you mean "${[...words, near].join(" ")}"?`
    }`,
    hint,
  );
}

/** The words of a line that are amof's own: all before `--`. */
export function ownWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? argv : argv.slice(0, end);
}

/** Whether a line only asks for a page or the version, which must answer whatever else is broken. */
export function asksOnly(argv: readonly string[]): boolean {
  const own = ownWords(argv);
  return ["--help", "-h", "--version", "-V"].some((flag) => own.includes(flag));
}
