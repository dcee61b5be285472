/**
 * `amof release train bump`: raises the version of every changed repository of an ecosystem and releases them
 * together.
 */

import { AmofError } from "../../../base/error.ts";
import { mutation } from "../../../contract/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../../selection/mod.ts";
import { BUMP_SWITCHES, type BumpInput, bumpStep } from "../command.ts";
import { renderTrain } from "./answer.ts";
import { execute, preview, type TrainInput, trainOptions, wishFor } from "./command.ts";
import type { TrainWish } from "./member.ts";
import { trainChanges, trainIrreversible } from "../answer.ts";

interface TrainBumpInput extends BumpInput, TrainInput {
  readonly initial?: string | undefined;
}

async function wish(input: TrainBumpInput): Promise<TrainWish> {
  const { firstVersion, formatVersion } = await import("../ladder.ts");
  const hint = "Name one, as in: amof release train bump minor --initial 0.1.0";
  const initial = input.initial === undefined ? null : firstVersion(input.initial, "initial", hint);
  const { pre_release: stage } = input;
  if (initial !== null && stage !== undefined && initial.stage !== stage) {
    const { major, minor, patch } = initial;
    throw new AmofError(
      "invalid_arguments",
      `Cannot begin with ${formatVersion(initial)} where ${stage} is asked for`,
      {
        hint: `Begin at that stage: the same command with --initial ${
          formatVersion({ major, minor, patch, stage, num: 1 })
        }`,
        details: { field: "initial" },
      },
    );
  }
  return wishFor(bumpStep(input), initial, input);
}

/** `amof release train bump`. */
export const trainBump = mutation({
  name: "amof_release_train_bump",
  path: ["release", "train", "bump"],
  toolset: "train",
  mcp: "asked for",
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "train", will: "make new versions of several repositories" },
  runs: "release_train_bump",
  locks: "ecosystem",
  openWorld: true,
  title: "Train bump",
  summary: "Raise the version of every changed repository and release them together.",
  description:
    "Every repository is checked before the first one is touched; those without new commits stay as they are. Up to the first push a failure in one leaves all as they were. Repeating the command pushes what could not be pushed.",
  positionals: ["bump_type"],
  flags: SELECTION_FLAGS,
  short: { message: "m" },
  switches: BUMP_SWITCHES,
  examples: [
    "release train bump minor --alpha",
    "release train bump patch --repo api,web --initial 0.1.0",
    "release train bump minor --after PROJ-123",
  ],
  input: (z) => ({
    bump_type: z.enum(["patch", "minor", "major"]).describe("Part to raise"),
    pre_release: z.enum(["alpha", "beta", "rc"]).optional().describe("Stage; stable when absent"),
    ...selectionInput(z),
    initial: z.string().optional().describe("Version for repositories that have none yet"),
    ...trainOptions(z),
  }),
  raised: (input) => input.allow_no_touch === undefined ? null : { confirm: "type" },
  preview: async (ctx, input) => await preview(ctx, await wish(input)),
  undo: {
    changes: trainChanges,
    irreversible: trainIrreversible,
  },
  execute: async (ctx, input, facts) => await execute(ctx, await wish(input), facts),
  render: renderTrain,
});
