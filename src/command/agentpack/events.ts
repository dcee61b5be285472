/**
 * `record` and `score` (PACK-13).
 *
 * @module
 */

import { record as recordOf, score as scoreOf } from "../../agentpack/mod.ts";
import { table } from "../../text/table.ts";
import { declare } from "./command.ts";
import { shownPath } from "./show.ts";

/** `record`. */
export const record = declare({
  path: ["record"],
  summary: "Append an event, read as JSON from standard input, to the event log.",
  options: {},
  examples: [`record --yes < event.json`],
  changes: () => ({ id: "record", asks: "first" }),
  async run({ pack, selection }) {
    const event = await new Response(pack.system.terminal.input()).text();
    return await recordOf(pack, selection, { event });
  },
  render: ({ data }) => `Recorded in ${shownPath(data.path)}`,
});

/** `score`. */
export const score = declare({
  path: ["score"],
  summary: "Show how often each module failed, out of the event log.",
  options: {},
  examples: ["score", "score --json"],
  run: ({ pack, selection }) => scoreOf(pack, selection),
  render: ({ data }) =>
    data.modules.length === 0 ? "No events name a module" : table(
      ["module", "events", "failures", "rate", "last seen"],
      data.modules.map((one) => [
        shownPath(one.module_id),
        String(one.total),
        String(one.failures),
        `${Math.round(one.failure_rate * 100)} %`,
        one.last_seen_at ?? "",
      ]),
    ),
});
