/** Which tools a server offers, decided once when it starts (MCP-8). */

import { findCommand, type Listed } from "../../pipeline/registry.ts";
import { AmofError } from "../../base/error.ts";
import type { ConfirmBy, Mode } from "../../base/policy/mode.ts";
import { DAILY, isForTicket, type Known, TOOLSET_WORDS } from "../../contract/mod.ts";
import { didYouMean, list, meantText } from "../../base/text/words.ts";
import { startNote } from "./introduction.ts";
import type { App } from "../../pipeline/app.ts";
import type { Session } from "../../pipeline/session.ts";
import { OWN_TOOLS } from "../wings.ts";

/** What the server was told to offer. */
interface SelectionOptions {
  /**
   * Names of toolsets; `default` and `all` are allowed, and with a minus before it one that is left out. Null means the
   * default.
   */
  readonly toolsets: readonly string[] | null;
  /** Tools to offer besides the toolsets; alone, only these. */
  readonly tools: readonly string[];
  /** Tools never to offer. */
  readonly excluded: readonly string[];
  /** Whether tools that change anything are left out. */
  readonly readOnly: boolean;
  /** The ticket that the server is bound to; null or absent for most. */
  readonly ticket?: string | null;
  /** The highest mode of any call; execute when absent. */
  readonly maxMode?: Mode;
}

/** Why a tool is offered or not, and for whoever starts the server how it would be. */
export type Availability = { readonly offered: true } | {
  readonly offered: false;
  readonly reason: string;
  readonly remedy: string;
};

/** The tools of a server: the same predicate lists them and guards their calls. */
export interface Selection {
  readonly listed: readonly Listed[];
  /** What a model should know of tools that are missing by the way the server was started, or null. */
  readonly note: string | null;
  judge(command: Known): Availability;
}

function known(names: readonly string[], valid: readonly string[], what: string): void {
  for (const name of names) {
    if (valid.includes(name)) continue;
    throw new AmofError(
      "invalid_arguments",
      `Cannot use the ${what} "${name}"${meantText(didYouMean(name, valid))}`,
      {
        hint: `Known: ${list(valid)}`,
      },
    );
  }
}

/** The options, and what they come to. */
interface Chosen {
  readonly options: SelectionOptions;
  /** Toolsets to offer. */
  readonly wanted: readonly string[];
  /** Toolsets to leave out. */
  readonly left: readonly string[];
}

/** Whether a list names a tool, by whichever of its names. */
function has(list: readonly string[], command: Known): boolean {
  return list.includes(command.name) || (command.aliases ?? []).some((name) => list.includes(name));
}

function no(reason: string, remedy: string): Availability {
  return { offered: false, reason, remedy };
}

/** Why a tool is not offered, whatever was chosen; null where nothing stands against it. */
function ruledOut(command: Known, { options, left }: Chosen): Availability | null {
  if (command.mcp === "never") {
    return no(
      "it exists only on the command line",
      `A person runs it in a terminal: amof ${command.path.join(" ")}`,
    );
  }
  const ticket = options.ticket ?? null;
  if (ticket !== null && !isForTicket(command)) {
    return no(
      `this server is bound to ticket ${ticket}, and it is not about one`,
      "Whoever starts the server can leave out --ticket",
    );
  }
  if (options.readOnly && (command.kind === "mutation" || command.kind === "redeem")) {
    return no("this server is read-only", "Whoever starts the server can leave out --read-only");
  }
  const { maxMode = "execute" } = options;
  if (command.kind === "redeem" && maxMode !== "execute") {
    return no(
      `no call of this server goes beyond mode ${maxMode}, so there is nothing to confirm`,
      "Whoever starts the server can leave out --max-mode",
    );
  }
  if (has(options.excluded, command)) {
    return no("this server excludes it", "Whoever starts the server can leave out --exclude-tools");
  }
  if (left.includes(command.toolset) && !has(options.tools, command)) {
    return no(
      `this server leaves the toolset "${command.toolset}" out`,
      `Whoever starts the server can leave out -${command.toolset}`,
    );
  }
  return null;
}

function judged(command: Known, chosen: Chosen): Availability {
  const against = ruledOut(command, chosen);
  if (against !== null) return against;
  const { options, wanted } = chosen;
  // Without the session's own tools nobody could confirm, or see where they stand.
  const isOffered = command.toolset === "session" || has(options.tools, command) ||
    wanted.includes("all") || wanted.includes(command.toolset) ||
    (wanted.includes("daily") && DAILY.includes(command.name)) ||
    (wanted.includes("default") && command.mcp !== "asked for");
  if (isOffered) return { offered: true };
  const more = wanted.length > 0
    ? `--toolsets ${[...wanted, command.toolset].join(",")}`
    : `--tools ${[...options.tools, command.name].join(",")}`;
  return no(
    wanted.includes("daily")
      ? "it is none of the daily tools"
      : wanted.includes("default")
      ? "it is none of the default tools"
      : `its toolset "${command.toolset}" is not enabled`,
    `Whoever starts the server can add it: amof mcp serve ${more}`,
  );
}

/** The same tools for clients without a session: those that only move one are none for them. */
export function withoutSession({ listed, note, judge }: Selection): Selection {
  const judged = (command: Known) =>
    command.kind === "navigation" && command.moves === true
      ? no(
        "requests of this revision have no session",
        'Pass "mode" and "ecosystem" with each call',
      )
      : judge(command);
  return { listed: listed.filter((command) => judged(command).offered), note, judge: judged };
}

/** Makes the selection; throws `invalid_arguments` for a name that is no tool or toolset. */
export function select(commands: readonly Listed[], options: SelectionOptions): Selection {
  const mcp = commands.filter((command) => command.mcp !== "never");
  const names = mcp.flatMap((command) => [command.name, ...command.aliases ?? []]);
  const words = options.toolsets ?? [];
  const left = words.filter((word) => word.startsWith("-")).map((word) => word.slice(1));
  const named = words.filter((word) => !word.startsWith("-"));
  const toolsets = [...TOOLSET_WORDS, ...OWN_TOOLS.map(({ toolset }) => toolset)];
  known([...named, ...left], toolsets, "toolset");
  known([...options.tools, ...options.excluded], names, "tool");
  // Options that only leave tools out apply to the usual selection.
  const isUsual = named.length === 0 && (left.length > 0 || options.toolsets === null);
  const wanted = isUsual ? (options.tools.length > 0 ? [] : ["default"]) : named;
  const judge = (command: Known) => judged(command, { options, wanted, left });
  const { readOnly, maxMode = "execute" } = options;
  const note = startNote({ readOnly, maxMode });
  return { listed: mcp.filter((command) => judge(command).offered), note, judge };
}

/** The door of one client, or of all that have no session. */
export interface Door {
  readonly app: App;
  /** The session of a call: the client's own, or one that this call has for itself. */
  session(): Session;
  readonly selection: Selection;
  readonly confirmBy: ConfirmBy;
  /** Whether forms are asked for where a client declares them. */
  readonly forms: boolean;
}

/** The command of a tool if this server offers it, else null. */
export function offered(door: Door, tool: string): Known | null {
  const command = findCommand(tool);
  return command !== null && door.selection.judge(command).offered ? command : null;
}
