/**
 * Answers what a client begins with before the program is loaded, where nothing but the usual server can come of how it
 * was started. What is less usual is looked at by the program first, which may refuse to start.
 */

import {
  allows,
  CONFIRM_BY,
  type ConfirmBy,
  ELICITATION,
  isMode,
  type Mode,
  MODES,
  saysReadOnly,
} from "../../base/policy/mode.ts";
import { realClock, type Surroundings, surroundings } from "../../base/system/real/at_start.ts";
import { realTerminal } from "../../base/system/real/terminal.ts";
import { greet, type Introductions } from "./greeting.ts";
import { introductionOf, startNote } from "./introduction.ts";
import type { Wire } from "./messages.ts";

/** The words that a server is started with. */
const WORDS = [["mcp", "serve"], ["mcp", "start"], ["serve"]];

/** Flags of which what a server says of itself follows, whatever it finds later, and whether a value is one of theirs. */
const FLAGS: Readonly<Record<string, (value: string) => boolean>> = {
  "--root": (value) => value !== "",
  "--mode": isMode,
  "--max-mode": isMode,
  "--confirm": (value) => CONFIRM_BY.some((by) => by === value),
  "--elicitation": (value) => ELICITATION.some((asks) => asks === value),
  // Whatever models are told of at first is among the daily tools, too.
  "--toolsets": (value) => value === "default" || value === "daily",
  // What a name may have beyond doubt.
  "--ecosystem": (value) => /^[a-z\d][a-z\d-]{0,40}$/i.test(value),
};

/** The variable beside each of them. */
const VARIABLES: ReadonlyMap<string, string> = new Map(
  Object.keys(FLAGS).map((flag) => [
    flag,
    `AMOF_${flag.slice(2).replaceAll("-", "_").toUpperCase()}`,
  ]),
);
const READ_ONLY = "AMOF_READ_ONLY";

/** Variables that only say where something is. */
const PLACES = /^AMOF_(?:(?:(?:CONFIG|DATA|CACHE|STATE)_)?HOME|PATH|ROOT|DISTRIBUTION)$/;

/** How a server is started, as far as it says so of itself. */
interface Start {
  readonly confirmBy: ConfirmBy;
  readonly readOnly: boolean;
  readonly maxMode: Mode;
}

/** The flags of a server with their values; null for any other command line, and for what is none of them. */
function flagsIn(args: readonly string[]): ReadonlyMap<string, string> | null {
  const words = WORDS.find((words) => words.every((word, at) => args[at] === word));
  if (words === undefined) return null;
  const given = new Map<string, string>();
  for (let at = words.length; at < args.length; at++) {
    const [, name = "", said] = /^(--[a-z-]+)(?:=(.*))?$/.exec(args[at] ?? "") ?? [];
    const isSwitch = name === "--read-only" && said === undefined;
    const value = isSwitch ? "1" : said ?? args[++at] ?? "";
    const isKnown = isSwitch || (Object.hasOwn(FLAGS, name) && FLAGS[name]?.(value) === true);
    if (given.has(name) || value.startsWith("-") || !isKnown) return null;
    given.set(name, value);
  }
  return given;
}

/** How a server is started by flags and variables; null where that takes more than this to know. */
function startOf(args: readonly string[], around: Surroundings): Start | null {
  const flags = flagsIn(args);
  if (flags === null) return null;
  const own = around.names.filter((name) => /^(?:AMOF|AGENTPACK)_/i.test(name));
  const variables = [...VARIABLES.values(), READ_ONLY];
  if (!own.every((name) => PLACES.test(name) || variables.includes(name))) return null;
  const said = new Map(flags);
  for (const [flag, variable] of VARIABLES) {
    const value = around.get(variable) ?? "";
    if (said.has(flag) || value === "") continue;
    if (FLAGS[flag]?.(value) !== true) return null;
    said.set(flag, value);
  }
  const maxMode = MODES.find((mode) => mode === said.get("--max-mode")) ?? "execute";
  const mode = MODES.find((mode) => mode === flags.get("--mode")) ?? "ask";
  // Two flags that contradict each other are refused.
  if (flags.has("--max-mode") && !allows(maxMode, mode)) return null;
  const ecosystem = said.get("--ecosystem") ?? null;
  if (ecosystem !== null && !hasEcosystem(said.get("--root") ?? "", ecosystem, around)) return null;
  return {
    confirmBy: CONFIRM_BY.find((by) => by === said.get("--confirm")) ?? "token",
    readOnly: flags.has("--read-only") || saysReadOnly(around.get(READ_ONLY)),
    maxMode,
  };
}

/** Whether a control repository beyond doubt has an ecosystem. */
function hasEcosystem(
  root: string,
  ecosystem: string,
  { look, directories }: Surroundings,
): boolean {
  if (!/^(?:\/|[A-Za-z]:[\\/])/.test(root)) return false;
  const git = look(`${root}/.git`);
  // That of a linked worktree is elsewhere.
  const isMain = git === "nothing" ||
    (git === "directory" && look(`${root}/.git/commondir`) === "nothing");
  return isMain && directories(`${root}/ecosystems`).includes(ecosystem) &&
    look(`${root}/ecosystems/${ecosystem}/ecosystem.yaml`) === "file";
}

/** Where the user file may be: below the value of a variable. */
const USER_FILES = [
  ["AMOF_HOME", "config"],
  ["AMOF_CONFIG_HOME", "."],
  ["XDG_CONFIG_HOME", "amof"],
  ["HOME", ".config/amof"],
  ["USERPROFILE", ".config/amof"],
] as const;

/** Whether there may be a user file. */
export function mayHaveUserFile({ get, look }: Surroundings): boolean {
  return USER_FILES.some(([variable, below]) => {
    const directory = get(variable) ?? "";
    return directory !== "" && look(`${directory}/${below}/config.yaml`) !== "nothing";
  });
}

/** The tools that move a session, which those without one do not have. */
const MOVES: readonly string[] = ["amof_set_mode", "amof_switch_ecosystem"];

/** What a server says of itself that has the usual tools, or those of them that it keeps. */
function introductionsOf({ confirmBy, readOnly, maxMode }: Start): Introductions {
  const described = {
    bound: null,
    confirmBy,
    onRepositories: true,
    hasSkills: true,
    note: startNote({ readOnly, maxMode }),
  };
  const confirms = !readOnly && maxMode === "execute";
  const isOffered = (tool: string) =>
    tool.startsWith("amof_") && (confirms || tool !== "amof_confirm");
  return {
    session: introductionOf({ ...described, lasts: true, isOffered }),
    modern: introductionOf({
      ...described,
      lasts: false,
      isOffered: (tool) => isOffered(tool) && !MOVES.includes(tool),
    }),
  };
}

/** What a server that is started so says of itself; null where that takes more than this to know. */
export function introductionsFor(
  args: readonly string[],
  around: Surroundings,
): Introductions | null {
  const start = startOf(args, around);
  return start === null ? null : introductionsOf(start);
}

/** Whether the program starts with the user file that there may be: it refuses one with errors. */
async function startsWithUserFile(): Promise<boolean> {
  const [{ loadSettings }, { realFiles }, { environment }] = await Promise.all([
    import("../../state/settings/mod.ts"),
    import("../../base/system/real/files.ts"),
    import("../../base/system/real/environment.ts"),
  ]);
  return await loadSettings({ env: environment(), files: realFiles }).then(() => true, () => false);
}

/** Greets the client of the usual server; answers the wire on which everything goes on, undefined for any other. */
export async function firstAnswer(args: readonly string[]): Promise<Wire | undefined> {
  const around = surroundings();
  const introductions = introductionsFor(args, around);
  if (introductions === null) return undefined;
  if (mayHaveUserFile(around) && !await startsWithUserFile()) return undefined;
  return await greet({ clock: realClock, terminal: realTerminal() }, introductions);
}
