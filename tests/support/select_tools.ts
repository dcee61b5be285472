/**
 * What selecting works with, in a world of the tests.
 *
 * @module
 */

import { Git } from "../../src/git/mod.ts";
import type { StoreReader } from "../../src/contract/mod.ts";
import type { RunRecord } from "../../src/state/store/mod.ts";
import type { System } from "../../src/base/system/mod.ts";
import type { SelectTools } from "../../src/commands/selection/by_state.ts";

/** A run as far as selecting looks at it. */
export type SeenRun = Pick<RunRecord, "root" | "ecosystem" | "action" | "status" | "result"> & {
  readonly runId: string;
};

/** The tools; `runs` are the runs there were, newest first. */
export function selectTools(
  system: System,
  { door = "cli", runs = [] }: {
    readonly door?: "cli" | "mcp";
    readonly runs?: readonly SeenRun[];
  } = {},
): SelectTools {
  const known = runs.map((run) => ({ ticket: null, ...run })) as unknown as readonly RunRecord[];
  const list: StoreReader["runs"]["list"] = ({ action, statuses, limit }) =>
    known.filter((run) =>
      (action === undefined || run.action === action) && (statuses ?? []).includes(run.status)
    ).slice(0, limit);
  return {
    system,
    git: new Git(system),
    door,
    jobs: 2,
    report: { log: () => {}, progress: () => {} },
    root: "/space",
    ecosystem: "demo",
    ticket: null,
    store: () => Promise.resolve({ runs: { list } } as unknown as StoreReader),
    runs: {
      find: (id) => {
        const run = known.find(({ runId }) => runId.startsWith(id));
        return run === undefined ? Promise.reject(new Error(id)) : Promise.resolve(run);
      },
      unfinished: () => Promise.resolve([]),
      arrayOf: () => Promise.resolve(null),
    },
  };
}
