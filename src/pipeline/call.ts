/** A call on its way through the pipeline. */

import type { Fields } from "../base/object.ts";
import type { RunId } from "../base/ids.ts";
import type { AmofError } from "../base/error.ts";
import type { Mode } from "../base/policy/mode.ts";
import type { Command, Known, Mutation, Rendered } from "../contract/mod.ts";
import type { Decision, Way } from "../state/store/mod.ts";
import type { App } from "./app.ts";
import type { ConfirmBy } from "../base/policy/confirm_by.ts";
import type { Approver } from "./consent/approver.ts";
import { type Caller, resolveTarget, type Target } from "./context.ts";
import { parseArguments } from "./common.ts";

/** A call as a door hands it over. */
export interface Call extends Caller {
  readonly command: Command;
  readonly args: Readonly<Record<string, unknown>>;
  readonly approver: Approver;
  readonly confirmBy: ConfirmBy;
  /** Which other commands may be called on the way, and suggested: what the door offers. */
  readonly offers: (command: Known) => boolean;
  /** Whether long lists come in pieces, because hosts cut longer answers. */
  readonly inPieces?: boolean;
  /** Whether a person waits for the run that may be started, and can be asked while it goes on. */
  readonly attended?: boolean;
  /** Whether a run is only started, and nobody waits for it. */
  readonly background?: boolean;
  /** Why the door does not let this call through at all. */
  readonly refusal?: AmofError;
}

/** What is known of a call at some step, for the envelope and the audit line. */
export interface Progress {
  target: Target;
  mode: Mode;
  fingerprint: string | null;
  decision: Decision;
  way: Way;
  /** The run that was begun, also when it failed. */
  runId: RunId | null;
}

/** A call of a mutation on its way to what it does. */
export interface MutationCall {
  readonly app: App;
  readonly call: Call;
  /** As its input makes it: more dangerous than declared, where it raises itself. */
  readonly command: Mutation;
  /** The command's own arguments, validated. */
  readonly input: Fields;
  readonly progress: Progress;
}

/** What a step answers: everything of the envelope that is not the same for all. */
export interface Answer extends Rendered {
  readonly data?: Fields;
  /** What the suggested actions go by where `data` is only a piece of it. */
  readonly basis?: Fields;
  readonly failure?: AmofError;
  readonly runId?: RunId;
  /** The work on a run that was started, where this process does it. */
  readonly working?: Promise<unknown>;
  /** What kind of answer it is, for the suggested actions. */
  readonly phase: "result" | "preview" | "started" | "refused";
}

// Reads the arguments of a call.

/**
 * The arguments of a call, as `parseArguments()` answers them; wrong ones are refused at the place that they name, like
 * all that is wrong later.
 */
export async function argumentsOf(
  app: App,
  call: Call,
  command: Command,
  { args, progress }: { readonly args: Fields; readonly progress: Progress },
): ReturnType<typeof parseArguments> {
  try {
    return await parseArguments(command, args, call.door);
  } catch (error) {
    const { ecosystem } = args;
    if (typeof ecosystem === "string") {
      progress.target = await resolveTarget(app, call, command, { ecosystem, ticket: null })
        .catch(() => progress.target);
    }
    throw error;
  }
}
