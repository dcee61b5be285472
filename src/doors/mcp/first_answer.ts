/**
 * Answers what a client begins with before the program is loaded, where nothing but the usual server can come of how it
 * was started. What is less usual is looked at by the program first, which may refuse to start.
 */

import { CONFIRM_BY, type ConfirmBy } from "../../base/policy/confirm_by.ts";
import { MODES } from "../../base/policy/mode.ts";
import { realClock, type Surroundings, surroundings } from "../../base/system/real/at_start.ts";
import { realTerminal } from "../../base/system/real/terminal.ts";
import { greet, type Introductions } from "./greeting.ts";
import { introductionOf } from "./introduction.ts";
import type { Wire } from "./wire.ts";

/** The words that a server is started with. */
const WORDS = [["mcp", "serve"], ["mcp", "start"], ["serve"]];

/** Flags that change nothing of what a server says of itself, or just the line of `confirm`, and their values. */
const FLAGS: Readonly<Record<string, (value: string) => boolean>> = {
  "--root": (value) => value !== "",
  "--mode": (value) => MODES.some((mode) => mode === value),
  "--confirm": (value) => CONFIRM_BY.some((by) => by === value),
  // Whatever models are told of at first is among the daily tools, too.
  "--toolsets": (value) => value === "default" || value === "daily",
};

/** Variables that only say where something is. */
const PLACES = /^AMOF_(?:(?:(?:CONFIG|DATA|CACHE|STATE)_)?HOME|PATH|ROOT|DISTRIBUTION)$/;

/** Who confirms at a server that was started in the usual way; null for any other command line. */
function confirmsBy(args: readonly string[]): ConfirmBy | null {
  const words = WORDS.find((words) => words.every((word, at) => args[at] === word));
  if (words === undefined) return null;
  const given = new Map<string, string>();
  for (let at = words.length; at < args.length; at++) {
    const [, name = "", said] = /^(--[a-z]+)(?:=(.*))?$/.exec(args[at] ?? "") ?? [];
    const value = said ?? args[++at] ?? "";
    if (given.has(name) || value.startsWith("-") || FLAGS[name]?.(value) !== true) return null;
    given.set(name, value);
  }
  return CONFIRM_BY.find((by) => by === given.get("--confirm")) ?? "token";
}

/** Where the user file may be: below the value of a variable. */
const USER_FILES = [
  ["AMOF_HOME", "config"],
  ["AMOF_CONFIG_HOME", "."],
  ["XDG_CONFIG_HOME", "amof"],
  ["HOME", ".config/amof"],
  ["USERPROFILE", ".config/amof"],
] as const;

/** Whether the environment says nothing that a server goes by, and there is no user file that could. */
function isPlain({ get, names, mayBeThere }: Surroundings): boolean {
  const own = names.filter((name) => /^(?:AMOF|AGENTPACK)_/i.test(name));
  if (!own.every((name) => PLACES.test(name))) return false;
  return USER_FILES.every(([variable, below]) => {
    const directory = get(variable) ?? "";
    return directory === "" || !mayBeThere(`${directory}/${below}/config.yaml`);
  });
}

/** The tools that move a session, which those without one do not have. */
const MOVES: readonly string[] = ["amof_set_mode", "amof_switch_ecosystem"];

/** What a server says of itself that has the usual tools, or the daily ones of them. */
function usualIntroductions(confirmBy: ConfirmBy): Introductions {
  const usual = {
    bound: null,
    confirmBy,
    onRepositories: true,
    hasSkills: true,
    note: null,
  };
  const isUsual = (tool: string) => tool.startsWith("amof_");
  return {
    session: introductionOf({ ...usual, lasts: true, isOffered: isUsual }),
    modern: introductionOf({
      ...usual,
      lasts: false,
      isOffered: (tool) => isUsual(tool) && !MOVES.includes(tool),
    }),
  };
}

/** What a server that is started so says of itself; null where that takes more than this to know. */
export function introductionsFor(
  args: readonly string[],
  around: Surroundings,
): Introductions | null {
  const confirmBy = confirmsBy(args);
  return confirmBy === null || !isPlain(around) ? null : usualIntroductions(confirmBy);
}

/** Greets the client of the usual server; answers the wire on which everything goes on, undefined for any other. */
export async function firstAnswer(args: readonly string[]): Promise<Wire | undefined> {
  const introductions = introductionsFor(args, surroundings());
  if (introductions === null) return undefined;
  return await greet({ clock: realClock, terminal: realTerminal() }, introductions);
}
