/** How the answers of trains look. */

import type { Rendered } from "../../../contract/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { table } from "../../../base/text/table.ts";
import { count, fixLine } from "../../../base/text/words.ts";
import type { TrainProblem } from "./plan.ts";
import type { TrainEntry } from "./record.ts";

interface TrainRow extends TrainEntry {
  readonly name: string;
}

/** A repository that stayed as it is. */
interface LeftOut {
  readonly name: string;
  readonly current: string | null;
  readonly reason: string;
}

/** The answer of a train. */
export interface TrainData {
  /** The name of its record; null when nothing was released. */
  readonly train: string | null;
  readonly repos: readonly TrainRow[];
  readonly left_out: readonly LeftOut[];
  readonly problems: readonly TrainProblem[];
}

/** Problems or warnings for readers, each with its repository. */
export function problemLines(symbol: string, problems: readonly TrainProblem[]): string[] {
  return problems.map(({ repo, gate, message, fix }) =>
    `${symbol} ${repo}: ${gate.replaceAll("_", " ")}: ${message}${fixLine(fix)}`
  );
}

/** Those who stayed, for readers. */
export function leftOutLines(rows: readonly LeftOut[]): string[] {
  return rows.map(({ name, reason }) => `– ${name}: ${reason}`);
}

/** The answer for readers. */
export function renderTrain(data: TrainData): Rendered {
  const late = data.repos.filter((row) => row.push_error !== null);
  const made = data.repos.filter((row) => row.action === "release").length;
  const [first] = late;
  const rows = data.repos.map((row) => [
    row.name,
    row.previous_tag ?? "",
    row.tag,
    row.commit.slice(0, 12),
    row.pushed ? "yes" : row.push_error === null ? "no" : `✗ ${cleanLine(row.push_error, 60)}`,
  ]);
  return {
    summary: data.problems.length > 0
      ? `Released nothing: ${count(data.problems.length, "problem")} in the way.`
      : data.repos.length === 0
      ? "Released nothing: no repository has anything to release."
      : first === undefined
      ? `Released ${count(made, "repo")}${
        made === data.repos.length ? "" : `, pushed ${data.repos.length - made} more`
      }.`
      : `Released ${count(made, "repo")}; ${first.name} was not pushed.`,
    details: [
      ...(rows.length === 0 ? [] : [table(["repo", "before", "now", "commit", "pushed"], rows)]),
      ...problemLines("✗", data.problems),
      ...leftOutLines(data.left_out),
      ...(data.train === null ? [] : [`Record: releases/trains/${data.train}.json`]),
    ],
  };
}
