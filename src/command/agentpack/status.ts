/**
 * `status` (PACK-32, PACK-33).
 *
 * @module
 */

import { green, red, yellow } from "@std/fmt/colors";
import { DRIFT_KINDS, status as statusOf } from "../../agentpack/mod.ts";
import { declare } from "./command.ts";
import { flag, list } from "./option.ts";
import { changeCounts, isUnchanged, lines, nextActions, shownPath } from "./show.ts";
import { DRY_RUN, EVERY_SELECTOR, READS } from "./tool_facts.ts";

const COLOURS = { missing: red, modified: yellow, extra: green } as const;

/** `status`. */
export const status = declare({
  path: ["status"],
  summary: "Show where deployed files differ from what they should be.",
  options: {
    only: list(DRIFT_KINDS, {
      help: "Only these kinds of difference",
      schema: {
        type: "array",
        items: { type: "string", enum: ["missing", "modified", "extra"] },
      },
    }),
    check: flag({ help: "Exit with 3 when something differs or a deploy would change something" }),
  },
  examples: ["status", "status --only missing,modified", "status --check --json"],
  run: ({ pack, selection }, { only }) => statusOf(pack, selection, { only }),
  render: ({ data }) => {
    const { modified, missing, extra } = data.summary;
    return lines(
      data.drift.length === 0
        ? green("Deployed files are as they should be")
        : `${modified} modified, ${missing} missing, ${extra} extra`,
      data.drift.map(({ kind, target, path }) =>
        `  ${COLOURS[kind](kind.padEnd(8))} ${target}  ${shownPath(path)}`
      ),
      isUnchanged(data.pending) ? null : `A deploy would change: ${changeCounts(data.pending)}`,
      nextActions(data.next_actions),
    );
  },
  differs: ({ data }) => data.drift.length > 0 || !isUnchanged(data.pending),
  tools: [{
    name: "status",
    title: "Find drift",
    description:
      "Where deployed files differ from what they should be: missing, modified, extra. next_actions say what would help.",
    selecting: EVERY_SELECTOR,
    takes: ["only"],
    more: { dry_run: DRY_RUN },
    hints: READS,
  }],
});
