/** The answer of a program, in the form of all answers. */

import type { Fields } from "../../base/object.ts";
import { failureDetails } from "../../pipeline/answer.ts";
import { failureSummary, makeOutcome } from "../../pipeline/envelope.ts";
import type { ProgramContext } from "../../pipeline/line/program.ts";
import { wordingFor } from "../../pipeline/wording.ts";
import { placeIn } from "../../contract/place.ts";
import type { AmofError } from "../../base/error.ts";
import { blocks, type Details } from "../../base/text/parts.ts";
import { cliSession } from "./session.ts";
import { show } from "./render.ts";

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
