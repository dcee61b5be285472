/**
 * `amof release push`: sends a release that is only here to the remote, branch and tag together (amof.md §2.11).
 *
 * @module
 */

import { AmofError } from "../error.ts";
import { mutation } from "../spec/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { keyValues } from "../text/table.ts";
import { CONTROL } from "./answer.ts";
import type { PushFacts } from "./pending.ts";

interface PushData {
  readonly [field: string]: unknown;
  readonly tag: string;
  readonly branch: string;
  readonly pushed: boolean;
  /** Whether there was nothing to push. */
  readonly unchanged: boolean;
  readonly push_error: string | null;
}

/** `amof release push`. */
export const releasePush = mutation({
  name: "amof_release_push",
  path: ["release", "push"],
  toolset: "release",
  extra: true,
  scope: "release",
  safety: "dangerous-write",
  confirm: "simple",
  runs: "release_push",
  exclusive: true,
  openWorld: true,
  idempotent: true,
  title: "Push release",
  summary: "Push a release that is only here: its branch and its tag, both or neither.",
  positionals: ["tag"],
  examples: ["release push", "release push v1.2.0-rc.1"],
  input: (z) =>
    z.strictObject({
      tag: z.string().optional().describe("The release; the current one when absent"),
    }),
  async preview(ctx, input) {
    const { pending } = await import("./pending.ts");
    const facts = await pending(ctx, ctx.root, CONTROL, input.tag ?? null);
    return {
      facts,
      summary: `Would push ${facts.tag} and ${cleanLine(facts.branch, 40)}.`,
      effects: [
        `Push ${facts.branch} at ${
          facts.commit.slice(0, 12)
        } and ${facts.tag} to ${facts.remote} (${facts.url})`,
        `Record that ${facts.tag} is pushed`,
      ],
      irreversible: "What is pushed cannot be taken back.",
      current: facts.on_remote
        ? `The remote has ${facts.tag}`
        : `The remote does not have ${facts.tag}`,
      alternatives: ["See what is released: amof release log"],
      ...(facts.on_remote && facts.recorded
        ? {
          settled: {
            data: {
              tag: facts.tag,
              branch: facts.branch,
              pushed: true,
              unchanged: true,
              push_error: null,
            },
          },
        }
        : {}),
    };
  },
  async execute(ctx, _input, facts: PushFacts) {
    const { executePush } = await import("./pending.ts");
    const error = await executePush(ctx, ctx.root, CONTROL, facts);
    const data: PushData = {
      tag: facts.tag,
      branch: facts.branch,
      pushed: error === null,
      unchanged: false,
      push_error: error,
    };
    return error === null ? { data } : {
      data,
      failure: new AmofError("push_refused", `Cannot push ${facts.tag}: ${error}`, {
        hint: "If the branch has moved on there, merge it (a rebase would leave the tag behind)",
        details: { tag: facts.tag, push_error: error },
      }),
    };
  },
  render: (data: PushData) => ({
    summary: data.unchanged
      ? `Found ${data.tag} on the remote already.`
      : data.pushed
      ? `Pushed ${data.tag}.`
      : `Pushed nothing: ${data.tag} did not go.`,
    details: keyValues([
      ["Branch", cleanLine(data.branch, 60)],
      ["Problem", data.push_error === null ? null : cleanLine(data.push_error)],
    ]),
  }),
});
