/**
 * What a mutation would do, with the hash of everything that a consent to it is bound to.
 *
 * @module
 */

import type { Fields } from "../object.ts";
import type { Mutation, Preview } from "../contract/mod.ts";
import { fingerprint } from "../policy/fingerprint.ts";
import type { App } from "./app.ts";
import { type Caller, readContext, type Target } from "./context.ts";

/** What is to be previewed, for whom, and where. */
export interface PreviewOrder {
  readonly app: App;
  readonly caller: Caller;
  readonly target: Target;
  readonly command: Mutation;
  readonly input: Fields;
}

/** A preview as it was just made. */
export interface MadePreview {
  readonly preview: Preview<Fields, Fields>;
  readonly fingerprint: string;
  /** The preview's facts. */
  readonly facts: Fields;
}

/** Makes a preview on a world that refuses every change. */
export async function makePreview(order: PreviewOrder): Promise<MadePreview> {
  const { app, caller, target, command, input } = order;
  const preview = await command.preview(readContext(app, caller, target), input);
  const { facts } = preview;
  return {
    preview,
    facts,
    fingerprint: fingerprint({ tool: command.name, args: input, ...target, facts }),
  };
}
