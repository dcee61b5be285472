/** Answers of the command line that are no command's. */

import type { Fields } from "../../base/object.ts";
import { failureDetails } from "../../pipeline/answer.ts";
import { failureSummary, makeOutcome } from "../../pipeline/envelope.ts";
import type { ProgramContext } from "../../pipeline/line/program.ts";
import { wordingFor } from "../../pipeline/wording.ts";
import { placeIn } from "../../contract/place.ts";
import { type AmofError, toAmofError } from "../../base/error.ts";
import { blocks, type Details } from "../../base/text/parts.ts";
import { cliSession } from "./session.ts";
import { show, writeOutcome } from "./render.ts";
import { readGlobalFlags } from "../../pipeline/line/flags.ts";
import type { System } from "../../base/system/mod.ts";
import { ownWords } from "../../pipeline/line/words.ts";

// The answer of a program, in the form of all answers.

interface Said {
  readonly summary: string;
  readonly details?: Details;
  readonly data?: Fields;
  /** Makes it an error that still carries its data. */
  readonly failure?: AmofError | undefined;
  /** The ecosystem it is about. */
  readonly ecosystem?: string;
}

/** Writes the answer of a program; answers the exit code. */
export async function answerWith({ app, flags }: ProgramContext, said: Said): Promise<number> {
  const { system } = app;
  const now = system.clock.now();
  const { failure, details } = said;
  const told = failure === undefined ? null : failureDetails(failure, wordingFor("cli", now));
  const outcome = makeOutcome({
    session: cliSession(system, flags),
    mode: flags.mode ?? "execute",
    now,
    command: null,
    place: placeIn(said.ecosystem ?? ""),
    summary: failure === undefined ? said.summary : failureSummary(failure.message),
    details: blocks(details ?? null, told),
    data: said.data ?? {},
    failure,
    actions: [],
    answered: true,
  });
  await show(app, outcome, { flags });
  return outcome.exit;
}

// A failure before or outside of a command.

/** Prints a failure in the form the caller reads; answers the exit code. */
export function printFailure(system: System, argv: readonly string[], thrown: unknown): number {
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
