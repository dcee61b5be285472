/**
 * `amof release train promote`: releases the pre-releases of an ecosystem's repositories at a later stage, together.
 *
 * @module
 */

import { mutation } from "../../spec/mod.ts";
import { renderTrain } from "./answer.ts";
import type { TrainWish } from "./plan.ts";

interface PromoteInput {
  readonly target?: "beta" | "rc" | "stable" | undefined;
  readonly repos?: readonly string[] | undefined;
  readonly message?: string | undefined;
  readonly push: boolean;
  readonly strict: boolean;
}

function wish(input: PromoteInput): TrainWish {
  return {
    step: { kind: "promote", target: input.target ?? "stable" },
    repos: input.repos,
    initial: null,
    message: input.message ?? null,
    push: input.push,
    strict: input.strict,
  };
}

/** `amof release train promote`. */
export const trainPromote = mutation({
  name: "amof_release_train_promote",
  path: ["release", "train", "promote"],
  toolset: "train",
  extra: true,
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "preview",
  runs: "release_train_promote",
  exclusive: true,
  openWorld: true,
  title: "Train promote",
  summary: "Release the repositories' pre-releases at a later stage, or as stable, together.",
  description:
    "Repositories that are stable or further already stay as they are. Up to the first push a failure in one leaves all as they were.",
  positionals: ["target"],
  short: { message: "m" },
  switches: { beta: { target: "beta" }, rc: { target: "rc" } },
  examples: ["release train promote", "release train promote rc --repos api,web"],
  input: (z) =>
    z.strictObject({
      target: z.enum(["beta", "rc", "stable"]).optional().describe("Stage; stable when absent"),
      repos: z.array(z.string()).optional().describe("Only these repositories"),
      message: z.string().max(2000).optional().describe(
        "More for the messages of commits and tags",
      ),
      push: z.boolean().default(true).describe("Push branches and tags to origin"),
      strict: z.boolean().default(false).describe("Warnings count as errors"),
    }),
  async preview(ctx, input) {
    const { previewTrain } = await import("./train.ts");
    return await previewTrain(ctx, wish(input));
  },
  async execute(ctx, input, facts) {
    const { executeTrain } = await import("./train.ts");
    return await executeTrain(ctx, wish(input), facts);
  },
  render: renderTrain,
});
