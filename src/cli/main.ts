/**
 * The command line: from the argument vector to the exit code.
 *
 * @module
 */

import { failureDetails } from "../command/answer.ts";
import { makeApp } from "../command/app.ts";
import { failureSummary, makeOutcome } from "../command/envelope.ts";
import { readGlobalFlags } from "../command/line/flags.ts";
import { parseInvocation } from "../command/line/parse.ts";
import { takeWords, unknownCommand } from "../command/line/words.ts";
import { wordingFor } from "../command/wording.ts";
import { EXIT, toAmofError } from "../error.ts";
import { type Color, loadSettings, withSettings } from "../settings/mod.ts";
import { layoutOf } from "../store/layout.ts";
import type { System } from "../system/mod.ts";
import { aliasEntries, type Aliases, aliasPlace, expanded } from "./aliases.ts";
import { asksOnly, ownWords, printAsked } from "./asked_page.ts";
import { chooseColors, colorAsked } from "./colors.ts";
import { ENTRIES } from "./entries.ts";
import { Area, showsLive, withArea } from "./live/area.ts";
import { agentpackCommandLine } from "./programs/agentpack.ts";
import { writeOutcome } from "./render.ts";
import { mayNeedNetwork } from "./network.ts";
import { runCommand } from "./run_command.ts";
import { runProgram } from "./run_program.ts";
import { cliSession } from "./session.ts";
import { checkForm } from "./show.ts";

/** Runs one command line; answers the exit code of the process. */
export async function runCommandLine(world: System, given: readonly string[]): Promise<number> {
  // "amof help push" is "amof push --help".
  const said = given[0] === "help" ? [...given.slice(1), "--help"] : given;
  if (world.env.program === "agentpack") {
    world.http.forgo();
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
  if (!mayNeedNetwork(entry?.path, world.env)) world.http.forgo();
  if (entry?.kind === "program" && entry.delegate !== undefined) {
    return await entry.delegate(world, rest);
  }
  try {
    if (await printAsked(world, given, entry, { words, rest })) return EXIT.ok;
    if (entry === undefined) {
      throw unknownCommand(words, rest, [...ENTRIES, ...aliasEntries(aliases)]);
    }
    const settings = await loadSettings(world, {
      lenient: entry.kind === "program" && entry.lenient === true,
    });
    // `config` tells where a value comes from, so it must see the environment without the values of the file.
    const system = entry.path[0] === "config" ? world : withSettings(world, settings);
    chooseColors(world.terminal, world.env, color ?? settings.color ?? "auto");
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

/** A failure before or outside of a command, in the form the caller reads. */
function fail(system: System, argv: readonly string[], thrown: unknown): number {
  const failure = toAmofError(thrown, () => system.ids.hex(8));
  const own = ownWords(argv);
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
