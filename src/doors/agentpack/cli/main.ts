/**
 * The command line of agentpack: `amof agentpack …`, and everything when the program is called `agentpack`
 * (PACK-38).
 *
 * Exit status: 0 done, 1 failed, 2 usage, 3 a check found something, 130 interrupted.
 */

import { dim, red, yellow } from "@std/fmt/colors";
import { AgentpackError, type Person, warningsForPeople } from "../../../apps/agentpack/mod.ts";
import type { Consent, Host } from "../call.ts";
import { type Carried, carryOut, failed, success } from "../carry_out.ts";
import { type App, makeApp } from "../../../pipeline/app.ts";
import { AmofError, EXIT } from "../../../base/error.ts";
import { layoutOf } from "../../../base/system/layout.ts";
import type { System, Terminal } from "../../../base/system/mod.ts";
import { VERSION } from "../../../base/version.ts";
import { chooseColors, colorAsked, writeError } from "../../cli/colors.ts";
import { fit } from "../../cli/wrap.ts";
import { readArguments } from "../../../pipeline/line/arguments.ts";
import { askLine, isInteractive, isYes } from "../../cli/prompt.ts";
import {
  DOOR_COMMANDS,
  type DoorCommand,
  helpData,
  packHelp,
  packMarkdown,
  packOverview,
} from "./help.ts";
import {
  asksForGroup,
  PACK_ENTRIES,
  PACK_FLAGS,
  type PackFlags,
  type PackInvocation,
  parsePack,
  readPackFlags,
  takePackWords,
  unknownPackCommand,
} from "./parse.ts";
import { cleanLine, markHidden, stripUnsafe } from "../../../base/text/sanitize.ts";
import { Table } from "../../../base/text/table.ts";
import { layOutParts, outputWidth } from "../../cli/layout.ts";
import { entryRow, groupPage } from "../../cli/help_page.ts";

/** Where a command is named: at the end of "do this:", or behind a word that leads to it. */
const LEADS = "(?<=: |\\(|; |\\b(?:run|repeat|with|see) )";

/** Commands whose words people also use for other things; they stand behind a colon, and before an option or the end. */
const COMMON = ["status", "plan", "diff", "sync", "record", "remove", "add", "schema", "help"];

function patternOf(): RegExp {
  const paths = PACK_ENTRIES.map(({ path }) => path.join(" "));
  const words = (list: readonly string[]) =>
    [...list].sort((a, b) => b.length - a.length).join("|");
  const clear = words(paths.filter((path) => !COMMON.includes(path)));
  const common = words(paths.filter((path) => COMMON.includes(path)));
  return new RegExp(`${LEADS}(?:${clear})(?=$|[ ,;.)])|(?<=: )(?:${common})(?=$| -|[,;.])`, "g");
}

let pattern: RegExp | null = null;

/** A text in which each command of agentpack begins with the words that call it. */
export function pasteable(text: string, prefix: string): string {
  pattern ??= patternOf();
  return text.replace(pattern, (command) => `${prefix} ${command}`);
}

/** What to do about a failure that says nothing better itself. */
const WAYS_ON: Partial<Record<AgentpackError["code"], string>> = {
  E_ADOPT_CONFIRM_REQUIRED:
    "Look at these files; repeat with --adopt to overwrite them, which a rollback takes back",
  E_CONFIG_INVALID: "Correct that in agentpack.yaml, or the file that is named, then repeat",
  E_CONFIG_UNSUPPORTED_VERSION: "Use a newer agentpack, or write the file for a version it reads",
  E_DESIRED_STATE_CONFLICT: "Change one of these modules, or leave one of them out",
  E_LOCKFILE_INVALID: "Write it again with lock",
  E_POLICY_CONFIG_INVALID: "Correct the file, then repeat",
  E_POLICY_CONFIG_UNSUPPORTED_VERSION:
    "Use a newer agentpack, or write the file for a version it reads",
  E_POLICY_VIOLATIONS: "Correct what is named, then repeat: policy lint",
  E_SNAPSHOT_INVALID: "Choose another snapshot: snapshots list",
  E_USAGE: "See what the command takes with --help",
};

const REPEAT = "Correct the cause, then repeat the command";

/** The texts of a list in the details of a failure. */
function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function explained({ code, message, details, cause }: AgentpackError, prefix: string): string {
  const available = texts(details?.["available"]);
  const hint = details?.["hint"] ?? (cause instanceof AmofError ? cause.hint : undefined) ??
    WAYS_ON[code] ?? (code === "E_CONFIRM_REQUIRED" ? undefined : REPEAT);
  // Names that the hint contains are not repeated.
  const said = typeof hint === "string" && available.every((word) => hint.includes(word));
  const paths = [...texts(details?.["sample_paths"]), ...said ? [] : available];
  return [
    `${red("error:")} ${stripUnsafe(message)}`,
    ...paths.map((path) => `  ${cleanLine(path, 1000)}`),
    ...(typeof hint === "string"
      ? [
        `${yellow("hint:")} ${pasteable(stripUnsafe(hint), prefix)}`,
      ]
      : []),
    "",
  ].join("\n");
}

/** Writes an answer: what was asked for on standard output, everything else on standard error. */
function writeCarried(
  terminal: Terminal,
  carried: Carried,
  { json, prefix }: { readonly json: boolean; readonly prefix: string },
): void {
  const { envelope, error } = carried;
  if (json) {
    terminal.out(`${JSON.stringify(envelope)}\n`);
    return;
  }
  for (const warning of warningsForPeople(envelope.warnings, prefix)) {
    writeError(terminal, `${yellow("warning:")} ${dim(markHidden(pasteable(warning, prefix)))}\n`);
  }
  const text = carried.text();
  if (error === null) {
    const shown = text instanceof Table ? layOutParts([text], outputWidth(terminal)) : text;
    terminal.out(`${shown ?? ""}\n`);
    return;
  }
  // The question that nobody could be asked, so that the refusal can be understood.
  if (text !== null) writeError(terminal, `${text}\n\n`);
  writeError(terminal, explained(error, prefix));
}

function named<T extends { readonly path: readonly string[] }>(
  entries: readonly T[],
  words: readonly string[],
): T | undefined {
  return entries.find((entry) => entry.path.join(" ") === words.join(" "));
}

/** The program as agentpack's commands see it; where its store is matters only to those that use it. */
function hostOf(system: System, prefix: string): Host {
  let app: App | null = null;
  const store = () => {
    app ??= makeApp(system, layoutOf(system.env), { root: null, jobs: null });
    return app.store();
  };
  return { system, version: VERSION, prefix, store };
}

/** The commands below some words, such as `overlay`. */
function packGroupHelp(words: readonly string[], prefix: string): string {
  const below = PACK_ENTRIES.filter((entry) =>
    words.every((word, index) => entry.path[index] === word)
  );
  return groupPage(
    `${prefix} ${words.join(" ")}`,
    below.map(({ path, command }) => entryRow({ ...command, path })),
  );
}

/** Runs one command line of agentpack; answers the exit code of the process. */
export async function runAgentpack(
  system: System,
  argv: readonly string[],
  prefix: string,
): Promise<number> {
  chooseColors(system.terminal, system.env, colorAsked(argv) ?? "auto");
  const host = hostOf(system, prefix);
  const { words, rest } = takePackWords(argv, DOOR_COMMANDS);
  try {
    const entry = named(PACK_ENTRIES, words);
    const own = named(DOOR_COMMANDS, words);
    const end = rest.indexOf("--");
    const plain = end < 0 ? rest : rest.slice(0, end);
    const asked = plain.includes("--help") || plain.includes("-h");
    const asks = entry ?? own;
    const bare = asks === undefined;
    // A command that does not exist has no help; a group has, also where nothing more is said.
    if (asked && bare && rest[0] !== undefined && !rest[0].startsWith("-")) {
      throw unknownPackCommand(words, rest, DOOR_COMMANDS, prefix);
    }
    const version = plain.includes("--version") || plain.includes("-V");
    if (asked || (bare && !version && asksForGroup(rest, words, prefix))) {
      system.terminal.out(fit(
        asks !== undefined
          ? packHelp(asks, prefix)
          : words.length > 0
          ? packGroupHelp(words, prefix)
          : packOverview(prefix),
        system.terminal,
      ));
      return EXIT.ok;
    }
    if (version) {
      system.terminal.out(`${prefix} ${VERSION}\n`);
      return EXIT.ok;
    }
    if (own !== undefined) return await runOwn(host, own, rest);
    if (entry === undefined) {
      throw unknownPackCommand(words, rest, DOOR_COMMANDS, prefix);
    }
    return await runCommand(host, parsePack(entry, rest, system.env, prefix));
  } catch (thrown) {
    // A reader that went away, such as `head`, is no failure.
    if (thrown instanceof Error && thrown.name === "BrokenPipe") return EXIT.ok;
    return refused(host, argv, words, thrown);
  }
}

async function runCommand(host: Host, invocation: PackInvocation): Promise<number> {
  const { system } = host;
  const { entry, flags, input } = invocation;
  const { selection } = flags;
  const abort = new AbortController();
  const stopListening = system.terminal.onInterrupt(() => abort.abort());
  const person = personAt(system, flags, abort.signal);
  const carried = await carryOut(host, {
    command: entry.command,
    input,
    selection,
    dryRun: flags.dryRun,
    consent: consentOf(flags, person),
    signal: abort.signal,
    person,
    caller: {
      door: "cli",
      client: `${system.env.user}@cli`,
      sessionId: `sess_${system.ids.hex(12)}`,
    },
    args: { ...given(selection), ...given(input) },
    mode: "none",
    refusal: null,
    turn: (work) => work(),
  });
  stopListening();
  const shown = inWordsOfTheDoor(carried);
  writeCarried(system.terminal, shown, { json: flags.json, prefix: host.prefix });
  if (carried.error !== null) {
    return abort.signal.aborted ? EXIT.interrupted : exitOf(carried.error);
  }
  return input["check"] === true && carried.differs ? EXIT.checkFailed : EXIT.ok;
}

/** What was said of some arguments: those that are absent, off or empty were not. */
function given(values: object): Record<string, unknown> {
  const said = (value: unknown) =>
    value !== undefined && value !== false && value !== "" &&
    !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => said(value)));
}

/** After a failure this door names only the first word of a command (PACK-39). */
function inWordsOfTheDoor(carried: Carried): Carried {
  if (carried.error === null) return carried;
  const [first = ""] = carried.envelope.command.split(".");
  return { ...carried, envelope: { ...carried.envelope, command: first } };
}

function exitOf(error: AgentpackError): number {
  return error.code === "E_USAGE" ? EXIT.usage : EXIT.failed;
}

/** Runs a command that only this door has. */
function runOwn(host: Host, own: DoorCommand, rest: readonly string[]): Promise<number> {
  const { system, prefix } = host;
  const path = [prefix, ...own.path].join(" ");
  const others = [...PACK_FLAGS, ...own.flags];
  const { values } = readArguments(rest, { own: [], positionals: [], others }, path);
  const flags = readPackFlags(values, system.env);
  if (own.path[0] === "mcp") return serveTools(host, values, flags);
  if (flags.json) {
    const subject = { words: ["help"], id: "help", version: host.version };
    const envelope = success(subject, { data: helpData(), warnings: [] });
    system.terminal.out(`${JSON.stringify(envelope)}\n`);
  } else {
    system.terminal.out(values["markdown"] === true ? packMarkdown(prefix) : packOverview(prefix));
  }
  return Promise.resolve(EXIT.ok);
}

/** Serves the tools; what is on standard output then belongs to the protocol. */
async function serveTools(
  host: Host,
  values: Readonly<Record<string, unknown>>,
  flags: PackFlags,
): Promise<number> {
  if (flags.json) {
    throw new AmofError("invalid_arguments", "mcp serve speaks its own protocol, not --json");
  }
  const { packServerOptions } = await import("../mcp/options.ts");
  const { packServerFeatures } = await import("../mcp/server.ts");
  const { serveFeatures } = await import("../../mcp/serving.ts");
  const text = (name: string) => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const options = packServerOptions(host.system.env, {
    flags: { confirm: text("confirm"), mode: text("mode"), maxMode: text("max-mode") },
    own: { project_root: flags.selection.project },
    readOnly: values["read-only"] === true,
    excluded: [],
  });
  host.system.terminal.guardOutput();
  const features = packServerFeatures(host, options);
  await serveFeatures(host.system, { session: features, modern: features });
  return EXIT.ok;
}

/** A failure before or outside of a command. */
function refused(
  host: Host,
  argv: readonly string[],
  words: readonly string[],
  thrown: unknown,
): number {
  const usage = thrown instanceof AmofError && thrown.code === "invalid_arguments"
    ? new AgentpackError(
      "E_USAGE",
      thrown.message,
      thrown.hint === null ? {} : { hint: thrown.hint },
    )
    : thrown;
  const subject = { words: words.slice(0, 1), id: words.join(" "), version: host.version };
  const carried = failed(subject, usage);
  try {
    writeCarried(host.system.terminal, carried, {
      json: argv.includes("--json"),
      prefix: host.prefix,
    });
  } catch {
    // The output cannot be written any more, but the exit code still tells the result.
  }
  return carried.error === null ? EXIT.failed : exitOf(carried.error);
}

/** The person at the terminal; null where there is none, or nobody shall be asked. */
function personAt(system: System, flags: PackFlags, signal: AbortSignal): Person | null {
  const { terminal, env, processes } = system;
  if (!isInteractive(terminal, env, flags)) return null;
  return {
    ask: (question) => askLine(terminal, question, signal),
    async edit(path) {
      const words = (env.get("EDITOR") ?? "").trim().split(/\s+/).filter((word) => word !== "");
      if (words.length === 0) return null;
      const code = await processes.attach([...words, path]);
      if (code === 0) return null;
      return code === null
        ? `The editor "${words[0]}" could not be started`
        : `The editor "${words[0]}" ended with ${code}`;
    },
  };
}

/** How a call gets its consent: by `--yes`, from the person, or not at all. */
function consentOf(flags: PackFlags, person: Person | null): Consent {
  if (flags.yes) return { kind: "given" };
  if (person === null) return { kind: "withheld" };
  return {
    kind: "ask",
    async ask({ id, summary, preview }) {
      const answer = await person.ask(`${preview ?? summary}\n\nProceed? [y/N] `);
      if (answer !== null && isYes(answer)) return;
      throw new AgentpackError(
        "E_CONFIRM_REQUIRED",
        `Nothing was changed: "${id}" was declined`,
        { command: id },
      );
    },
  };
}
