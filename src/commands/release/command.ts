/** What the commands share that make a release: their options, and the way from a wish to an answer, loaded late. */

import {
  type CommandContext,
  type ExecuteContext,
  onlyTyped,
  type Preview,
  type Result,
  type ZodNamespace,
} from "../../contract/mod.ts";
import type { ReleaseData } from "./answer.ts";
import type { ReleaseFacts } from "./plan.ts";
import type { Part, PreStage, Stage, Step } from "./ladder.ts";
import type { Wish } from "./make_release.ts";

/** What every release can be told besides its version, as it is read. */
export interface ReleaseInput {
  readonly message?: string | undefined;
  readonly push: boolean;
  readonly strict: boolean;
  readonly allow_no_touch?: readonly string[] | undefined;
}

/** What every release can be told besides its version. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export const releaseOptions = (z: ZodNamespace, things: string) => ({
  message: z.string().max(2000).optional().describe(`More for ${things}`),
  push: z.boolean().default(true).describe("Push branch and tag"),
  strict: z.boolean().default(false).describe("Warnings are errors"),
  allow_no_touch: onlyTyped(
    z.array(z.string().min(1)).optional().describe("Let this no-touch path or glob go"),
  ),
});

/** Switches for the stages of a bump. */
export const BUMP_SWITCHES = {
  alpha: { pre_release: "alpha" },
  beta: { pre_release: "beta" },
  rc: { pre_release: "rc" },
} as const;

/** Switches for the targets of a promotion. */
export const PROMOTE_SWITCHES = { beta: { target: "beta" }, rc: { target: "rc" } } as const;

/** The wish to take a step on the ladder. */
export async function wishFor(step: Step, input: ReleaseInput): Promise<Wish> {
  const { stepWish } = await import("./make_release.ts");
  const { message = null, push, strict, allow_no_touch = [] } = input;
  return stepWish(step, { message, push, strict }, allow_no_touch);
}

/** What a bump can be told. */
export interface BumpInput extends ReleaseInput {
  readonly bump_type: Part;
  readonly pre_release?: PreStage | undefined;
}

/** What a promotion can be told. */
export interface PromoteInput extends ReleaseInput {
  readonly target?: Exclude<Stage, "alpha"> | undefined;
}

/** The step of a bump. */
export function bumpStep({ bump_type: part, pre_release: stage }: BumpInput): Step {
  return { kind: "bump", part, stage: stage ?? null };
}

/** The step of a promotion. */
export function promoteStep({ target = "stable" }: PromoteInput): Step {
  return { kind: "promote", target };
}

/** The preview of one release; what it needs is loaded when it is asked for. */
export async function preview(
  ctx: CommandContext,
  wish: Wish,
  push: boolean,
): Promise<Preview<ReleaseFacts, ReleaseData>> {
  const { previewRelease } = await import("./make_release.ts");
  return await previewRelease(ctx, wish, push);
}

/** Makes a release that was agreed to. */
export async function execute(
  ctx: ExecuteContext,
  wish: Wish,
  facts: ReleaseFacts,
): Promise<Result<ReleaseData>> {
  const { executeRelease } = await import("./make_release.ts");
  return await executeRelease(ctx, wish, facts);
}
