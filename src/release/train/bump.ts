/**
 * `amof release train bump`: raises the version of every changed repository of an ecosystem and releases them
 * together.
 *
 * @module
 */

import { AmofError } from "../../error.ts";
import { mutation } from "../../contract/mod.ts";
import { cleanLine } from "../../text/sanitize.ts";
import { BUMP_SWITCHES, releaseOptions } from "../command.ts";
import { renderTrain } from "./answer.ts";
import { execute, preview } from "./command.ts";
import type { TrainWish } from "./car.ts";

interface BumpInput {
  readonly bump_type: "patch" | "minor" | "major";
  readonly pre_release?: "alpha" | "beta" | "rc" | undefined;
  readonly repos?: readonly string[] | undefined;
  readonly initial?: string | undefined;
  readonly message?: string | undefined;
  readonly push: boolean;
  readonly strict: boolean;
  readonly allow_no_touch?: readonly string[] | undefined;
}

async function wish(input: BumpInput): Promise<TrainWish> {
  const { parseVersion } = await import("../ladder.ts");
  const initial = input.initial === undefined ? null : parseVersion(input.initial);
  if (input.initial !== undefined && initial === null) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot begin with "${
        cleanLine(input.initial, 60)
      }": it is not a version such as 0.1.0 or 0.1.0-alpha.1`,
      {
        hint: "Name one, as in: amof release train bump minor --initial 0.1.0",
        details: { field: "initial" },
      },
    );
  }
  return {
    step: { kind: "bump", part: input.bump_type, stage: input.pre_release ?? null },
    repos: input.repos,
    initial,
    message: input.message ?? null,
    push: input.push,
    strict: input.strict,
    allowed: input.allow_no_touch ?? [],
  };
}

/** `amof release train bump`. */
export const trainBump = mutation({
  name: "amof_release_train_bump",
  path: ["release", "train", "bump"],
  toolset: "train",
  extra: true,
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "train", will: "make new versions of several repositories" },
  runs: "release_train_bump",
  exclusive: true,
  openWorld: true,
  title: "Train bump",
  summary: "Raise the version of every changed repository and release them together.",
  description:
    "Every repository is checked before the first one is touched; those without new commits stay as they are. Up to the first push a failure in one leaves all as they were. Repeating the command pushes what could not be pushed.",
  positionals: ["bump_type"],
  short: { message: "m" },
  switches: BUMP_SWITCHES,
  examples: [
    "release train bump minor --alpha",
    "release train bump patch --repos api,web --initial 0.1.0",
  ],
  input: (z) =>
    z.strictObject({
      bump_type: z.enum(["patch", "minor", "major"]).describe("Part to raise"),
      pre_release: z.enum(["alpha", "beta", "rc"]).optional().describe("Stage; stable when absent"),
      repos: z.array(z.string()).optional().describe("Only these repositories"),
      initial: z.string().optional().describe("Version for repositories that have none yet"),
      ...releaseOptions(z, "commits and tags"),
    }),
  raised: (input) => input.allow_no_touch === undefined ? null : { confirm: "type" },
  preview: async (ctx, input) => await preview(ctx, await wish(input)),
  execute: async (ctx, input, facts) => await execute(ctx, await wish(input), facts),
  render: renderTrain,
});
