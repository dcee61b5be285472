/** `amof release promote`: releases the current pre-release at a later stage, or as stable (RELEASE-3). */

import { mutation } from "../../contract/mod.ts";
import { releaseIrreversible, renderRelease } from "./answer.ts";
import {
  execute,
  preview,
  PROMOTE_SWITCHES,
  type PromoteInput,
  promoteStep,
  releaseOptions,
  wishFor,
} from "./command.ts";

const wish = (input: PromoteInput) => wishFor(promoteStep(input), input);

/** `amof release promote`. */
export const releasePromote = mutation({
  name: "amof_release_promote",
  path: ["release", "promote"],
  toolset: "release",
  scope: "release",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "promotion", will: "make a new version" },
  runs: "release_promote",
  locks: "ecosystem",
  openWorld: true,
  next: "release_changed",
  title: "Release promote",
  summary: "Release the current pre-release at a later stage, or as stable.",
  positionals: ["target"],
  short: { message: "m" },
  switches: PROMOTE_SWITCHES,
  examples: ["release promote", "release promote beta", "release promote rc --dry-run"],
  input: (z) => ({
    target: z.enum(["beta", "rc", "stable"]).optional().describe("Stage; stable when absent"),
    ...releaseOptions(z, "commit and tag"),
  }),
  preview: async (ctx, input) => await preview(ctx, await wish(input), input.push),
  undo: {
    irreversible: releaseIrreversible,
  },
  execute: async (ctx, input, facts) => await execute(ctx, await wish(input), facts),
  render: renderRelease,
});
