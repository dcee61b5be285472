/**
 * What is tried thoroughly when a room of `src` has changed: the files that otherwise take a sample and are about it.
 *
 * @module
 */

/** The test files of a room that take a sample, by the folder of `src`; a folder below has those of the folders above. */
export const THOROUGH_OF: Readonly<Record<string, readonly string[]>> = {
  "apps/agentpack": [
    "tests/property/agentpack_test.ts",
    "tests/unit/apps/agentpack/engine/kill_test.ts",
  ],
  commands: ["tests/scenario/selection_test.ts"],
  "commands/archive": ["tests/faults/removal_test.ts"],
  "commands/campaign": [
    "tests/faults/campaign_test.ts",
    "tests/scenario/campaign_arrival_test.ts",
  ],
  "commands/commit": ["tests/faults/daily_test.ts"],
  "commands/push": ["tests/faults/daily_test.ts"],
  "commands/release": ["tests/faults/release_test.ts"],
  "commands/sync": ["tests/faults/daily_test.ts"],
  "commands/ticket": [
    "tests/faults/ticket_workspace_test.ts",
    "tests/faults/update_test.ts",
    "tests/property/ticket_test.ts",
    "tests/scenario/ticket_stash_test.ts",
  ],
  "commands/undo": ["tests/faults/undo_test.ts", "tests/property/undo_test.ts"],
  engine: ["tests/engines/local_test.ts", "tests/engines/limits_test.ts"],
  git: ["tests/scenario/git_settings_test.ts", "tests/property/snapshot_test.ts"],
  pipeline: [
    "tests/protocol/suggestions_test.ts",
    "tests/scenario/advice_test.ts",
    "tests/scenario/modes_test.ts",
  ],
  runs: ["tests/property/runs_test.ts", "tests/faults/install_and_tickets_test.ts"],
  "state/store": ["tests/property/runs_test.ts", "tests/faults/full_disk_test.ts"],
  workspace: ["tests/faults/removal_test.ts", "tests/property/import_test.ts"],
};

/** More rooms than that are the work of the night: all that takes a sample would take hours. */
const MOST_ROOMS = 3;

/**
 * The files to try thoroughly after a change of these paths: those that take a sample and have changed, and those of
 * the rooms that have. A change of more rooms than `MOST_ROOMS` has only the former.
 */
export function thoroughAfter(
  changed: readonly string[],
  takers: ReadonlySet<string>,
): readonly string[] {
  const rooms = Object.keys(THOROUGH_OF).filter((room) =>
    changed.some((path) => path.startsWith(`src/${room}/`))
  );
  const ofRooms = rooms.length > MOST_ROOMS ? [] : rooms.flatMap((room) => THOROUGH_OF[room] ?? []);
  return [...new Set([...changed.filter((path) => takers.has(path)), ...ofRooms])].toSorted();
}
