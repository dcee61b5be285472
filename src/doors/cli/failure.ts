/** A failure before or outside of a command. */

import { failureDetails } from "../../pipeline/answer.ts";
import { failureSummary, makeOutcome } from "../../pipeline/envelope.ts";
import { readGlobalFlags } from "../../pipeline/line/flags.ts";
import { wordingFor } from "../../pipeline/wording.ts";
import { toAmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import { ownWords } from "../../pipeline/line/words.ts";
import { writeOutcome } from "./render.ts";
import { cliSession } from "./session.ts";

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
