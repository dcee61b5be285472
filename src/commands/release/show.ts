/** `amof release show`: everything that is known of one release (RELEASE-5). */

import { AmofError } from "../../base/error.ts";
import { query } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues } from "../../base/text/table.ts";
import { count, didYouMean, meantText } from "../../base/text/words.ts";
import { CONTROL } from "./answer.ts";
import type { FinalRecord } from "./record.ts";
import { Releases } from "../../git/write/mod.ts";

/** Commits that are shown to readers. */
const SHOWN = 15;

/** One release. Members that only its record could tell are null or empty where there is no record. */
interface ShowData {
  readonly tag: string;
  readonly version: string;
  readonly timestamp: string;
  /** The commit the tag points to; null when there is no such tag here. */
  readonly tag_commit: string | null;
  readonly recorded: boolean;
  readonly record: FinalRecord | null;
}

/** `amof release show`. */
export const releaseShow = query({
  name: "amof_release_show",
  path: ["release", "show"],
  toolset: "release",
  scope: "release",
  mcp: "never",
  next: "any_release",
  title: "Show release",
  summary: "Show one release: its record, commits and files.",
  positionals: ["tag"],
  examples: ["release show", "release show v1.0.3 --json"],
  input: (z) => ({
    tag: z.string().max(100).optional().describe("The release; the current one when absent"),
  }),
  async run(ctx, input) {
    const { formatVersion, ladderTags, parseVersion, tagOf } = await import("./ladder.ts");
    const { readReleaseRecord } = await import("./record.ts");
    const tags = await ctx.git.at(ctx.root, CONTROL).part(Releases).tags();
    const known = ladderTags(tags.map(({ name }) => name));
    // Only what spells a version is looked up, so that no name leads to another file.
    const wanted = input.tag === undefined ? known[0]?.version : parseVersion(input.tag);
    const tag = wanted === null || wanted === undefined ? null : tagOf(wanted);
    const record = tag === null ? null : await readReleaseRecord(ctx.system, ctx.root, tag);
    const here = tags.find(({ name }) => name === tag || name === input.tag);
    if (tag === null || !wanted || (record === null && here === undefined)) {
      if (known.length === 0) {
        const { unreleased } = await import("./state.ts");
        throw await unreleased(ctx, CONTROL, ctx.root);
      }
      const named = input.tag ?? "";
      const near = didYouMean(named, known.map((entry) => entry.tag));
      throw new AmofError(
        "release_not_found",
        `Cannot find the release "${cleanLine(named, 60)}"${meantText(near)}`,
        { hint: "See what is released: amof release log" },
      );
    }
    const data: ShowData = {
      tag,
      version: formatVersion(wanted),
      timestamp: record?.timestamp ?? here?.date ?? "",
      tag_commit: here?.commit ?? null,
      recorded: record !== null,
      record,
    };
    return { data };
  },
  enters: (data) => ({ scope: "release", releaseTag: data.tag }),
  render({ tag, timestamp, tag_commit, record }: ShowData, _input, say) {
    const commits = record?.commit_subjects ?? [];
    const more = (record?.commits_since_previous ?? 0) - SHOWN;
    return {
      summary: record === null
        ? `Found ${tag}, which has no record.`
        : `Read the record of ${tag}.`,
      details: [
        keyValues([
          ["Tag", tag],
          ["Made", cleanLine(say.time(timestamp), 40)],
          ["Commit", tag_commit],
          ["Action", record?.action ?? null],
          ["Before", record?.previous_tag ?? null],
          ["Branch", record === null ? null : cleanLine(record.branch)],
          ["By", record === null ? null : cleanLine(record.author, 60)],
          ["Pushed", record === null ? null : record.pushed ? "yes" : "no"],
          [
            "Files",
            record === null ? null : record.files_updated.map((file) => cleanLine(file)).join(", "),
          ],
        ]),
        ...(commits.length === 0
          ? []
          : ["", ...commits.slice(0, SHOWN).map((subject) => `  ${cleanLine(subject, 100)}`)]),
        ...(more > 0 ? [`… and ${count(more, "more commit")}`] : []),
      ],
    };
  },
});
