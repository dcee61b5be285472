/**
 * `amof release bump`, also `release patch`, `minor` and `major`: raises the version of the control repository
 * and releases it (RELEASE-3, RELEASE-7).
 */

import { mutation } from "../../contract/mod.ts";
import { releaseIrreversible, renderRelease } from "./answer.ts";
import {
  BUMP_SWITCHES,
  type BumpInput,
  bumpStep,
  execute,
  preview,
  releaseOptions,
  wishFor,
} from "./command.ts";

const wish = (input: BumpInput) => wishFor(bumpStep(input), input);

/** `amof release bump`. */
export const releaseBump = mutation({
  name: "amof_release_bump",
  path: ["release", "bump"],
  toolset: "release",
  scope: "release",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "release", will: "make a new version" },
  runs: "release_bump",
  locks: "ecosystem",
  openWorld: true,
  next: "release_changed",
  title: "Release bump",
  summary: "Raise the version and release it: files, commit, tag, push, record.",
  description:
    "Everything is checked and shown before anything is written. Up to the tag a failure leaves every file as it was; branch and tag are pushed together or not at all.",
  positionals: ["bump_type"],
  short: { message: "m" },
  switches: BUMP_SWITCHES,
  shortcuts: (["patch", "minor", "major"] as const).map((part) => ({
    path: ["release", part],
    args: { bump_type: part },
    summary: `Release the next ${part} version; with --alpha, --beta or --rc a pre-release of it.`,
    examples: [`release ${part}`, `release ${part} --alpha --dry-run`],
  })),
  examples: ["release bump patch", "release bump minor --pre-release alpha --no-push"],
  input: (z) => ({
    bump_type: z.enum(["patch", "minor", "major"]).describe("Part to raise"),
    pre_release: z.enum(["alpha", "beta", "rc"]).optional().describe("Stage; stable when absent"),
    ...releaseOptions(z, "commit and tag"),
  }),
  preview: async (ctx, input) => await preview(ctx, await wish(input), input.push),
  undo: {
    irreversible: releaseIrreversible,
  },
  execute: async (ctx, input, facts) => await execute(ctx, await wish(input), facts),
  render: renderRelease,
});
