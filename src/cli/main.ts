/**
 * The command line: from the argument vector to the exit code.
 *
 * @module
 */

import { runId } from "../ids.ts";
import { defined } from "../object.ts";
import { asTyped } from "../command/common.ts";
import { argumentIssues } from "../text/issues.ts";
import { failureDetails } from "../command/answer.ts";
import { type App, makeApp } from "../command/app.ts";
import { failureSummary, makeOutcome } from "../command/envelope.ts";
import { followRun } from "../command/follow.ts";
import type { Call } from "../command/call.ts";
import { wordingFor } from "../command/wording.ts";
import { carryOut } from "../command/pipeline.ts";
import { AmofError, EXIT, toAmofError } from "../error.ts";
import type { Command } from "../contract/mod.ts";
import { type Color, loadSettings, withSettings } from "../settings/mod.ts";
import { layoutOf } from "../store/layout.ts";
import type { System } from "../system/mod.ts";
import { VERSION } from "../version.ts";
import { aliasEntries, type Aliases, aliasPlace, expanded } from "./aliases.ts";
import { chooseColors, colorAsked } from "./colors.ts";
import { approveFirst, needsApproval } from "./approve_first.ts";
import { composed, wantsMessage } from "./compose.ts";
import { ENTRIES } from "./entries.ts";
import { GLOBAL_FLAGS, type GlobalFlags, readGlobalFlags } from "../command/line/flags.ts";
import { fit } from "./fit.ts";
import { commandHelp, groupHelp, overview } from "./help.ts";
import { readFlags, usage } from "../command/line/arguments.ts";
import { type Entry, type Invocation, parseInvocation } from "../command/line/parse.ts";
import {
  firstWord,
  takeWords,
  unknownCommand,
  type Worded,
  type Words,
} from "../command/line/words.ts";
import type { ProgramContext } from "../command/line/program.ts";
import { openProgram } from "./programs/open.ts";
import { agentpackCommandLine } from "./programs/agentpack.ts";
import { foreground, printEvent } from "./foreground.ts";
import { Area, showsLive, withArea } from "./live/area.ts";
import { withPager } from "./pager.ts";
import { isInteractive, terminalApprover } from "./prompt.ts";
import { writeOutcome } from "./render.ts";
import { checkForm, show } from "./show.ts";
import { cliSession, stderrReporter } from "./session.ts";
import { streamOf } from "./stream.ts";
import { TOPIC_ROWS, topicHelp, TOPICS } from "./topics.ts";

/** The page of a group of commands; of all of them without words. */
async function groupPage(world: System, words: readonly string[]): Promise<string> {
  if (words.length > 0) return groupHelp(words, ENTRIES);
  const { aliases } = await loadSettings(world, { lenient: true });
  return overview(ENTRIES, TOPIC_ROWS, aliasEntries(aliases));
}

/** The page that a line asks for with `--help` or `help`; throws for words that are nothing. */
async function helpPage(
  world: System,
  given: readonly string[],
  entry: Entry | undefined,
  { words, rest }: Words,
): Promise<string> {
  const byWord = given[0] === "help";
  const topic = byWord ? topicHelp(given[1] ?? "") : null;
  if (topic !== null) return topic;
  if (entry !== undefined) return await commandHelp(entry, ENTRIES);
  // An unknown command is an error; the name of a group shows its help.
  if (rest[0] !== undefined && !rest[0].startsWith("-")) {
    const pages: readonly Worded[] = Object.keys(TOPICS).map((name) => ({ path: [name] }));
    throw unknownCommand(words, rest, byWord ? [...ENTRIES, ...pages] : ENTRIES);
  }
  return await groupPage(world, words);
}

/** Whether a line only asks for a page or the version, which must answer whatever else is broken. */
function asksOnly(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const plain = end < 0 ? argv : argv.slice(0, end);
  return ["--help", "-h", "--version", "-V"].some((flag) => plain.includes(flag));
}

/** Runs one command line; answers the exit code of the process. */
export async function runCommandLine(world: System, given: readonly string[]): Promise<number> {
  // "amof help push" is "amof push --help".
  const said = given[0] === "help" ? [...given.slice(1), "--help"] : given;
  if (world.env.program === "agentpack") {
    return await agentpackCommandLine(world, said, "agentpack");
  }
  // Colours are chosen before flags are read, because problems with flags are printed in colour, too.
  const color = colorAsked(said);
  chooseColors(world.terminal, world.env, color ?? "auto");
  // A command of amof needs no look at the aliases.
  if (aliasPlace(said) < 0) return await runLine(world, given, said, { color, aliases: {} });
  try {
    const { aliases } = await loadSettings(world, { lenient: asksOnly(said) });
    const argv = expanded(said, aliases);
    return await runLine(world, argv === said ? given : argv, argv, { color, aliases });
  } catch (thrown) {
    return fail(world, said, thrown);
  }
}

/** Runs a command line without aliases; `given` is the line as it was typed. */
async function runLine(
  world: System,
  given: readonly string[],
  argv: readonly string[],
  { color, aliases }: { readonly color: Color | null; readonly aliases: Aliases },
): Promise<number> {
  const { words, rest } = takeWords(argv, ENTRIES);
  const entry = ENTRIES.find((candidate) =>
    candidate.path.length === words.length &&
    candidate.path.every((word, index) => word === words[index])
  );
  if (entry?.kind === "program" && entry.delegate !== undefined) {
    return await entry.delegate(world, rest);
  }
  const { terminal } = world;
  const flagsEnd = rest.indexOf("--");
  const plain = flagsEnd < 0 ? rest : rest.slice(0, flagsEnd);
  const asked = (long: string, short: string) => plain.includes(long) || plain.includes(short);
  try {
    if (asked("--help", "-h")) {
      const page = fit(await helpPage(world, given, entry, { words, rest }), terminal);
      // Who asks with a flag wants to go on typing; who asks by name wants to read.
      if (given[0] !== "help" || plain.includes("--no-pager")) terminal.out(page);
      else {
        const settings = await loadSettings(world, { lenient: true });
        await withPager(world, settings, ({ out }) => out(page));
      }
      return EXIT.ok;
    }
    if (asked("--version", "-V")) {
      terminal.out(`amof ${VERSION}\n`);
      return EXIT.ok;
    }
    if (entry === undefined) {
      // A line that ends early shows the help of its group; with `--json` it is an error.
      if (
        firstWord(rest) === undefined && !plain.some((word) => /^--(?:json|jq)(?:=|$)/.test(word))
      ) {
        readFlags(rest, { all: GLOBAL_FLAGS, repeatable: [] }, ["amof", ...words].join(" "));
        terminal.out(fit(await groupPage(world, words), terminal));
        return EXIT.ok;
      }
      throw unknownCommand(words, rest, [...ENTRIES, ...aliasEntries(aliases)]);
    }
    const settings = await loadSettings(world, {
      lenient: entry.kind === "program" && entry.lenient === true,
    });
    // What tells who says what looks at the environment itself.
    const system = entry.path[0] === "config" ? world : withSettings(world, settings);
    chooseColors(terminal, world.env, color ?? settings.color ?? "auto");
    const invocation = await parseInvocation(entry, rest);
    const appIn = (world: System) =>
      makeApp(world, layoutOf(system.env), {
        settings,
        root: invocation.flags.root,
        jobs: invocation.flags.jobs,
        timeout: invocation.switches.timeout,
      });
    await checkForm(invocation.flags);
    if (entry.kind === "program") return await runProgram(appIn(system), entry, invocation);
    if (!showsLive(system, invocation.flags)) {
      return await runCommand(appIn(system), entry, invocation, null);
    }
    const area = new Area(system, entry.path.join(" "));
    try {
      return await runCommand(appIn(withArea(system, area)), entry, invocation, area);
    } finally {
      area.end();
    }
  } catch (thrown) {
    // A reader that went away, such as `head`, is no failure.
    if (thrown instanceof Error && thrown.name === "BrokenPipe") return EXIT.ok;
    return fail(world, argv, thrown);
  }
}

async function runCommand(
  app: App,
  command: Command,
  invocation: Invocation,
  area: Area | null,
): Promise<number> {
  const { system } = app;
  const { flags, switches } = invocation;
  const session = cliSession(system, flags);
  const abort = new AbortController();
  const report = stderrReporter(system, flags, area);
  let stopListening = system.terminal.onInterrupt(() => {
    const inline = command.kind === "mutation" ? command.inline : undefined;
    // A second interrupt ends nothing sooner, so this is said at the first one.
    if (!abort.signal.aborted && inline !== undefined && !flags.quiet && !flags.json) {
      const how = inline === "attended"
        ? "the programs are being ended"
        : "anything begun is taken back first";
      system.terminal.err(`\nStopping; ${how}.\n`);
    }
    abort.abort();
  });
  const stream = streamOf(command, system.terminal, flags, () => abort.abort());
  const call: Call = {
    command,
    args: invocation.args,
    ...defined({ show: stream?.show }),
    session,
    door: "cli",
    client: `${system.env.user}@cli`,
    signal: abort.signal,
    report,
    approver: terminalApprover(system.terminal, system.env, flags),
    confirmBy: "token",
    offers: (other) => other.only !== "mcp",
    background: switches.background,
    // With `--yes` nobody is expected to answer questions of the run.
    attended: !switches.background && !flags.yes &&
      isInteractive(system.terminal, system.env, flags),
  };
  if (switches.follow) return await followLogs(app, call, flags);
  if (switches.watch && command.kind === "query") {
    const open = (repo: string) =>
      openProgram.main(programContext(app, flags), {
        repo,
        editor: true,
        web: false,
        path: false,
        print: false,
      });
    const { watch } = await import("./watch/watch.ts");
    return await watch({ app, command, call, flags, open }, () => {
      // From here on an interrupt is a key like any other.
      stopListening();
      area?.end();
    });
  }
  let outcome = await carryOut(
    app,
    wantsMessage(app, call, flags) ? await composed(app, call) : call,
  );
  if (needsApproval(outcome) && isInteractive(system.terminal, system.env, flags)) {
    outcome = await approveFirst(app, call, outcome, flags);
  }
  stopListening();
  stopListening = () => {};
  area?.end();
  if (outcome.runId !== null && !outcome.isError && !switches.background) {
    outcome = await foreground(app, session, {
      runId: outcome.runId,
      action: String(outcome.envelope["action"] ?? command.path.join(" ")),
      flags,
      area,
      interrupted: abort.signal.aborted,
    });
  }
  // A reader that went away while the work went on is no failure either.
  if (stream?.left === true) return EXIT.ok;
  await show(app, stream?.rest(outcome) ?? outcome, flags);
  return abort.signal.aborted && outcome.isError ? EXIT.interrupted : outcome.exit;
}

/** `runs logs --follow`: the usual answer first, then every new event until the run has ended. */
async function followLogs(app: App, call: Call, flags: GlobalFlags): Promise<number> {
  const first = await carryOut(app, call);
  if (!first.isError) {
    const after = Number(first.envelope["next_after"] ?? 0);
    if (!flags.json) {
      writeOutcome(app.system.terminal, first, { ...flags, nextSteps: false });
    }
    await followRun(app, runId(String(first.envelope["run_id"])), {
      after,
      onEvent: printEvent(app, flags, app.system.terminal.out),
      onInterrupt: "leave",
    });
    if (!flags.json) return EXIT.ok;
  }
  const outcome = first.isError ? first : await carryOut(app, call);
  await show(app, outcome, flags);
  return outcome.exit;
}

async function runProgram(
  app: App,
  entry: Extract<Entry, { kind: "program" }>,
  invocation: Invocation,
): Promise<number> {
  const { fields, jq } = invocation.flags;
  if (entry.answers !== true && (fields !== null || jq !== null)) {
    const flag = jq === null ? "fields behind --json" : "--jq";
    throw usage(
      `Cannot use ${flag}: amof ${entry.path.join(" ")} prints a form of its own`,
      `See: amof ${entry.path.join(" ")} --help`,
    );
  }
  const z = await import("../contract/zod.ts");
  const parsed = entry.input(z).safeParse(invocation.args);
  if (!parsed.success) {
    const issues = argumentIssues(parsed.error, invocation.args)
      .map(({ path, problem }) => ({ path: asTyped(entry, path), problem }));
    const [first] = issues;
    throw new AmofError(
      "invalid_arguments",
      `Cannot run amof ${entry.path.join(" ")}: ${first?.path ?? "The arguments"} ${
        first?.problem ?? "are wrong"
      }`,
      {
        hint: `See: amof ${entry.path.join(" ")} --help`,
        details: { issues },
      },
    );
  }
  return await entry.main(programContext(app, invocation.flags), parsed.data);
}

function programContext(app: App, flags: GlobalFlags): ProgramContext {
  return {
    app,
    flags,
    complete: async (words) =>
      await (await import("./completion/complete.ts")).complete(app.system, app.settings, words),
    unknown(words) {
      const taken = takeWords(words, ENTRIES);
      return taken.words.length > 0 ? null : unknownCommand([], taken.rest, ENTRIES);
    },
  };
}

/** A failure before or outside of a command, in the form the caller reads. */
function fail(system: System, argv: readonly string[], thrown: unknown): number {
  const failure = toAmofError(thrown, () => system.ids.hex(8));
  const end = argv.indexOf("--");
  const own = end < 0 ? argv : argv.slice(0, end);
  const json = own.some((word) => word === "--json" || word.startsWith("--json=")) &&
    !own.some((word) => word === "--jq" || word.startsWith("--jq="));
  const flags = readGlobalFlags({ json, color: "never", quiet: own.includes("-q") });
  if (failure.code === "internal_error") {
    const cause = failure.cause instanceof Error
      ? failure.cause.stack ?? failure.cause.message
      : String(failure.cause);
    system.terminal.err(`${cause}\n`);
  }
  const session = cliSession(system, flags);
  const outcome = makeOutcome({
    session,
    mode: "execute",
    now: system.clock.now(),
    command: null,
    place: session.place,
    summary: failureSummary(failure.message),
    details: failureDetails(failure, wordingFor("cli", system.clock.now())),
    failure,
    actions: [],
    answered: false,
  });
  try {
    writeOutcome(system.terminal, outcome, { ...flags, nextSteps: false });
  } catch {
    // The output cannot be written any more, but the exit code still tells the result.
  }
  return failure.exit;
}
