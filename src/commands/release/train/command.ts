/** What the commands share that run a train. */

import type {
  CommandContext,
  ExecuteContext,
  Preview,
  Result,
  ZodNamespace,
} from "../../../contract/mod.ts";
import type { Selecting } from "../../selection/mod.ts";
import { type ReleaseInput, releaseOptions } from "../command.ts";
import type { Step, Version } from "../ladder.ts";
import type { TrainData } from "./answer.ts";
import type { TrainWish } from "./member.ts";
import type { BoundTrainFacts } from "./make_train.ts";

/** What every train can be told besides its versions, as it is read. */
export interface TrainInput extends ReleaseInput, Selecting {
  readonly after?: string | undefined;
}

/** What every train can be told besides its versions. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export const trainOptions = (z: ZodNamespace) => ({
  after: z.string().optional().describe("Ticket whose pull requests have to have landed"),
  ...releaseOptions(z, "commits and tags"),
});

/** The wish that repositories take this step together; those that have no version begin with `initial`. */
export function wishFor(
  step: Step,
  initial: Version | null,
  { repos, tags, only, message, push, strict, after, allow_no_touch: allowed = [] }: TrainInput,
): TrainWish {
  return {
    step,
    selecting: { repos, tags, only },
    initial,
    message: message ?? null,
    push,
    strict,
    after: after ?? null,
    allowed,
  };
}

/** The preview of a train; what it needs is loaded when it is asked for. */
export async function preview(
  ctx: CommandContext,
  wish: TrainWish,
): Promise<Preview<BoundTrainFacts, TrainData>> {
  const { previewTrain } = await import("./make_train.ts");
  return await previewTrain(ctx, wish);
}

/** Runs a train that was agreed to. */
export async function execute(
  ctx: ExecuteContext,
  wish: TrainWish,
  facts: BoundTrainFacts,
): Promise<Result<TrainData>> {
  const { executeTrain } = await import("./make_train.ts");
  return await executeTrain(ctx, wish, facts);
}
