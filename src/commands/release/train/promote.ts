/**
 * `amof release train promote`: releases the pre-releases of an ecosystem's repositories at a later stage, together.
 */

import { mutation } from "../../../contract/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../../selection/mod.ts";
import { PROMOTE_SWITCHES, type PromoteInput, promoteStep } from "../command.ts";
import { renderTrain } from "./answer.ts";
import { execute, preview, type TrainInput, trainOptions, wishFor } from "./command.ts";
import { trainChanges, trainIrreversible } from "../answer.ts";

interface TrainPromoteInput extends PromoteInput, TrainInput {
}

const wish = (input: TrainPromoteInput) => wishFor(promoteStep(input), null, input);

/** `amof release train promote`. */
export const trainPromote = mutation({
  name: "amof_release_train_promote",
  path: ["release", "train", "promote"],
  toolset: "train",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "promotion", will: "make new versions of several repositories" },
  runs: "release_train_promote",
  locks: "ecosystem",
  openWorld: true,
  title: "Train promote",
  summary: "Release the repositories' pre-releases at a later stage, or as stable, together.",
  description:
    "Repositories that are stable or further already stay as they are. Up to the first push a failure in one leaves all as they were. Repeating the command pushes what could not be pushed.",
  positionals: ["target"],
  flags: SELECTION_FLAGS,
  short: { message: "m" },
  switches: PROMOTE_SWITCHES,
  examples: ["release train promote", "release train promote rc --repo api,web"],
  input: (z) => ({
    target: z.enum(["beta", "rc", "stable"]).optional().describe("Stage; stable when absent"),
    ...selectionInput(z),
    ...trainOptions(z),
  }),
  raised: (input) => input.allow_no_touch === undefined ? null : { confirm: "type" },
  preview: async (ctx, input) => await preview(ctx, wish(input)),
  undo: {
    changes: trainChanges,
    irreversible: trainIrreversible,
  },
  execute: async (ctx, input, facts) => await execute(ctx, wish(input), facts),
  render: renderTrain,
});
