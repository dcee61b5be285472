/**
 * `amof release promote`: releases the current pre-release at a later stage, or as stable (RELEASE-3).
 *
 * @module
 */

import { mutation } from "../contract/mod.ts";
import { renderRelease } from "./answer.ts";
import { execute, preview, PROMOTE_SWITCHES, releaseOptions } from "./command.ts";
import type { Wish } from "./release.ts";

interface PromoteInput {
  readonly target?: "beta" | "rc" | "stable" | undefined;
  readonly message?: string | undefined;
  readonly push: boolean;
  readonly strict: boolean;
  readonly allow_no_touch?: readonly string[] | undefined;
}

async function wish(input: PromoteInput): Promise<Wish> {
  const { stepWish } = await import("./release.ts");
  return stepWish(
    { kind: "promote", target: input.target ?? "stable" },
    { message: input.message ?? null, push: input.push, strict: input.strict },
    input.allow_no_touch ?? [],
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
  asks: { deed: "promotion", will: "make a new version" },
  runs: "release_promote",
  exclusive: true,
  openWorld: true,
  next: "release_changed",
  title: "Release promote",
  summary: "Release the current pre-release at a later stage, or as stable.",
  positionals: ["target"],
  short: { message: "m" },
  switches: PROMOTE_SWITCHES,
  examples: ["release promote", "release promote beta", "release promote rc --dry-run"],
  input: (z) =>
    z.strictObject({
      target: z.enum(["beta", "rc", "stable"]).optional().describe("Stage; stable when absent"),
      ...releaseOptions(z, "commit and tag"),
    }),
  preview: async (ctx, input) => await preview(ctx, await wish(input), input.push),
  execute: async (ctx, input, facts) => await execute(ctx, await wish(input), facts),
  render: renderRelease,
});
