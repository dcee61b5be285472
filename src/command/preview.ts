/**
 * What a mutation would do, with the hash of everything that a consent to it is bound to.
 *
 * @module
 */

import type { Fields } from "../object.ts";
import type { Mutation, Preview } from "../contract/mod.ts";
import { fingerprint } from "../policy/fingerprint.ts";
import type { App } from "./app.ts";
import { outlookOf } from "./outlook.ts";
import { type Caller, readContext, type Target } from "./context.ts";

/** What is to be previewed, for whom, and where. */
interface PreviewOrder {
  readonly app: App;
  readonly caller: Caller;
  readonly target: Target;
  readonly command: Mutation;
  readonly input: Fields;
}

/** A preview as it was just made. */
interface MadePreview {
  readonly preview: Preview<Fields, Fields>;
  readonly fingerprint: string;
  /** The preview's facts. */
  readonly facts: Fields;
}

/** Makes a preview on a world that refuses every change. */
export async function makePreview(order: PreviewOrder): Promise<MadePreview> {
  const { app, caller, target, command, input } = order;
  const ctx = readContext(app, caller, target);
  const seen = await command.preview(ctx, input);
  const undo = await outlookOf(ctx, command, input, seen);
  const preview = undo === null ? seen : { ...seen, undo };
  const { facts } = preview;
  return {
    preview,
    facts,
    fingerprint: fingerprint({ tool: command.name, args: input, ...target, facts }),
  };
}
