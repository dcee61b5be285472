/** `score`: failure rates out of the event log (PACK-13). */

import { table } from "../../../base/text/table.ts";
import { isObject, jsonIn } from "../../../base/object.ts";
import { compareBytes } from "../content.ts";
import { declare, members } from "../declare/command.ts";
import { MODULE_COLUMN, shownPath } from "../declare/show.ts";
import { isText, SCHEMA_VERSION } from "./record.ts";
import { readUtf8 } from "../io.ts";
import type { Answer } from "../pack.ts";

interface ModuleScore {
  readonly module_id: string;
  readonly total: number;
  readonly failures: number;
  /** Failures divided by total. */
  readonly failure_rate: number;
  readonly last_seen_at: string | null;
}

/** `data` of `score`. */
interface ScoreData {
  /** The worst first. */
  readonly modules: readonly ModuleScore[];
  readonly read_stats: {
    readonly lines: number;
    readonly blank: number;
    readonly malformed: number;
    readonly unsupported_version: number;
    readonly events: number;
  };
}

/** `score`. */
export const score = declare({
  path: ["score"],
  summary: "Show how often each module failed, out of the event log.",
  options: {},
  examples: ["score", "score --json"],
  async look({ pack, home }): Promise<Answer<ScoreData>> {
    const read = await readUtf8(pack.system.files, home.events);
    const text = read === null || read === "invalid" ? "" : read.text;
    const lines = text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined);
    const stats = { lines: 0, blank: 0, malformed: 0, unsupported_version: 0, events: 0 };
    const warnings: string[] = read === "invalid" ? [`"${home.events}" is not valid UTF-8`] : [];
    const scores = new Map<string, { total: number; failures: number; last: string | null }>();
    for (const [index, line] of (text === "" ? [] : lines).entries()) {
      stats.lines++;
      if (line.trim() === "") {
        stats.blank++;
        continue;
      }
      const entry = jsonIn(line);
      if (!isObject(entry)) {
        stats.malformed++;
        warnings.push(`Line ${index + 1} of the event log is malformed and skipped`);
        continue;
      }
      if (entry["schema_version"] !== SCHEMA_VERSION) {
        stats.unsupported_version++;
        warnings.push(`Line ${index + 1} of the event log has another version and is skipped`);
        continue;
      }
      stats.events++;
      const id = entry["module_id"];
      if (!isText(id)) continue;
      const at = isText(entry["recorded_at"]) ? entry["recorded_at"] : null;
      const known = scores.get(id) ?? { total: 0, failures: 0, last: null };
      scores.set(id, {
        total: known.total + 1,
        failures: known.failures + (entry["success"] === false ? 1 : 0),
        last: at !== null && (known.last === null || at > known.last) ? at : known.last,
      });
    }
    const modules = [...scores].map(([id, { total, failures, last }]) => ({
      module_id: id,
      total,
      failures,
      failure_rate: failures / total,
      last_seen_at: last,
    })).sort((a, b) => b.failure_rate - a.failure_rate || compareBytes(a.module_id, b.module_id));
    return { data: { modules, read_stats: stats }, warnings };
  },
  answers: members<ScoreData>("modules", "read_stats"),
  render: ({ data }) =>
    data.modules.length === 0 ? "No events name a module" : table(
      [MODULE_COLUMN, "events", "failures", "rate", "last seen"],
      data.modules.map((one) => [
        shownPath(one.module_id),
        one.total,
        one.failures,
        `${Math.round(one.failure_rate * 100)} %`,
        one.last_seen_at ?? "",
      ]),
    ),
});
