/** What a mutation would do, with the hash of everything that a consent to it is bound to. */

import { namingPlace } from "./hint.ts";
import { AmofError } from "../base/error.ts";
import type { Fields } from "../base/object.ts";
import type { Mutation, Preview, Result } from "../contract/mod.ts";
import { fingerprint } from "../base/policy/fingerprint.ts";
import type { App } from "./app.ts";
import { type Caller, readContext, type Target } from "./context.ts";
import { firstOfWings } from "./wings.ts";

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
  const undo = await firstOfWings(({ outlook }) => outlook?.(ctx, command, input, seen));
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
