/** `amof release status`: the current version of the control repository and what can follow it (RELEASE-5). */

import { guardOfControl } from "../outgoing/contents.ts";
import { unfinishedLine } from "../advice/clone.ts";
import { query, type UnfinishedWork } from "../../contract/mod.ts";
import { CONTROL } from "./answer.ts";
import { beyondLine } from "./current.ts";
import type { Readiness } from "./judge.ts";
import { blocks } from "../../base/text/parts.ts";
import { keyValues, table } from "../../base/text/table.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";

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
  /** A higher version that the branch does not have; null where there is none. */
  readonly beyond: string | null;
  readonly dirty: boolean;
  /** Whether its record says that it was pushed; null where there is none, or no remote. */
  readonly pushed: boolean | null;
  /** Tags of all releases whose records say that they were not pushed, the newest first; empty without a remote. */
  readonly unpushed: readonly string[];
  /** Whether there is a remote that the next release can be pushed to. */
  readonly can_push: boolean;
  readonly version_drift: boolean;
  readonly commits_since_tag: number;
  /** Whether there are more of them than the history here goes back; absent where not. */
  readonly history_cut?: true;
  readonly has_unreleased: boolean;
  /** The newest of them, at most 8. */
  readonly commits: readonly string[];
  readonly files: readonly FileRow[];
  readonly next: readonly { readonly version: string; readonly command: string }[];
  readonly ready: Readiness;
  /** What was interrupted here and waits to be settled; absent when nothing was. */
  readonly unfinished?: readonly UnfinishedWork[];
}

/** The stage of a tag of the ladder. */
function stageOf(tag: string): string {
  return /-([a-z]+)\.\d+$/.exec(tag)?.[1] ?? "stable";
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
    "unpushed",
    "version_drift",
    "commits_since_tag",
    "has_unreleased",
    "commits",
    "files",
    "next",
  ],
  input: () => ({}),
  async run(ctx) {
    const { agrees, releaseStateOf, REMOTE, requireCurrent } = await import("./state.ts");
    const { recordsInOrder } = await import("./record.ts");
    const { commandFor, formatVersion, nextVersion, possibleSteps, tagOf } = await import(
      "./ladder.ts"
    );
    const { readinessOf } = await import("./judge.ts");
    const guard = await guardOfControl(ctx.system, ctx.root);
    const standing = await releaseStateOf(ctx, ctx.root, CONTROL, { askRemote: false, guard });
    const current = await requireCurrent(ctx, standing);
    const unfinished = await ctx.runs.unfinished();
    const records = await recordsInOrder(ctx.system, ctx.root);
    const pushed = records.find(({ tag }) => tag === current.tag)?.pushed ?? null;
    const tags = new Set(standing.tags.map(({ name }) => name));
    const canPush = await ctx.git.at(ctx.root, CONTROL).remotes.pushUrl(REMOTE) !== null;
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
        beyond: standing.beyond,
        dirty: standing.changes.length > 0,
        pushed: pushed === false && !canPush ? null : pushed,
        unpushed: canPush
          ? records.filter((one) => one.pushed === false && tags.has(one.tag)).map(({ tag }) => tag)
          : [],
        can_push: canPush,
        version_drift: files.some((file) => !file.matches),
        commits_since_tag: standing.commits,
        ...(standing.cut ? { history_cut: true as const } : {}),
        has_unreleased: standing.commits > 0,
        commits: standing.subjects.slice(0, SHOWN),
        files,
        next: possibleSteps(current.version).map((step) => ({
          version: tagOf(nextVersion(current.version, step)),
          command: commandFor(step, canPush),
        })),
        ready: readinessOf(standing, current.version),
        ...(unfinished.length === 0 ? {} : { unfinished }),
      },
    };
  },
  enters: (data) => ({ scope: "release", releaseTag: data.tag }),
  render: (data: ReleaseStatusData) => ({
    summary: `Found ${data.tag} as the current version, ${
      data.history_cut === true ? "at least " : ""
    }${count(data.commits_since_tag, "commit")} since.`,
    details: blocks(
      ...(data.beyond === null ? [] : [beyondLine(data.beyond, cleanLine(data.branch ?? "HEAD"))]),
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
        ...(data.unpushed.length === 0 ? [] : [
          [
            "Unpushed",
            `${few(data.unpushed, 3)}, as ${
              data.unpushed.length === 1 ? "its record says" : "their records say"
            }: amof release push`,
          ] as const,
        ]),
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
      table(
        ["command", { name: "next", prose: true }],
        data.next.map(({ version, command }) => [
          command,
          // Only of the stage that usually follows is known that something is in the way.
          data.ready.ok || stageOf(version) !== data.ready.stage
            ? version
            : `${version}, not ready`,
        ]),
      ),
      ...(data.unfinished ?? []).map(unfinishedLine),
    ),
  }),
});
