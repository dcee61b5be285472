/**
 * `amof release promote`: releases the current pre-release at a later stage, or as stable (amof.md §2.11).
 *
 * @module
 */

import { mutation } from "../spec/mod.ts";
import { renderRelease } from "./answer.ts";
import type { Wish } from "./release.ts";

interface PromoteInput {
  readonly target?: "beta" | "rc" | "stable" | undefined;
  readonly message?: string | undefined;
  readonly push: boolean;
  readonly strict: boolean;
}

async function wish(input: PromoteInput): Promise<Wish> {
  const { stepWish } = await import("./release.ts");
  return stepWish(
    { kind: "promote", target: input.target ?? "stable" },
    { message: input.message ?? null, push: input.push, strict: input.strict },
  );
}

/** `amof release promote`. */
export const releasePromote = mutation({
  name: "amof_release_promote",
  path: ["release", "promote"],
  toolset: "release",
  scope: "release",
  safety: "dangerous-write",
  confirm: "preview",
  runs: "release_promote",
  exclusive: true,
  openWorld: true,
  title: "Release promote",
  summary: "Release the current pre-release at a later stage, or as stable.",
  positionals: ["target"],
  short: { message: "m" },
  switches: { beta: { target: "beta" }, rc: { target: "rc" } },
  examples: ["release promote", "release promote beta", "release promote rc --dry-run"],
  input: (z) =>
    z.strictObject({
      target: z.enum(["beta", "rc", "stable"]).optional().describe("Stage; stable when absent"),
      message: z.string().max(2000).optional().describe("More for the messages of commit and tag"),
      push: z.boolean().default(true).describe("Push branch and tag to origin"),
      strict: z.boolean().default(false).describe("Warnings count as errors"),
    }),
  async preview(ctx, input) {
    const { previewRelease } = await import("./release.ts");
    return await previewRelease(ctx, await wish(input), input.push);
  },
  async execute(ctx, input, facts) {
    const { executeRelease } = await import("./release.ts");
    return await executeRelease(ctx, await wish(input), facts);
  },
  render: renderRelease,
});
