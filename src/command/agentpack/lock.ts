/**
 * `lock`, `fetch` and `update` (PACK-54).
 *
 * @module
 */

import { fetch as fetchOf, lock as lockOf, update as updateOf } from "../../agentpack/mod.ts";
import { count } from "../../text/words.ts";
import { declare } from "./command.ts";
import { onOrOff } from "./option.ts";
import { lines, shownPath } from "./show.ts";

/** `lock`. */
export const lock = declare({
  path: ["lock"],
  summary: "Write the lockfile: the commit and hash of every enabled module.",
  options: {},
  examples: ["lock --yes"],
  changes: () => ({ id: "lock", asks: "first" }),
  run: ({ pack, selection }) => lockOf(pack, selection),
  render: ({ data }) => `Locked ${count(data.modules, "module")} in ${shownPath(data.lockfile)}`,
});

/** `fetch`. */
export const fetch = declare({
  path: ["fetch"],
  summary: "Fetch what the lockfile names, and verify it.",
  options: {},
  examples: ["fetch --yes"],
  changes: () => ({ id: "fetch", asks: "first" }),
  run: ({ pack, selection }) => fetchOf(pack, selection),
  render: ({ data }) => `Verified ${count(data.git_modules_fetched, "git module")}`,
});

/** `update`. */
export const update = declare({
  path: ["update"],
  summary: "Lock if there is no lockfile, then fetch.",
  options: {
    lock: onOrOff({ help: "Write the lockfile anew, or not at all" }),
    fetch: onOrOff({ help: "Fetch, or do not" }),
  },
  examples: ["update", "update --lock --yes", "update --no-fetch"],
  changes: () => ({ id: "update", asks: "late" }),
  run: ({ pack, selection, approve }, input) => updateOf(pack, selection, { ...input, approve }),
  render: ({ data }) =>
    data.steps.length === 0
      ? "Nothing to do"
      : lines(data.steps.map((step) => `${step.name}: ${step.detail}`)),
});
