/**
 * `amof release push`: sends a release that is only here to the remote, branch and tag together.
 *
 * The branch goes as it is now, which has the tagged commit in it: where the remote's branch has moved on meanwhile,
 * a merge must go along.
 */

import { allowing } from "../../workspace/manifest/mod.ts";
import { guardOfControl } from "../outgoing/contents.ts";
import { AmofError } from "../../base/error.ts";
import { isOvertaken } from "../../git/mod.ts";
import { mutation } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { blocks } from "../../base/text/parts.ts";
import { keyValues } from "../../base/text/table.ts";
import { count, few, fixLine, list } from "../../base/text/words.ts";
import { CONTROL } from "./answer.ts";
import { releaseOptions } from "./command.ts";
import { mergeCommand } from "./outgoing.ts";
import type { Readiness } from "./judge.ts";
import type { PushFacts, Waiting } from "./pending.ts";

interface PushData {
  readonly tag: string;
  readonly branch: string;
  readonly pushed: boolean;
  /** Whether there was nothing to push. */
  readonly unchanged: boolean;
  readonly push_error: string | null;
  /** The tags that went. */
  readonly tags: readonly string[];
  /** Commits that went with nothing but records in them, where no tag did. */
  readonly records: number;
  /** What the record of a release that the remote has waits for; absent for nothing. */
  readonly waiting?: Waiting;
  /** Whether the next stage could follow; absent where the push failed. */
  readonly ready?: Readiness;
}

/** The tags that go, the newest first. */
function tagsOf({ on_remote, tag, earlier }: PushFacts): string[] {
  return [...(on_remote ? [] : [tag]), ...earlier];
}

/** What a push does: the branch goes as it is now, with whatever followed the release, and the tags. */
function pushEffects(facts: PushFacts): string[] {
  const { branch, tip, tag, commits, remote, url, recorded } = facts;
  const tags = tagsOf(facts);
  const sent = `${cleanLine(branch, 60)} at ${tip?.slice(0, 12)} (${count(commits, "commit")})`;
  const where = `to ${remote} (${url})`;
  const toRecord = [...(recorded ? [] : [tag]), ...facts.to_record];
  return [
    ...(tags.length === 0
      ? tip === null ? [] : [`Push ${sent} ${where}: records, and nothing else`]
      : [
        tip === null
          ? `Push ${list(tags)} ${where}, whose ${cleanLine(branch, 60)} has ${
            tags.length === 1 ? "its commit" : "their commits"
          }`
          : `Push ${sent} and ${list(tags)} ${where}`,
      ]),
    ...facts.left.map(({ tag: other, reason }) => `Leave ${other} here: ${reason}`),
    ...(toRecord.length === 0
      ? []
      : [`Record that ${list(toRecord)} ${toRecord.length === 1 ? "is" : "are"} pushed`]),
  ];
}

function outgoingLines({ commits, commit_subjects }: PushFacts): string[] {
  const more = commits - commit_subjects.length;
  return [
    `${count(commits, "commit")} that the remote does not have:`,
    ...commit_subjects.map((subject) => `  - ${subject}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

/** `amof release push`. */
export const releasePush = mutation({
  name: "amof_release_push",
  path: ["release", "push"],
  toolset: "release",
  mcp: "asked for",
  scope: "release",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "push", will: "modify remote state" },
  runs: "release_push",
  locks: "ecosystem",
  openWorld: true,
  idempotent: true,
  title: "Push release",
  summary: "Push releases that are only here: branch and tags, all or nothing.",
  positionals: ["tag"],
  examples: ["release push", "release push v1.2.0-rc.1"],
  input: (z) => ({
    tag: z.string().optional().describe(
      "The release alone; the current one and all before it when absent",
    ),
    allow_no_touch: releaseOptions(z, "tag").allow_no_touch,
  }),
  async preview(ctx, input) {
    const { pending, waitingRecord } = await import("./pending.ts");
    const { nextStageReadiness } = await import("./make_release.ts");
    const guard = allowing(
      await guardOfControl(ctx.system, ctx.root),
      input.allow_no_touch ?? [],
    );
    const facts = await pending(ctx, {
      directory: ctx.root,
      repo: CONTROL,
      name: input.tag ?? null,
    }, guard);
    const effects = pushEffects(facts);
    const tags = tagsOf(facts);
    const isSettled = tags.length === 0 && facts.tip === null && facts.recorded &&
      facts.to_record.length === 0;
    const waiting = isSettled ? await waitingRecord(ctx, ctx.root, facts) : null;
    return {
      facts,
      summary: tags.length === 0
        ? facts.tip === null
          ? `Would record what is pushed.`
          : `Would push the records on ${cleanLine(facts.branch, 40)}.`
        : `Would push ${few(tags, 3)}${
          facts.tip === null ? "" : ` and ${cleanLine(facts.branch, 40)}`
        }.`,
      effects,
      ...(facts.commits === 0
        ? {}
        : { details: [...effects, "", ...outgoingLines(facts)].join("\n") }),
      ...(tags.length === 0 && facts.tip === null
        ? {}
        : { irreversible: "What is pushed cannot be taken back." }),
      current: facts.on_remote
        ? `The remote has ${facts.tag}`
        : `The remote does not have ${facts.tag}`,
      alternatives: ["See what is released: amof release log"],
      ...(isSettled
        ? {
          settled: {
            data: {
              tag: facts.tag,
              branch: facts.branch,
              pushed: true,
              unchanged: true,
              push_error: null,
              tags: [],
              records: 0,
              ready: await nextStageReadiness(ctx),
              ...(waiting === null ? {} : { waiting }),
            },
          },
        }
        : {}),
    };
  },
  undo: {
    irreversible: "what is pushed",
  },
  async execute(ctx, _input, facts: PushFacts) {
    const { executePush } = await import("./pending.ts");
    const { nextStageReadiness } = await import("./make_release.ts");
    const error = await executePush(ctx, ctx.root, CONTROL, facts);
    const isTag = tagsOf(facts).length > 0;
    const what = isTag ? facts.tag : "the records";
    const again = `amof release push${isTag ? ` ${facts.tag}` : ""}`;
    const merge = mergeCommand(ctx.root, facts.remote, facts.branch);
    const data: PushData = {
      tag: facts.tag,
      branch: facts.branch,
      pushed: error === null,
      unchanged: false,
      push_error: error,
      tags: error === null ? tagsOf(facts) : [],
      records: error === null && !isTag ? facts.commits : 0,
      ...(error === null ? { ready: await nextStageReadiness(ctx) } : {}),
    };
    return error === null ? { data } : {
      data,
      failure: new AmofError("push_refused", `Cannot push ${what}: ${error}`, {
        hint: isOvertaken(error)
          ? `Merge what is new there: ${merge}\nThen: ${again}`
          : `Fix the cause, then: ${again}`,
        details: { tag: facts.tag, push_error: error },
      }),
    };
  },
  render: (data: PushData) => ({
    summary: data.unchanged
      ? `Found ${data.tag} on the remote already${
        data.waiting === undefined ? "" : `; ${data.waiting.problem}`
      }.`
      : data.pushed
      ? data.tags.length === 0
        ? data.records > 0
          ? `Pushed ${count(data.records, "commit")} with nothing but records.`
          : `Found ${data.tag} on the remote, and recorded that.`
        : `Pushed ${few(data.tags, 3)}.`
      : "Pushed nothing.",
    details: blocks(
      keyValues([
        ["Branch", cleanLine(data.branch)],
        ["Problem", data.push_error === null ? null : cleanLine(data.push_error)],
      ]),
      data.waiting === undefined
        ? null
        : `⚠ ${data.tag}: ${data.waiting.problem}${fixLine(data.waiting.fix)}`,
    ),
  }),
});
