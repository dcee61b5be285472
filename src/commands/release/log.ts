/** `amof release log`: the releases made so far, the highest version first (RELEASE-5). */

import { query } from "../../contract/mod.ts";
import { CONTROL } from "./answer.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count } from "../../base/text/words.ts";
import { Releases } from "../../git/write/mod.ts";

interface LogRow {
  readonly tag: string;
  readonly version: string;
  readonly timestamp: string;
  /** Null for a tag that has no record. */
  readonly action: string | null;
  readonly bump_part: string | null;
  readonly stage: string | null;
  readonly stage_num: number | null;
  readonly commits_since_previous: number | null;
  readonly origin: string | null;
  readonly pushed: boolean | null;
  readonly subject: string;
}

/** The releases of a control repository. */
export interface ReleaseLogData {
  readonly releases: readonly LogRow[];
  /** How many there are in all. */
  readonly total: number;
  /** The command that makes the first one; absent where there is one. */
  readonly next?: string;
  /** Whether it can be pushed; absent where there is one. */
  readonly has_remote?: boolean;
}

function action(row: LogRow): string {
  const stage = row.stage === null ? "" : ` (${row.stage})`;
  if (row.action === "bump") return `bump ${row.bump_part ?? ""}${stage}`;
  if (row.action === "promote") return `promote → ${row.stage ?? "stable"}`;
  return row.action ?? cleanLine(row.subject, 40);
}

/** `amof release log`. */
export const releaseLog = query({
  name: "amof_release_log",
  path: ["release", "log"],
  toolset: "release",
  scope: "release",
  next: "releases",
  title: "Release history",
  summary: "The releases made so far, highest version first.",
  examples: ["release log", "release log --limit 30"],
  fields: ["releases", "total"],
  input: (z) => ({
    limit: z.int().min(1).max(100).default(10).describe("At most"),
  }),
  async run(ctx, input) {
    const { readRecords } = await import("./record.ts");
    const { compareVersions, formatVersion, ladderTags, parseVersion } = await import(
      "./ladder.ts"
    );
    const tags = await ctx.git.at(ctx.root, CONTROL).part(Releases).tags();
    const records = (await readRecords(ctx.system, ctx.root)).filter(({ version }) =>
      parseVersion(version) !== null
    );
    const rows = records.map((
      { commit_subjects: _, push_error: _error, files_updated: _files, ...record },
    ): LogRow => ({
      ...record,
      pushed: record.pushed === true,
      subject: `Release ${record.tag}`,
    }));
    for (const { tag, version } of ladderTags(tags.map(({ name }) => name))) {
      const facts = tags.find(({ name }) => name === tag);
      if (rows.some((row) => row.tag === tag)) continue;
      rows.push({
        tag,
        version: formatVersion(version),
        timestamp: facts?.date ?? "",
        action: null,
        bump_part: null,
        stage: version.stage === "stable" ? null : version.stage,
        stage_num: version.num,
        commits_since_previous: null,
        origin: null,
        pushed: null,
        subject: cleanLine(facts?.subject ?? ""),
      });
    }
    rows.sort((a, b) => {
      const [left, right] = [parseVersion(a.version), parseVersion(b.version)];
      return left === null || right === null ? 0 : compareVersions(right, left);
    });
    const data: ReleaseLogData = { releases: rows.slice(0, input.limit), total: rows.length };
    if (rows.length > 0) return { data };
    const { firstRelease, REMOTE } = await import("./state.ts");
    const hasRemote = await ctx.git.at(ctx.root, CONTROL).remotes.pushUrl(REMOTE) !== null;
    return { data: { ...data, next: firstRelease(hasRemote), has_remote: hasRemote } };
  },
  enters: (data) => ({ scope: "release", releaseTag: data.releases[0]?.tag ?? null }),
  render(data: ReleaseLogData) {
    if (data.releases.length === 0) {
      return { summary: "Found no releases.", details: `Make the first one: ${data.next}` };
    }
    return {
      summary: `Found ${count(data.total, "release")}${
        data.total > data.releases.length ? `, showing ${data.releases.length}` : ""
      }.`,
      details: table(
        ["tag", "date", "action", "commits", "origin", "pushed"],
        data.releases.map((row) => [
          cleanLine(row.tag, 40),
          row.timestamp.slice(0, 10),
          action(row),
          row.commits_since_previous,
          cleanLine(row.origin ?? "", 10),
          row.pushed === null ? "" : row.pushed ? "yes" : "no",
        ]),
      ),
    };
  },
});
