/**
 * Makes the command lines of a hint mean the ecosystem and the ticket that the call was about, wherever they
 * are pasted. Also knows which texts of an answer others wrote: no command line in those is ours.
 */

import { mapMembers } from "../base/object.ts";
import { COMMANDS } from "./registry.ts";
import type { Known } from "../contract/mod.ts";

interface About {
  readonly ecosystem: string | null;
  /** The ticket in whose own workspace the call was; null for the base workspace. */
  readonly ticket: string | null;
}

const patterns = new Map<string, RegExp>();

/** A line that says itself which ticket it means, up to the next line of the hint. */
const NAMES_TICKET = "(?![^;\\n]* (?:-t|--ticket) )";

/** "amof " in front of every command that is so, in a line that does not go on as `unless` says. */
function inFrontOf(kind: string, is: (command: Known) => boolean, unless = ""): RegExp {
  return patterns.getOrInsertComputed(kind, () => {
    const paths = COMMANDS.filter(is).map((command) => command.path.join(" "));
    return new RegExp(`\\bamof (?=(?:${paths.join("|")})(?![-\\w])${unless})`, "g");
  });
}

const aboutEcosystem = () => inFrontOf("ecosystem", ({ scope }) => scope === "ecosystem");
const aboutTicket = () =>
  inFrontOf("ticket", ({ inTicket }) => inTicket === "its workspace", NAMES_TICKET);

/**
 * `amof status` as `amof -e NAME status`, in a ticket as `amof -e NAME -t ID status` unless the line names one.
 * It is unchanged when it names an ecosystem, or none is known.
 */
export function namingPlace(hint: string, { ecosystem, ticket }: About): string {
  if (ecosystem === null || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(ecosystem)) return hint;
  if (/ (?:-e|--ecosystem) /.test(hint)) return hint;
  const inTicket = ticket === null
    ? hint
    : hint.replace(aboutTicket(), `amof -e ${ecosystem} -t ${ticket} `);
  return inTicket.replace(aboutEcosystem(), `amof -e ${ecosystem} `);
}

/**
 * The commands of a text that are there to be pasted, in other words: behind the colon of a sentence, or below a problem
 * (`fixLine`). What begins as no sentence of ours does may be of somebody else; `foreign` has what surely is, such as the
 * subject of a commit.
 */
export function inAdvice(
  text: string,
  change: (advice: string) => string,
  foreign: () => readonly string[],
): string {
  return text
    .replaceAll(/^ {4}fix: .*(?:\n {9}\S.*)*/gm, change)
    .replaceAll(
      /^( {0,2}(?:⚠ |\d{1,4} |[A-Z])[^\n]*: )(amof [a-z][^\n]*)$/gm,
      (whole, sentence: string, command: string) =>
        foreign().some((words) => words.includes(`: ${command.replace(/…$/, "")}`))
          ? whole
          : sentence + change(command),
    );
}

/** Members that are command lines to paste. */
const PASTED: readonly string[] = ["fix", "retry"];

/** A JSON value in which every member that is there to be pasted is in other words. */
export function inFixMembers(value: unknown, change: (fix: string) => string): unknown {
  if (value === null || typeof value !== "object") return value;
  return mapMembers(
    value,
    (member, name) =>
      PASTED.includes(name) && typeof member === "string"
        ? change(member)
        : inFixMembers(member, change),
  );
}

/** Members of an answer whose text is ours; what stands in any other was written by others, or is a name. */
const OURS = new Set([
  "alternatives",
  "cannot",
  "command",
  "current_state",
  "effects",
  "execute_hint",
  "fix",
  "hint",
  "how",
  "irreversible",
  "message",
  "next",
  "note",
  "problem",
  "reason",
  "retry",
  "stays",
  "summary",
  "warnings",
]);
/** Members that hold what others wrote, however it is called inside. */
export const FOREIGN = new Set(["events", "logs", "lines", "commits", "stderr_tail", "entries"]);

/** The member that holds a rendering, in which our words and those of others are mixed. */
const RENDERED = "details";

/** Whose words the texts at a place of an answer are. */
export type Speaker = "ours" | "theirs" | "mixed";

/** Whose words a member of an answer holds; an object says by its own names what is whose. */
export function speakerOf(name: string, value: unknown): Speaker {
  if (name === RENDERED && typeof value === "string") return "mixed";
  return OURS.has(name) && (typeof value === "string" || Array.isArray(value)) ? "ours" : "theirs";
}

/** Every text that others wrote and that could be taken for ours; all of them below a member of theirs. */
export function textsOfOthers(
  value: unknown,
  speaker: Speaker = "theirs",
  below = false,
): string[] {
  if (typeof value === "string") {
    return speaker === "theirs" && (value.includes("amof ") || value.includes("--")) ? [value] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item) => textsOfOthers(item, speaker, below));
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const foreign = below || FOREIGN.has(name);
    return textsOfOthers(item, foreign ? "theirs" : speakerOf(name, item), foreign);
  });
}
