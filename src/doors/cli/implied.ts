/**
 * Leaves out of the command lines of an answer what they mean anyhow where it is read, and adds what they need there.
 */

import { resolve } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { ownWords, type Part } from "../../base/text/parts.ts";
import { inAdvice, inFixMembers, namingPlace, textsOfOthers } from "../../pipeline/hint.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import { type App, knownRoots } from "../../pipeline/app.ts";
import type { Entry, Invocation } from "../../pipeline/line/parse.ts";
import type { Outcome, Surroundings } from "../../pipeline/envelope.ts";
import { inOtherWords } from "../../pipeline/tool_words.ts";

/** A text whose command lines mean the same in these surroundings; `advice` is for lines to paste, not for prose. */
export function saidIn({ only, root }: Surroundings, text: string, advice = false): string {
  const short = only === null ? text : text.replaceAll(`amof -e ${only} `, "amof ");
  return !advice || root === null ? short : short.replaceAll(
    /(?<![\w/.-])amof (?=[-a-z])(?!(?:(?! -- )[^\n])*--root[ =])/g,
    `amof --root ${shellWord(root)} `,
  );
}

/** What was typed: the words of a command, and what stands behind them. */
type Typed = Pick<Invocation, "rest"> & { readonly entry: Pick<Entry, "path"> };

/** Longer lines are not repeated: nobody could read them. */
const LONGEST = 300;

/** What was typed without flags that stand `alone`, and without some that are `valued`, with their values. */
function withoutFlags(
  words: readonly string[],
  gone: { readonly alone: readonly string[]; readonly valued: readonly string[] },
): string[] {
  return words.filter((word, at) => {
    const before = words[at - 1] ?? "";
    const [name = ""] = word.split("=");
    return !gone.alone.includes(word) && !gone.valued.includes(name) &&
      !(gone.valued.includes(before) && !word.startsWith("-"));
  });
}

/** What was typed without the value that a flag has for one name: `--base api=dev` leaves `--base web=dev` as it is. */
function withoutKeyed(words: readonly string[], name: string, key: string): string[] {
  const isGone = (word: string, value = "") =>
    word === name ? value.startsWith(key) : word.startsWith(`${name}=${key}`);
  return words.filter((word, at) =>
    !isGone(word, words[at + 1]) && !(words[at - 1] === name && word.startsWith(key))
  );
}

/** Flags that another takes the place of. */
const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
  "--in-place": ["--workspace"],
  "--workspace": ["--in-place", "--carry", "--stash"],
  "--stash": ["--carry"],
  "--carry": ["--stash"],
};

/** Flags that say of a place what another line says of it where it is pasted. */
const OF_THE_PLACE = ["-e", "--ecosystem", "--root"];

/**
 * What was typed, with or without a flag more. Flags are left out that say how the answer is shown, or that
 * nothing is to be carried out. `elsewhere` also leaves out the place that it names. Null where it cannot be
 * shown. `flag` is as it is written, with its value.
 */
export function typedAgain(
  { entry, rest }: Typed,
  how: "with" | "without" | "as it was" | "elsewhere" = "as it was",
  flag = "",
): string | null {
  const end = rest.indexOf("--");
  const [own, behind] = end < 0 ? [rest, []] : [rest.slice(0, end), rest.slice(end)];
  const [name = "", value] = flag.split(" ");
  const plans = own.some((word, at) =>
    /^--mode(?:=plan|=ask)?$/.test(word) && own[at + 1] !== "execute"
  );
  const key = /^[\w.-]+=/.exec(value ?? "")?.[0];
  // An exclusion stands beside what is selected, a value for one name beside those for others, any other in its place.
  const isInstead = value !== undefined && key === undefined &&
    (how === "without" || !value.includes("!"));
  const kept = withoutFlags(key === undefined ? own : withoutKeyed(own, name, key), {
    alone: [
      ...["--json", "--dry-run"],
      ...(how === "without" && value === undefined ? [name] : []),
      ...(how === "with" ? EXCLUDED[flag] ?? [] : []),
    ],
    valued: [
      "--jq",
      ...(plans ? ["--mode"] : []),
      ...(isInstead ? [name] : []),
      ...(how === "elsewhere" ? OF_THE_PLACE : []),
    ],
  }).filter((word) => !word.startsWith("--json="));
  const said = [
    "amof",
    ...entry.path,
    ...kept.map(shellWord),
    ...(how === "with" && !kept.includes(flag) ? [flag] : []),
    ...behind.map(shellWord),
  ].join(" ");
  const isPlain = rest.every((word) => cleanLine(word) === word);
  return isPlain && said.length <= LONGEST ? said : null;
}

/**
 * A text with what was typed in place of "the same command" at the end of a line, so that it can be pasted.
 * `elsewhere` makes a line mean the same in another directory.
 */
function repeated(
  text: string,
  typed: Typed,
  elsewhere: (line: string) => string = (line) => line,
): string {
  return text
    .replaceAll(
      /(: )the same command (with|without) (--.+?)$/gm,
      (whole: string, colon: string, how: "with" | "without", flag: string) => {
        const line = typedAgain(typed, how, flag);
        return line === null ? whole : `${colon}${line}`;
      },
    )
    .replaceAll(
      /\b([Rr]epeat) the same command( there)?$/gm,
      (whole: string, repeat: string, there?: string) => {
        const line = typedAgain(typed, there === undefined ? "as it was" : "elsewhere");
        if (line === null) return whole;
        return `${repeat}: ${there === undefined ? line : elsewhere(line)}`;
      },
    );
}

/** A failure of how an answer is shown, with what was typed in place of "the same command". */
export function failedAgain(error: AmofError, typed: Typed): AmofError {
  const { message, details, exit } = error;
  return new AmofError(error.code, message, { hint: repeated(error.hint, typed), details, exit });
}

/** The only ecosystem of the control repository of a call, or null. An answer must not fail for how it is said. */
async function onlyEcosystem(app: App): Promise<string | null> {
  try {
    const { system, settings } = app;
    const { findRoot } = await import("../../commands/ecosystem/root.ts");
    const { ecosystemNames } = await import("../../workspace/manifest/mod.ts");
    const root = await findRoot(system, app.root, settings.root, () => knownRoots(app));
    const names = await ecosystemNames(system, root);
    return names.length === 1 ? names[0] ?? null : null;
  } catch (error) {
    if (error instanceof AmofError) return null;
    throw error;
  }
}

/** An answer with the command lines that a person pastes where they called. */
export async function withLinesForHere(
  app: App,
  outcome: Outcome,
  typed: Typed | null,
): Promise<Outcome> {
  const names = outcome.hint?.includes(" -e ") === true ||
    JSON.stringify(outcome.envelope).includes("ecosystem");
  // A name that cannot be shown cannot be pasted either.
  const root = app.root !== null && cleanLine(app.root) === app.root ? app.root : null;
  const around = { only: names ? await onlyEcosystem(app) : null, root };
  const isTyped = typed !== null && typed.entry.path.join(" ") === outcome.command?.path.join(" ");
  if (around.only === null && around.root === null && !isTyped) return outcome;
  const elsewhere = (line: string) =>
    saidIn(
      { ...around, root: root === null ? null : resolve(app.system.env.cwd, root) },
      namingPlace(line, outcome.place),
      true,
    );
  const again = (text: string) => isTyped ? repeated(text, typed, elsewhere) : text;

  const pasted = (text: string) => saidIn(around, text, true);
  const cell = (text: string) => again(saidIn(around, text));
  let others: readonly string[] | null = null;
  const foreign = () => others ??= textsOfOthers(outcome.envelope);
  const prose = (text: string) => again(inAdvice(saidIn(around, text), pasted, foreign));
  const shown = (part: Part) => typeof part === "string" ? prose(part) : ownWords(part, cell);
  const advice = (text: string) => again(pasted(text));
  const told = await inOtherWords(outcome.envelope, { ours: prose, mixed: prose });
  const envelope = inFixMembers(told, pasted) as Outcome["envelope"];
  const hinted = Object.entries(envelope).map(([name, value]) =>
    (name === "hint" || name === "execute_hint") && typeof value === "string"
      ? [name, advice(value)]
      : [name, value]
  );
  return {
    ...outcome,
    envelope: Object.fromEntries(hinted),
    details: outcome.details.map(shown),
    notes: outcome.notes.map(shown),
    hint: outcome.hint === null ? null : advice(outcome.hint),
    surroundings: around,
  };
}
