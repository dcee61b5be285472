/**
 * Makes the command lines of a hint mean the ecosystem and the ticket that the call was about, wherever they are pasted.
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
  const known = patterns.get(kind);
  if (known !== undefined) return known;
  const paths = COMMANDS.filter(is).map((command) => command.path.join(" "));
  const made = new RegExp(`\\bamof (?=(?:${paths.join("|")})(?![-\\w])${unless})`, "g");
  patterns.set(kind, made);
  return made;
}

const aboutEcosystem = () => inFrontOf("ecosystem", ({ scope }) => scope === "ecosystem");
const aboutTicket = () => inFrontOf("ticket", ({ inTicket }) => inTicket === true, NAMES_TICKET);

/**
 * `amof status` as `amof -e NAME status`, in a ticket as `amof -e NAME -t ID status` unless the line names one; as it is
 * when it names an ecosystem, or none is known.
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
 * (`fixLine`). What begins as no sentence of ours does may be of somebody else, such as the subject of a commit.
 */
export function inAdvice(text: string, change: (advice: string) => string): string {
  return text
    .replaceAll(/^ {4}fix: .*(?:\n {9}\S.*)*/gm, change)
    .replaceAll(
      /^( {0,2}(?:⚠ |\d{1,4} |[A-Z])[^\n]*: )(amof [a-z][^\n]*)$/gm,
      (_, sentence: string, command: string) => sentence + change(command),
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
