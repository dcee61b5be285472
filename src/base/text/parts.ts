/** What a reader is shown below a summary, as parts that a door lays out for where they are read. */

import { stripUnsafe } from "./sanitize.ts";
import { Brief, MANY, Table } from "./table.ts";
import { Toned } from "./tone.ts";
import { count, few } from "./words.ts";

/** Lines that are shown as they are, however long: a log, or a patch with its added and removed lines. */
export class Verbatim {
  /** The lines in pieces, some of which have a tone. */
  readonly pieces: readonly (string | Toned)[];
  /** Whether they are the lines of a patch. */
  readonly isPatch: boolean;

  constructor(pieces: readonly (string | Toned)[], isPatch = false) {
    this.pieces = pieces;
    this.isPatch = isPatch;
  }

  /** The lines as they are. */
  toString(): string {
    return this.pieces.join("");
  }
}

/** Lines that must not be broken elsewhere than they are. */
export function verbatim(...pieces: readonly (string | Toned)[]): Verbatim {
  return new Verbatim(pieces);
}

/** The lines of a patch, as git prints it. */
export function patch(text: string): Verbatim {
  return new Verbatim([text], true);
}

/**
 * One or more lines, or a table. A line that begins with `✓`, `✗` or `⚠` has that tone; an empty text is an empty
 * line.
 */
export type Part = string | Toned | Brief | Verbatim | Table;

/** The parts of an answer, each beginning in a line of its own. */
export type Details = Part | readonly Part[];

/** The parts one by one; none where there is nothing to read. */
export function partsOf(details: Details | undefined): readonly Part[] {
  if (details === undefined) return [];
  const parts = isPart(details) ? [details] : details;
  return parts.some((part) => String(part) !== "") ? parts : [];
}

function isPart(details: Details): details is Part {
  return !Array.isArray(details);
}

/** Parts with an empty line between each two; those that are null or say nothing are left out. */
export function blocks(...parts: readonly (Details | null)[]): readonly Part[] {
  return parts.map((part) => partsOf(part ?? undefined)).filter((part) => part.length > 0)
    .flatMap((part, index) => index === 0 ? part : ["", ...part]);
}

/** How lines are folded. */
export interface Folding {
  /** Whether the person wants each line. */
  readonly all?: boolean | undefined;
  /** Whether the command has no flag by which they could say so: its lines are folded in its question alone. */
  readonly onlyAsked?: boolean | undefined;
}

/** Lines of one kind, of which a person with many is told how many they are and how to see them. */
export function foldedLines(
  lines: readonly string[],
  says: string,
  { all, onlyAsked }: Folding,
): readonly Part[] {
  return all === true || lines.length <= MANY
    ? lines
    : [new Brief(lines.join("\n"), says, onlyAsked)];
}

/** How many of those are named that are told in one line. */
const NAMED = 3;
/** Stands for a name where lines are compared without it. */
const ANY_NAME = "\0";

/**
 * A line about each repository, or several.
 *
 * Where many lines differ only in the name, a person sees one line for all of them, with their number. It is
 * placed below the repositories that have a line of their own. Those that are not plain always have one. Where
 * nobody could ask for each line, the one line holds all names.
 */
export function foldedRepos<T extends { readonly name: string }>(
  repos: readonly T[],
  say: (repo: T) => string,
  { all, onlyAsked, brief = say, isPlain = () => true }: Folding & {
    /** What is told of many, where each has something that no other has, such as the hash of a commit. */
    readonly brief?: (repo: T) => string;
    readonly isPlain?: (repo: T) => boolean;
  },
): readonly Part[] {
  const lines = repos.map(say);
  if (all === true || lines.length <= MANY) return lines;
  const alike = Map.groupBy(
    repos.filter(isPlain),
    (repo) => brief({ ...repo, name: ANY_NAME }),
  );
  const groups = [...alike.values()].filter((same) => same.length > MANY);
  if (groups.length === 0) return lines;
  const folded = new Set(groups.flat());
  const naming = (most: number) =>
    [
      ...repos.filter((repo) => !folded.has(repo)).map(say),
      ...groups.flatMap((same) =>
        same.slice(0, 1).flatMap((one) => {
          const many = { ...one, name: count(same.length, "repository", "repositories") };
          const [first = "", ...rest] = brief(many).split("\n");
          return [`${first}: ${few(same.map(({ name }) => name), most)}`, ...rest];
        })
      ),
    ].join("\n");
  const whole = lines.join("\n");
  return [new Brief(whole, naming(NAMED), onlyAsked, brief === say ? naming(Infinity) : whole)];
}

/** All parts as text, complete and without colours. */
export function plainText(details: Details | undefined): string {
  return partsOf(details).map(String).join("\n");
}

/** A part whose words are ours in other words; what is shown as it is was written by others. */
export function ownWords(part: Part, change: (text: string) => string): Part {
  if (typeof part === "string") return change(part);
  return part instanceof Verbatim ? part : part.mapText(change);
}

/** Parts whose texts cannot move a cursor, hide or reorder a word (ANSWER-5). */
export function cleanParts(details: Details | undefined): readonly Part[] {
  const clean = (piece: string | Toned) =>
    typeof piece === "string" ? stripUnsafe(piece) : piece.mapText(stripUnsafe);
  return partsOf(details).map((part) =>
    part instanceof Verbatim
      ? new Verbatim(part.pieces.map(clean), part.isPatch)
      : part instanceof Table
      // A cell is one line, whatever others wrote into it.
      ? part.mapText((text) => stripUnsafe(text).replace(/\s*[\t\n]\s*/g, " "))
      : part instanceof Brief
      ? part.mapText(stripUnsafe)
      : clean(part)
  );
}
