/** What came of the pull request of each repository, and of all of them. */

import { toAmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import type { Part } from "../../base/text/parts.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import type { PullRequest } from "../../forge/mod.ts";
import type { RepoRow } from "../../workspace/mod.ts";

/** What came of one. */
export interface PrRow extends RepoRow {
  readonly result: "opened" | "updated" | "pushed" | "closed" | "unchanged" | "skipped" | "failed";
  readonly number: number | null;
  readonly url: string | null;
}

/** A row about a pull request. */
export function prRow(
  name: string,
  result: PrRow["result"],
  change: Pick<PullRequest, "number" | "url"> | null,
  detail = "",
): PrRow {
  const { number = null, url = null } = change ?? {};
  return { name, result, number, url, detail, code: null, fix: null };
}

/** The row of work that failed; noted in the log. */
export function failedRow(ctx: ExecuteContext, name: string, thrown: unknown): PrRow {
  const { code, message, hint } = toAmofError(thrown, () => ctx.system.ids.hex(8));
  ctx.report.log("error", `${name}: ${message}`, { type: "repo", payload: { repo: name, code } });
  return { ...prRow(name, "failed", null, message), code, fix: hint };
}

/** Rows as a table, what failed first, and the pages of what there is. */
export function prTable(rows: readonly PrRow[]): readonly Part[] {
  const ordered = [
    ...rows.filter(({ code }) => code !== null),
    ...rows.filter(({ code }) => code === null),
  ];
  return [
    table(
      ["repo", "result", "pr", "detail"],
      ordered.map(({ name, result, number, detail, code }) => [
        `${code === null ? result === "skipped" ? "–" : "✓" : "✗"} ${name}`,
        result,
        number === null ? "" : `#${number}`,
        cleanLine(detail, 300),
      ]),
    ),
    ...(rows.some(({ url }) => url !== null) ? [""] : []),
    ...rows.flatMap(({ name, url }) => url === null ? [] : [`${name}  ${url}`]),
  ];
}
