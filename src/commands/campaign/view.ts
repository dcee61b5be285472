/** How a campaign stands: its repositories counted, and the shapes of its commits, the most frequent first (CAMP-5). */

import { isObject } from "../../base/object.ts";
import type { Files } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { blocks, type Details, verbatim } from "../../base/text/parts.ts";
import { table } from "../../base/text/table.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import type { Campaign, CampaignRow, Campaigns, RowState } from "./record.ts";
import type { Shape } from "./arrive.ts";
import { AmofError } from "../../base/error.ts";
import type { CommandContext, Rendered, Result } from "../../contract/mod.ts";
import { campaignsOf } from "./plan.ts";

/** How many digits of its hash a shape is called by. */
const ID = 12;

/** A shape with the repositories whose commits have it. */
export interface ShapeView {
  readonly id: string;
  readonly hash: string;
  readonly repos: readonly string[];
  /** Whether only one repository has it while others share theirs. */
  readonly outlier: boolean;
  readonly approved: boolean;
  readonly pushed: number;
  readonly files: readonly string[];
  readonly added: number;
  readonly removed: number;
  /** An example: lines of the commit of the first repository, masked. */
  readonly lines: readonly string[];
  readonly more: number;
}

/** How many repositories of a campaign stand how. */
export interface Counts {
  readonly repos: number;
  /** Those with a commit. */
  readonly changed: number;
  /** Those of them whose shape is approved. */
  readonly approved: number;
  /** Those of them whose commit is on its remote branch. */
  readonly pushed: number;
  /** Those in which nothing is left to change behind a commit that was pushed. */
  readonly merged: number;
  readonly unchanged: number;
  readonly held_back: number;
  /** Those without a commit for any other reason. */
  readonly failed: number;
}

/** Whether the commit of a repository is the one on its remote branch. */
export function isPushed({ commit, pushed }: CampaignRow): boolean {
  return commit !== null && pushed?.commit === commit;
}

/** The hashes of the shapes that are approved. */
export function approvedShapes({ approved }: Pick<Campaign, "approved">): ReadonlySet<string> {
  return new Set(approved.map(({ shape }) => shape));
}

/** Counts repositories. */
export function countsOf(
  campaign: Pick<Campaign, "approved">,
  rows: readonly CampaignRow[],
): Counts {
  const approved = approvedShapes(campaign);
  const among = (holds: (row: CampaignRow) => boolean) => rows.filter(holds).length;
  const changed = among(({ state }) => state === "changed");
  const merged = among(({ state }) => state === "merged");
  const unchanged = among(({ state }) => state === "unchanged");
  const held = among(({ state }) => state === "held_back");
  return {
    repos: rows.length,
    changed,
    approved: among(({ shape }) => shape !== null && approved.has(shape)),
    pushed: among(isPushed),
    merged,
    unchanged,
    held_back: held,
    failed: rows.length - changed - merged - unchanged - held,
  };
}

/** What is kept of a shape; empty where its file is gone. */
async function exampleOf(
  files: Files,
  campaigns: Campaigns,
  name: string,
  hash: string,
): Promise<Shape> {
  const nothing: Shape = { hash, files: [], added: 0, removed: 0, lines: [], more: 0 };
  try {
    const found: unknown = JSON.parse(await files.readText(campaigns.shape(name, hash)) ?? "");
    return isObject(found) ? found as unknown as Shape : nothing;
  } catch {
    return nothing;
  }
}

/** The shapes of a campaign: the most frequent first, outliers last. */
export async function shapesOf(
  files: Files,
  campaigns: Campaigns,
  campaign: Campaign,
  rows: readonly CampaignRow[],
): Promise<readonly ShapeView[]> {
  const approved = approvedShapes(campaign);
  const byShape = Map.groupBy(
    rows.filter(({ shape }) => shape !== null),
    ({ shape }) => shape ?? "",
  );
  const most = Math.max(0, ...[...byShape.values()].map((same) => same.length));
  const sorted = [...byShape].toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  return await Promise.all(sorted.map(async ([hash, same]): Promise<ShapeView> => ({
    ...await exampleOf(files, campaigns, campaign.name, hash),
    id: hash.slice(0, ID),
    hash,
    repos: same.map(({ repo }) => repo).toSorted(),
    outlier: same.length === 1 && most > 1,
    approved: approved.has(hash),
    pushed: same.filter(isPushed).length,
  })));
}

/** What lets commits be pushed of which nobody has said yet that they may; empty where there are none. */
export function waitingLines(campaign: string, waiting: number): string[] {
  const name = shellWord(campaign);
  return waiting <= 0 ? [] : [
    `${
      count(waiting, "commit")
    } not approved yet. See what they change: amof campaign show ${name}`,
    `Approve all of them: amof campaign approve ${name} --all`,
  ];
}

/** Says counts in one line: `3 changed, 1 unchanged, 1 failed`. */
export function countsText(
  { changed, unchanged, merged, held_back: held, failed }: Counts,
): string {
  const parts: readonly (readonly [number, string])[] = [
    [changed, "changed"],
    [unchanged, "unchanged"],
    [merged, "merged"],
    [held, "held back"],
    [failed, "failed"],
  ];
  const said = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  return said.length === 0 ? "no repo" : said.join(", ");
}

/** Shapes as a table. */
export function shapeTable(shapes: readonly ShapeView[]): Details {
  if (shapes.length === 0) return "No commits, so no shapes.";
  return table(
    ["shape", "repos", "approved", "pushed", "lines", "files", { name: "in", prose: true }],
    shapes.map((shape) => [
      shape.id,
      shape.repos.length,
      shape.approved ? "yes" : "no",
      shape.pushed,
      `+${shape.added} -${shape.removed}`,
      cleanLine(few(shape.files, 2), 60),
      `${cleanLine(few(shape.repos, 3), 80)}${shape.outlier ? " (outlier)" : ""}`,
    ]),
  );
}

/** The example of a shape, line by line. */
export function exampleLines({ lines, more }: Pick<ShapeView, "lines" | "more">): Details {
  return [
    ...lines.map((line) => verbatim(`    ${line}`)),
    ...(more > 0 ? [`    … and ${count(more, "more line")}`] : []),
  ];
}

/**
 * The shapes of some ids, or unique beginnings of their hashes. Throws `invalid_arguments` where there is none: what a
 * commit changed may be another shape since.
 */
export function chosenShapes(
  campaign: string,
  shapes: readonly ShapeView[],
  ids: readonly string[],
): readonly ShapeView[] {
  return [...new Set(ids)].map((id) => {
    const found = shapes.filter(({ hash }) => hash.startsWith(id.toLowerCase()));
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    throw new AmofError(
      "invalid_arguments",
      found.length === 0
        ? `Cannot find shape "${cleanLine(id, 64)}" in campaign "${
          cleanLine(campaign, 64)
        }": no commit has it`
        : `Cannot tell which shape "${cleanLine(id, 64)}" is: ${found.length} begin so`,
      {
        hint: `See them: amof campaign show ${shellWord(campaign)}`,
        details: { shape: cleanLine(id, 64), available: shapes.map((shape) => shape.id) },
      },
    );
  });
}

// What is answered about a run of a campaign.

/** The answer: how all repositories stand, and the shapes of their commits. */
export interface RanData {
  readonly outcome: "success" | "partial" | "failed" | "cancelled" | "nothing";
  readonly campaign: string;
  readonly branch: string;
  readonly counts: Counts;
  readonly repos: readonly CampaignRow[];
  readonly shapes: readonly ShapeView[];
}

/** The answer where nothing was run. */
export function nothingRan(
  campaign: string,
  branch: string,
  counts = countsOf({ approved: [] }, []),
): RanData {
  return { outcome: "nothing", campaign, branch, counts, repos: [], shapes: [] };
}

/** How repositories stand of which nothing is left to do. */
export const GOOD: readonly RowState[] = ["changed", "unchanged", "merged"];

/** Puts together how a run ended. */
export async function ranResult(ctx: CommandContext, name: string): Promise<Result<RanData>> {
  const campaigns = campaignsOf(ctx);
  const campaign = await campaigns.get(name);
  const repos = [...(await campaigns.rows(name)).values()].toSorted((a, b) =>
    a.repo.localeCompare(b.repo)
  );
  const bad = repos.filter(({ state }) => !GOOD.includes(state));
  const shapes = await shapesOf(ctx.system.files, campaigns, campaign, repos);
  const outcome = bad.length === 0
    ? "success"
    : ctx.signal.aborted
    ? "cancelled"
    : bad.length < repos.length
    ? "partial"
    : "failed";
  const data: RanData = {
    outcome,
    campaign: name,
    branch: campaign.branch,
    counts: countsOf(campaign, repos),
    repos,
    shapes,
  };
  if (bad.length === 0) return { data };
  const code = { cancelled: "cancelled", partial: "partial_failure", failed: "subprocess_failed" }[
    outcome === "success" ? "partial" : outcome
  ] as "cancelled" | "partial_failure" | "subprocess_failed";
  return {
    data,
    failure: new AmofError(
      code,
      `Campaign "${name}" has no commit of ${bad.length} of ${count(repos.length, "repo")}: ${
        few(
          bad.map(({ repo, state, detail }) =>
            `${repo} (${state.replaceAll("_", " ")}${
              detail === "" ? "" : `: ${cleanLine(detail, 80)}`
            })`
          ),
          3,
        )
      }`,
      {
        hint: `Run it again there: amof campaign update ${shellWord(name)}`,
        details: { repos: bad.map(({ repo: name, state, detail }) => ({ name, state, detail })) },
      },
    ),
  };
}

/** Repositories without a commit that should have one, with why. */
function troubleTable(rows: readonly CampaignRow[]): Details | null {
  const bad = rows.filter(({ state }) => !GOOD.includes(state));
  if (bad.length === 0) return null;
  return table(
    ["repo", "result", "why"],
    bad.map(({ repo, state, detail }) => [
      `✗ ${repo}`,
      state.replaceAll("_", " "),
      cleanLine(detail, 200),
    ]),
  );
}

/** Says how a run ended: problems first, then shapes. */
export function renderRan({ outcome, campaign, counts, repos, shapes }: RanData): Rendered {
  const name = cleanLine(campaign, 30);
  if (outcome === "nothing") {
    return {
      summary: `Ran nothing: no repo of ${name} is new, failed, or has another base.`,
      details: waitingLines(campaign, counts.changed - counts.approved),
    };
  }
  return {
    summary: `Ran ${name}: ${countsText(counts)}.`,
    details: blocks(troubleTable(repos), shapeTable(shapes)),
  };
}
