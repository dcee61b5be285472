/** What a mutation would do, with the hash of everything that a consent to it is bound to. */

import { namingPlace } from "./hint.ts";
import { AmofError } from "../base/error.ts";
import type { Fields } from "../base/object.ts";
import type { Command, Known, Mutation, Preview, Rendered, Result } from "../contract/mod.ts";
import { fingerprint } from "../base/policy/fingerprint.ts";
import type { App } from "./app.ts";
import { type Caller, readContext, resolveTarget, type Target } from "./context.ts";
import { firstOfWings } from "./wings.ts";
import type { RunId } from "../base/ids.ts";
import type { ConfirmBy, Mode } from "../base/policy/mode.ts";
import type { Decision, Way } from "../state/store/mod.ts";
import type { Approver } from "./consent/approver.ts";
import { parseArguments } from "./common.ts";

/** What is to be previewed, for whom, and where. */
interface PreviewOrder {
  readonly app: App;
  readonly caller: Caller;
  readonly target: Target;
  readonly command: Mutation;
  readonly input: Fields;
  /** The facts of an earlier look, where this one is to find out whether they still hold. */
  readonly agreed?: Fields;
}

interface MadePreview {
  readonly preview: Preview<Fields, Fields>;
  readonly fingerprint: string;
  /** The preview's facts. */
  readonly facts: Fields;
}

async function look(
  { app, caller, target, command, input, agreed }: PreviewOrder,
): Promise<Preview<Fields, Fields>> {
  const ctx = readContext(app, caller, target);
  const seen = await command.preview(ctx, input, agreed);
  const undo = await firstOfWings(({ undoPreview }) => undoPreview?.(ctx, command, input, seen));
  if (undo === null) return seen;
  const { cannot } = undo;
  // What it names is pasted elsewhere, like any hint.
  return {
    ...seen,
    undo: cannot === null ? undo : { ...undo, cannot: namingPlace(cannot, target) },
  };
}

/** Whether git was to look into a directory that was there a moment ago. */
function wentAway(error: unknown): boolean {
  return error instanceof AmofError && error.details["kind"] === "no_directory";
}

/**
 * Makes a preview on a world that refuses every change.
 *
 * Nobody is kept from taking a workspace away while another call looks at it. What that call then says of a directory
 * that is gone would help no one, so it looks once more.
 */
export async function makePreview(order: PreviewOrder): Promise<MadePreview> {
  const { target, command, input } = order;
  const preview = await look(order).catch((error) => {
    if (!wentAway(error)) throw error;
    return look(order);
  });
  const { facts } = preview;
  return {
    preview,
    facts,
    fingerprint: fingerprint({ tool: command.name, args: input, ...target, facts }),
  };
}

/** What a call that was agreed to comes to where nothing is left to do by now; null where there is, or it would fail. */
export function nothingLeft({ settled }: Preview<Fields, Fields>): Result<Fields> | null {
  return settled === undefined || settled.failure !== undefined ? null : settled;
}

// A call on its way through the pipeline.

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
