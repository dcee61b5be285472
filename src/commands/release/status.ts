/** `amof release status`: the current version of the control repository and what can follow it (RELEASE-5). */

import { guardOfControl } from "../../workspace/changing.ts";
import { unfinishedLine } from "../../workspace/mod.ts";
import { query, type UnfinishedWork } from "../../contract/mod.ts";
import { CONTROL } from "./answer.ts";
import { blocks } from "../../base/text/parts.ts";
import { keyValues, table } from "../../base/text/table.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";

/** Commits that are shown. */
const SHOWN = 8;

interface FileRow {
  readonly path: string;
  readonly version: string | null;
  readonly matches: boolean;
  readonly problem: string | null;
}

/** The current version and what can follow it. */
export interface ReleaseStatusData {
  readonly version: string;
  readonly tag: string;
  readonly stage: string;
  readonly stage_num: number | null;
  readonly branch: string | null;
  readonly dirty: boolean;
  /** Whether its record says that it was pushed; null where there is none, or no remote. */
  readonly pushed: boolean | null;
  /** Whether there is a remote that the next release can be pushed to. */
  readonly can_push: boolean;
  readonly version_drift: boolean;
  readonly commits_since_tag: number;
  readonly has_unreleased: boolean;
  /** The newest of them, at most 8. */
  readonly commits: readonly string[];
  readonly files: readonly FileRow[];
  readonly next: readonly { readonly version: string; readonly command: string }[];
  /** Whether the usual next stage could be released, as far as can be told without asking the remote. */
  readonly ready: {
    readonly stage: string;
    readonly ok: boolean;
    readonly warnings: number;
    readonly errors: number;
  };
  /** What was interrupted here and waits to be settled; absent when nothing was. */
  readonly unfinished?: readonly UnfinishedWork[];
}

/** `amof release status`. */
export const releaseStatus = query({
  name: "amof_release_status",
  path: ["release", "status"],
  toolset: "release",
  scope: "release",
  next: "release_status",
  title: "Release status",
  summary: "Current version, version files, unreleased commits, what can follow.",
  examples: ["release status"],
  fields: [
    "version",
    "tag",
    "stage",
    "branch",
    "dirty",
    "pushed",
    "version_drift",
    "commits_since_tag",
    "has_unreleased",
    "commits",
    "files",
    "next",
  ],
  input: (z) => z.strictObject({}),
  async run(ctx) {
    const { agrees, releaseStateOf, REMOTE, requireCurrent } = await import("./standing.ts");
    const { readReleaseRecord } = await import("./record.ts");
    const { commandFor, formatVersion, nextVersion, possibleSteps, tagOf, usualStage } =
      await import("./ladder.ts");
    const { judge, usualNext } = await import("./judge.ts");
    const guard = await guardOfControl(ctx.system, ctx.root);
    const standing = await releaseStateOf(ctx, ctx.root, CONTROL, { askRemote: false, guard });
    const current = await requireCurrent(ctx, standing);
    const stage = usualStage(current.version);
    const unfinished = await ctx.unfinished();
    const pushed = (await readReleaseRecord(ctx.system, ctx.root, current.tag))?.pushed ?? null;
    const canPush = await ctx.git.at(ctx.root, CONTROL).remotes.pushUrl(REMOTE) !== null;
    const { ok, warnings, errors } = judge({
      standing,
      stage,
      next: usualNext(current.version, stage),
      push: false,
      strict: false,
      mayBeEmpty: stage !== current.version.stage,
      baseline: false,
      expectedBranch: null,
    });
    const files = standing.versionFiles.map((file): FileRow => ({
      path: file.path,
      version: file.version === null ? null : cleanLine(file.version, 60),
      matches: agrees(file, current),
      problem: file.problem,
    }));
    return {
      data: {
        version: formatVersion(current.version),
        tag: current.tag,
        stage: current.version.stage,
        stage_num: current.version.num,
        branch: standing.branch,
        dirty: standing.changes.length > 0,
        pushed: pushed === false && !canPush ? null : pushed,
        can_push: canPush,
        version_drift: files.some((file) => !file.matches),
        commits_since_tag: standing.commits,
        has_unreleased: standing.commits > 0,
        commits: standing.subjects.slice(0, SHOWN),
        files,
        next: possibleSteps(current.version).map((step) => ({
          version: tagOf(nextVersion(current.version, step)),
          command: commandFor(step, canPush),
        })),
        ready: { stage, ok, warnings: warnings.length, errors: errors.length },
        ...(unfinished.length === 0 ? {} : { unfinished }),
      },
    };
  },
  enters: (data) => ({ scope: "release", releaseTag: data.tag }),
  render: (data: ReleaseStatusData) => ({
    summary: `Found ${data.tag} as the current version, ${
      count(data.commits_since_tag, "commit")
    } since.`,
    details: blocks(
      keyValues([
        ["Branch", `${cleanLine(data.branch ?? "none")}${data.dirty ? ", dirty" : ""}`],
        [
          "Ready",
          data.ready.ok
            ? `yes, for ${data.ready.stage}`
            : `no, ${
              count(data.ready.errors, "problem")
            } for ${data.ready.stage}: amof release validate${data.can_push ? "" : " --no-push"}`,
        ],
        ...(data.pushed === false
          ? [["Pushed", "no, its record says: amof release push"] as const]
          : []),
      ]),
      ...(data.files.length === 0 ? [] : [
        table(
          ["file", "version", "state"],
          data.files.map((file) => [
            cleanLine(file.path, 60),
            file.version ?? "",
            file.problem ?? (file.matches ? "✓" : "differs"),
          ]),
        ),
      ]),
      ...(data.commits.length === 0 ? [] : [
        [
          ...data.commits.map((subject) => `- ${cleanLine(subject, 80)}`),
          ...(data.commits_since_tag > data.commits.length
            ? [`… and ${data.commits_since_tag - data.commits.length} more`]
            : []),
        ].join("\n"),
      ]),
      table(["next", "command"], data.next.map((next) => [next.version, next.command])),
      ...(data.unfinished ?? []).map(unfinishedLine),
    ),
  }),
});
