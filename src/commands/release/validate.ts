/** `amof release validate`: looks at everything that would stop a release, and tells all of it (RELEASE-4). */

import { guardOfControl } from "../outgoing/contents.ts";
import { AmofError } from "../../base/error.ts";
import { query } from "../../contract/mod.ts";
import { CONTROL } from "./answer.ts";
import { count } from "../../base/text/words.ts";
import { type Finding, findingLines } from "./judge.ts";

interface ValidateData {
  readonly ok: boolean;
  readonly tag: string;
  readonly stage: string;
  readonly target_stage: string;
  /** The version that was judged, or null when the ladder has none at that stage. */
  readonly target: string | null;
  /** Whether the remote was looked at. */
  readonly push: boolean;
  readonly passed: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly errors: readonly Finding[];
}

/** `amof release validate`. */
export const releaseValidate = query({
  name: "amof_release_validate",
  path: ["release", "validate"],
  toolset: "release",
  scope: "release",
  openWorld: true,
  next: "release_validate",
  title: "Validate release",
  summary: "Check everything a release needs; every problem at once.",
  examples: ["release validate", "release validate --stage stable --strict"],
  input: (z) => ({
    stage: z.enum(["alpha", "beta", "rc", "stable"]).optional().describe(
      "Stage; the next when absent",
    ),
    strict: z.boolean().default(false).describe("Warnings are errors"),
    push: z.boolean().default(true).describe("Also the remote"),
  }),
  async run(ctx, input) {
    const { releaseStateOf, requireCurrent } = await import("./state.ts");
    const { tagOf, usualStage } = await import("./ladder.ts");
    const { judge, usualNext } = await import("./judge.ts");
    const guard = await guardOfControl(ctx.system, ctx.root);
    const standing = await releaseStateOf(ctx, ctx.root, CONTROL, { askRemote: input.push, guard });
    const current = await requireCurrent(ctx, standing);
    const stage = input.stage ?? usualStage(current.version);
    const next = usualNext(current.version, stage);
    const { ok, passed, warnings, errors } = judge({
      standing,
      next,
      stage,
      push: input.push,
      strict: input.strict,
      mayBeEmpty: stage !== current.version.stage,
      baseline: false,
      expectedBranch: null,
    });
    const data: ValidateData = {
      ok,
      tag: current.tag,
      stage: current.version.stage,
      target_stage: stage,
      target: next === null ? null : tagOf(next),
      push: input.push,
      passed,
      warnings,
      errors,
    };
    return {
      data,
      ...(ok ? {} : {
        failure: new AmofError(
          "check_failed",
          `Cannot release ${next === null ? stage : tagOf(next)}: ${
            count(errors.length, "problem stands", "problems stand")
          } in the way`,
          { hint: errors[0]?.fix ?? "Fix what is listed" },
        ),
      }),
    };
  },
  enters: (data) => ({ scope: "release", releaseTag: data.tag }),
  render(data: ValidateData) {
    const { errors, warnings } = data;
    return {
      summary: data.ok
        ? `Found ${data.target ?? data.target_stage} ready to release${
          warnings.length === 0 ? "" : `, with ${count(warnings.length, "warning")}`
        }.`
        : `Found ${count(errors.length, "problem")} in the way of ${
          data.target ?? data.target_stage
        }.`,
      details: findingLines(data, true).join("\n"),
    };
  },
});
